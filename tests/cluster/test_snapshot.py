"""The snapshot command on a real API server: first without Kueue, then on the 0.12.2-shaped cluster."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bed.api import ApiError
from bed.control_plane import ControlPlane
from bed.kueue import Kueue
from bed.process import free_port
from bed.scenario import JOBS
from bed.waiting import until
from kueuelift import yaml_text
from kueuelift.crd import ServiceReference, bundled
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.api import NO_QUERY, Api
from kueuelift_snapshot.cluster import open_cluster
from kueuelift_snapshot.collect import Captured, collect
from kueuelift_snapshot.rights import needed
from kueuelift_snapshot.scope import Scope

pytestmark = pytest.mark.cluster

SEEDED = 60
READER = "reader"


def snapshot(
    cluster: ControlPlane, folder: Path, out: str, *options: str, user: str = "admin"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kueuelift", "snapshot", "--out", out, *options],
        cwd=folder,
        env=cluster.environment(user),
        capture_output=True,
        text=True,
        check=False,
    )


def only_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a command that was refused: the last line, without a trace before it."""
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert line.startswith("error: ")
    return line


def served(cluster: ControlPlane, plural: str, version: str) -> list[KubernetesObject]:
    items: list[KubernetesObject] = cluster.api.get(f"/apis/kueue.x-k8s.io/{version}/{plural}")["items"]
    return items


def identity(obj: KubernetesObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


class SmallPages:
    """The cluster, asked for fewer objects a page, as if there were many."""

    def __init__(self, api: Api, limit: int) -> None:
        self._api, self._limit = api, limit
        self.requests: list[tuple[str, Mapping[str, str]]] = []

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        asked = {**query, "limit": str(min(int(query["limit"]), self._limit))} if "limit" in query else query
        self.requests.append((path, asked))
        return self._api.get(path, asked)


def in_small_pages(cluster: ControlPlane, out: Path, limit: int) -> tuple[Captured, SmallPages]:
    opened = open_cluster(kubeconfig=cluster.kubeconfig(), context=None, request_timeout=60)
    api = SmallPages(opened, limit)
    captured = collect(
        api,
        out,
        server=opened.server,
        token_key=out.parent / "kueuelift-token.key",
        progress=Silence(),
        now=lambda: datetime.now(UTC),
    )
    return captured, api


def grant(cluster: ControlPlane, *options: str, but: str = "") -> None:
    """Just the role that the command prints for these options, without one resource, for the reader."""
    printed = subprocess.run(
        [sys.executable, "-m", "kueuelift", "snapshot", "--print-rbac", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    role = yaml_text.load(printed.stdout, "--print-rbac")
    for rule in role["rules"]:
        rule["resources"] = [plural for plural in rule["resources"] if plural != but]
    role["rules"] = [rule for rule in role["rules"] if rule["resources"]]
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": READER},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role["metadata"]["name"]},
        "subjects": [{"kind": "User", "name": READER, "apiGroup": "rbac.authorization.k8s.io"}],
    }
    for obj in (role, binding):
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps(obj))


def test_a_cluster_without_kueue_says_so(control_plane: ControlPlane, tmp_path: Path) -> None:
    done = snapshot(control_plane, tmp_path, "S")
    assert (done.returncode, done.stderr.count("error")) == (0, 0)
    assert "kueue     not installed" in done.stdout
    header = Snapshot.open(tmp_path / "S").header
    uid = control_plane.api.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
    assert header["cluster"] == {"uid": uid, "version": "v1.35.4"}
    assert header["kueue"] == {"installed": False, "crds": {}}


def test_an_expired_token_is_one_sentence(control_plane: ControlPlane, tmp_path: Path) -> None:
    control_plane.write_kubeconfig(tmp_path / "old", user="admin", token="0" * 32)
    done = snapshot(control_plane, tmp_path, "S", "--kubeconfig", "old")
    assert done.returncode == 1
    assert "the credentials are not accepted (401 Unauthorized)" in only_sentence(done)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_an_unreachable_server_is_one_sentence(control_plane: ControlPlane, tmp_path: Path) -> None:
    config = json.loads(control_plane.kubeconfig().read_text(encoding="utf-8"))
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{free_port()}"
    (tmp_path / "away").write_text(json.dumps(config), encoding="utf-8")
    done = snapshot(control_plane, tmp_path, "S", "--kubeconfig", "away")
    assert done.returncode == 1
    assert "the API server cannot be reached" in only_sentence(done)
    assert [path.name for path in tmp_path.iterdir()] == ["away"]


def test_a_server_with_another_certificate_is_not_trusted(control_plane: ControlPlane, tmp_path: Path) -> None:
    config = json.loads(control_plane.kubeconfig().read_text(encoding="utf-8"))
    cluster = config["clusters"][0]["cluster"]
    for name in [name for name in cluster if name.startswith("certificate-authority")]:
        del cluster[name]
    (tmp_path / "odd").write_text(json.dumps(config), encoding="utf-8")
    done = snapshot(control_plane, tmp_path, "S", "--kubeconfig", "odd")
    assert done.returncode == 1
    assert "no trusted connection" in only_sentence(done)


def test_no_kubeconfig_is_one_sentence(control_plane: ControlPlane, tmp_path: Path) -> None:
    done = snapshot(control_plane, tmp_path, "S", "--kubeconfig", "missing")
    assert done.returncode == 1
    assert "missing: no such kubeconfig" in only_sentence(done)
    assert list(tmp_path.iterdir()) == []


def test_a_user_who_may_nothing_learns_what_is_missing(control_plane: ControlPlane, tmp_path: Path) -> None:
    done = snapshot(control_plane, tmp_path, "S", user="operator")
    assert done.returncode == 1
    sentence = only_sentence(done)
    assert 'User "operator" cannot get resource "namespaces"' in sentence
    assert '{apiGroups: [""], resources: [namespaces], verbs: [get]}' in sentence
    assert list(tmp_path.iterdir()) == []


def test_the_whole_cluster_is_read(legacy: Kueue, tmp_path: Path) -> None:
    done = snapshot(legacy.cluster, tmp_path, "S")
    assert done.returncode == 0, done.stderr
    found = Snapshot.open(tmp_path / "S")
    found.sealed.verify()
    assert found.whole
    assert found.digest in done.stdout
    assert found.count(BY_NAME["Workload"]) == SEEDED + len(JOBS)
    for kind in KINDS:
        version = "v1alpha1" if kind.name in {"Cohort", "Topology"} else "v1beta1"
        assert found.header["lists"][kind.plural]["version"] == version
        assert sorted(found.objects(kind), key=identity) == sorted(
            served(legacy.cluster, kind.plural, version), key=identity
        )


def test_the_release_is_read_as_helm_made_it_but_for_secrets(legacy: Kueue, tmp_path: Path) -> None:
    assert snapshot(legacy.cluster, tmp_path, "S").returncode == 0
    records = Snapshot.open(tmp_path / "S").helm_records()
    assert [(record.namespace, record.release, record.revision, record.status) for record in records] == [
        ("kueue-system", "kueue", 1, "superseded"),
        ("kueue-system", "kueue", 2, "deployed"),
    ]
    assert {(record.chart_name, record.chart_version, record.app_version) for record in records} == {
        ("kueue", "0.12.2", "v0.12.2")
    }
    given = json.loads(legacy.cluster.helm("get", "values", "kueue", "-n", "kueue-system", "-o", "json").stdout)
    kept = dict(records[1].values)
    hidden = kept.pop("extra")
    assert kept == {key: value for key, value in given.items() if key != "extra"}
    assert hidden.keys() == given["extra"].keys()
    assert not set(hidden.values()) & set(given["extra"].values())
    assert {obj["kind"] for obj in records[1].manifest} >= {"Deployment", "ConfigMap", "ValidatingWebhookConfiguration"}


def test_an_unchanged_cluster_has_the_same_digest_whatever_the_pages(legacy: Kueue, tmp_path: Path) -> None:
    assert snapshot(legacy.cluster, tmp_path, "one").returncode == 0
    assert snapshot(legacy.cluster, tmp_path, "two").returncode == 0
    paged, api = in_small_pages(legacy.cluster, tmp_path / "paged", limit=10)
    continued = [query for path, query in api.requests if path.endswith("/workloads") and "continue" in query]
    assert len(continued) == (SEEDED + len(JOBS) - 1) // 10
    assert paged.digest == Snapshot.open(tmp_path / "one").digest == Snapshot.open(tmp_path / "two").digest


def test_without_the_right_to_one_list_the_rest_is_sealed_and_the_rule_named(legacy: Kueue, tmp_path: Path) -> None:
    grant(legacy.cluster, but="localqueues")
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert "without localqueues.kueue.x-k8s.io" in done.stderr.splitlines()[-1]
    assert "{apiGroups: [kueue.x-k8s.io], resources: [localqueues], verbs: [list]}" in done.stdout
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


def test_the_archive_in_a_log_is_read_as_the_directory_is(legacy: Kueue, tmp_path: Path) -> None:
    """What the Job does, with its standard streams in one file as a log has them."""
    with (tmp_path / "log").open("wb") as log:
        done = subprocess.run(
            [sys.executable, "-m", "kueuelift", "snapshot", "--archive", "-", "--armor", "--token-key", "key"],
            cwd=tmp_path,
            env=legacy.cluster.environment("admin"),
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    assert done.returncode == 0
    assert snapshot(legacy.cluster, tmp_path, "S", "--token-key", "key").returncode == 0
    archived, plain = Snapshot.open(tmp_path / "log"), Snapshot.open(tmp_path / "S")
    archived.sealed.verify()
    assert archived.digest == plain.digest
    for kind in KINDS:
        assert list(archived.objects(kind)) == list(plain.objects(kind))


def test_a_narrowed_snapshot_holds_what_was_asked_for_and_says_so(legacy: Kueue, tmp_path: Path) -> None:
    options = ("--namespaces", "team-a", "--kinds", "clusterqueue,LocalQueue", "--kinds", "workloads", "--no-running")
    assert snapshot(legacy.cluster, tmp_path, "S", *options).returncode == 0
    found = Snapshot.open(tmp_path / "S")
    assert found.header["narrowed"] == ["--namespaces=team-a", "--kinds=clusterqueues,localqueues,workloads"]
    assert found.header["without"] == ["running"]
    assert set(found.header["lists"]) == {"clusterqueues", "localqueues", "workloads"}
    assert not found.whole
    assert not list(found.parts("running"))
    namespaces = {
        obj["metadata"]["namespace"] for kind in ("LocalQueue", "Workload") for obj in found.objects(BY_NAME[kind])
    }
    assert namespaces == {"team-a"}


def test_a_damaged_release_secret_is_named_and_the_rest_goes_on(legacy: Kueue, tmp_path: Path) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "helm.sh/release.v1",
        "metadata": {
            "name": "sh.helm.release.v1.kueue.v3",
            "namespace": "default",
            "labels": {"owner": "helm", "name": "kueue", "version": "3", "status": "deployed"},
        },
        "data": {"release": "SDRzSQ=="},
    }
    legacy.cluster.api.create("/api/v1/namespaces/default/secrets", secret)
    try:
        done = snapshot(legacy.cluster, tmp_path, "S")
    finally:
        legacy.cluster.api.delete("/api/v1/namespaces/default/secrets/sh.helm.release.v1.kueue.v3")
    assert done.returncode == 3
    assert "Secret default/sh.helm.release.v1.kueue.v3" in done.stdout
    assert [record.revision for record in Snapshot.open(tmp_path / "S").helm_records()] == [1, 2]


def test_a_dead_conversion_webhook_costs_nothing(clean_cluster: ControlPlane, tmp_path: Path) -> None:
    """Some Cohorts lie in etcd as v1beta1, some as v1beta2, and nobody answers who could convert."""
    crds = bundled("0.17.0", service=ServiceReference(namespace="kueue-system", name="kueue-webhook-service"))
    collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    storing(crds["cohorts"], "v1beta1")
    for plural in ("cohorts", "resourceflavors"):
        clean_cluster.api.create(collection, crds[plural])
    clean_cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    for name in ("a-old", "c-old", "d-old"):
        create_cohort(clean_cluster, name, "v1beta1")
    place = f"{collection}/cohorts.kueue.x-k8s.io"
    clean_cluster.api.replace(place, storing(clean_cluster.api.get(place), "v1beta2"))

    def flipped() -> bool:
        # The API server takes the new storage version in its own time; until then v1beta2 would have to be converted.
        try:
            create_cohort(clean_cluster, "b-new", "v1beta2")
        except ApiError:
            return False
        return True

    assert until(flipped, seconds=30)
    create_cohort(clean_cluster, "e-new", "v1beta2")
    for limit in (10, 1):
        captured, _ = in_small_pages(clean_cluster, tmp_path / f"S{limit}", limit=limit)
        assert captured.complete
        found = Snapshot.open(tmp_path / f"S{limit}")
        listed = found.header["lists"]["cohorts"]
        assert listed == {
            "version": "v1beta2",
            "how": "fallback",
            "versions": {"v1beta1": 3, "v1beta2": 2},
            "count": 5,
            "deleting": 0,
        }
        told = [(obj["metadata"]["name"], obj["apiVersion"][-7:]) for obj in found.objects(BY_NAME["Cohort"])]
        assert told == [
            *(("a-old", "v1beta1"), ("b-new", "v1beta2"), ("c-old", "v1beta1")),
            *(("d-old", "v1beta1"), ("e-new", "v1beta2")),
        ]


def create_cohort(cluster: ControlPlane, name: str, version: str) -> None:
    api_version = f"kueue.x-k8s.io/{version}"
    cohort = {"apiVersion": api_version, "kind": "Cohort", "metadata": {"name": name}, "spec": {}}
    cluster.api.create(f"/apis/{api_version}/cohorts", cohort)


def storing(crd: KubernetesObject, name: str) -> KubernetesObject:
    for version in crd["spec"]["versions"]:
        version["storage"] = version["name"] == name
    return crd
