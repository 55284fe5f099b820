"""What a snapshot may read: the printed role is enough and the least, and who lacks rights is told which."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bed.control_plane import ControlPlane
from bed.kueue import Kueue
from bed.scenario import JOBS
from kueuelift import yaml_text
from kueuelift.kinds import BY_NAME
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.rights import needed
from kueuelift_snapshot.scope import Scope
from queued_jobs import QUEUE
from snapshot_runs import READER, allow, grant, in_small_pages, only_sentence, snapshot

pytestmark = pytest.mark.cluster

SEEDED = 60


def test_a_user_who_may_nothing_learns_what_is_missing(control_plane: ControlPlane, tmp_path: Path) -> None:
    done = snapshot(control_plane, tmp_path, "S", user="operator")
    assert done.returncode == 1
    sentence = only_sentence(done)
    assert 'User "operator" cannot get resource "namespaces"' in sentence
    assert '{apiGroups: [""], resources: [namespaces], resourceNames: [kube-system], verbs: [get]}' in sentence
    assert "`kueuelift snapshot --print-rbac` prints the whole role" in sentence
    assert max(map(len, done.stderr.splitlines()[:-1])) <= 120
    assert list(tmp_path.iterdir()) == []


def pasted(told: str) -> list[dict[str, Any]]:
    """The block of rules that stands below the table, as somebody takes it into a role."""
    lines = told.partition("These rules of a ClusterRole")[2].splitlines()[3:]
    rules: list[dict[str, Any]] = yaml_text.load("\n".join(it for it in lines if it[:1] in "- "), "pasted")
    return rules


def test_with_the_rules_that_a_stranger_is_told_the_snapshot_is_whole(legacy: Kueue, tmp_path: Path) -> None:
    allow(legacy.cluster, [])
    refused = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert refused.returncode == 1
    allow(legacy.cluster, pasted(refused.stderr))
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 0, done.stdout
    assert Snapshot.open(tmp_path / "S").whole


def test_a_labelled_object_of_a_kind_that_nobody_knows_is_missed_or_taken(legacy: Kueue, tmp_path: Path) -> None:
    cluster = legacy.cluster
    names = {"plural": "trains", "singular": "train", "kind": "Train", "listKind": "TrainList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "trains.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    train = {"apiVersion": "example.com/v1", "kind": "Train", "metadata": {"name": "t", "labels": QUEUE}}
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(crd))
    try:
        cluster.kubectl("wait", "--for=condition=Established", "crd/trains.example.com", "--timeout=60s")
        cluster.kubectl("create", "-n", "team-a", "-f", "-", stdin=json.dumps(train))
        grant(cluster)
        done = snapshot(cluster, tmp_path, "offline", user=READER)
        assert done.returncode == 3
        assert pasted(done.stdout) == [{"apiGroups": ["example.com"], "resources": ["trains"], "verbs": ["list"]}]
        assert "with --discover the kinds that this cluster alone has too" in done.stdout
        grant(cluster, "--discover")
        done = snapshot(cluster, tmp_path, "discovered", user=READER)
        assert done.returncode == 0, done.stdout
        found = Snapshot.open(tmp_path / "discovered")
        assert found.header["unseen"] == []
        assert found.header["parts"]["running/trains.example.com"] == 1
        backup = found.header["rights"]
        assert {"apiGroups": ["example.com"], "resources": ["trains"], "verbs": ["list"]} in backup
    finally:
        cluster.kubectl("delete", "crd", "trains.example.com")


def test_a_right_that_is_missing_in_many_places_is_told_once(legacy: Kueue, tmp_path: Path) -> None:
    grant(legacy.cluster, but="services")
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert [line for line in done.stdout.splitlines() if line.startswith("services ")] == [
        f'services  403: User "{READER}" cannot list it'
    ]
    assert pasted(done.stdout) == [{"apiGroups": [""], "resources": ["services"], "verbs": ["get", "list"]}]
    assert "without services:" in done.stderr.splitlines()[-1]


def test_without_the_right_to_one_list_the_rest_is_sealed_and_the_rule_named(legacy: Kueue, tmp_path: Path) -> None:
    grant(legacy.cluster, but="localqueues")
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert "without localqueues.kueue.x-k8s.io" in done.stderr.splitlines()[-1]
    assert pasted(done.stdout) == [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["localqueues"], "verbs": ["list"]}]
    found = Snapshot.open(tmp_path / "S")
    assert not found.header["complete"]
    assert [failure.what for failure in found.failures] == ["localqueues.kueue.x-k8s.io"]
    assert not list(found.objects(BY_NAME["LocalQueue"]))
    assert found.count(BY_NAME["Workload"]) == SEEDED + len(JOBS)


@pytest.mark.parametrize("options", [(), ("--no-running",), ("--no-workloads", "--kinds", "ClusterQueue,LocalQueue")])
def test_the_printed_role_is_enough(legacy: Kueue, tmp_path: Path, options: tuple[str, ...]) -> None:
    grant(legacy.cluster, *options)
    done = snapshot(legacy.cluster, tmp_path, "S", *options, user=READER)
    assert done.returncode == 0, done.stdout
    taken = Snapshot.open(tmp_path / "S").header
    assert taken["complete"]
    assert taken["unseen"] == []


def test_the_printed_role_is_the_least(legacy: Kueue, tmp_path: Path) -> None:
    """Every resource of the role that this server has is read, and nothing beyond it."""
    _, api = in_small_pages(legacy.cluster, tmp_path / "S", limit=500)
    paths = {path for path, _ in api.requests}
    served = discovered(legacy.cluster)
    allowed = {(rule.group, rule.plural) for rule in needed(Scope())} | {("", "namespaces")}
    read = {resource for resource in served if any(reads(path, *resource) for path in paths)}
    assert read == allowed & served
    tellers = re.compile(r"/version|/apis|/api(s/[^/]+)?/v[^/]+")
    rest = {path for path in paths if not any(reads(path, *resource) for resource in allowed)}
    assert {path for path in rest if not tellers.fullmatch(path)} == set()


def discovered(cluster: ControlPlane) -> set[tuple[str, str]]:
    """Group and plural of every resource that can be listed."""
    listed = cluster.kubectl("api-resources", "--verbs=list", "--no-headers", "-o", "name").stdout.split()
    return {(name.partition(".")[2], name.partition(".")[0]) for name in listed}


def reads(path: str, group: str, plural: str) -> bool:
    root = f"/apis/{re.escape(group)}/[^/]+" if group else "/api/v1"
    return re.fullmatch(f"{root}(/namespaces/[^/]+)?/{plural}(/[^/]+)?", path) is not None


def test_without_the_right_to_secrets_helm_is_missing_and_told(legacy: Kueue, tmp_path: Path) -> None:
    grant(legacy.cluster, but="secrets")
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert [failure.what for failure in Snapshot.open(tmp_path / "S").failures] == ["secrets"]


def test_the_printed_job_is_what_a_server_takes(control_plane: ControlPlane) -> None:
    words = ["--print-job", "--image", "registry.example/kueuelift:1", "--token-key-secret", "key", "--no-running"]
    printed = subprocess.run(
        [sys.executable, "-m", "kueuelift", "snapshot", *words], capture_output=True, text=True, check=True
    )
    applied = control_plane.kubectl("apply", "--dry-run=client", "-o", "name", "-f", "-", stdin=printed.stdout)
    assert [name.partition("/")[0] for name in applied.stdout.split()] == [
        *("namespace", "serviceaccount", "clusterrole.rbac.authorization.k8s.io"),
        *("clusterrolebinding.rbac.authorization.k8s.io", "job.batch"),
    ]
    for document in yaml_text.load_all(printed.stdout, "--print-job"):
        if document["kind"] == "Job":
            strict = ["create", "--dry-run=server", "--validate=strict", "-f", "-"]
            document["metadata"]["namespace"] = "default"
            control_plane.kubectl(*strict, stdin=json.dumps(document))
            (container,) = document["spec"]["template"]["spec"]["containers"]
    role_options = container["command"][2:]
    assert role_options == [
        *("--archive", "-", "--armor", "--no-running"),
        *("--token-key", "/token-key/kueuelift-token.key"),
    ]
