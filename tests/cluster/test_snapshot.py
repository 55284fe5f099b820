"""The snapshot command on a real API server: first without Kueue, then on the 0.12.2-shaped cluster."""

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bed.control_plane import ControlPlane
from bed.kueue import Kueue
from bed.process import free_port
from bed.scenario import JOBS
from bed.waiting import until
from kueuelift.crd import ServiceReference, bundled
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.api import NO_QUERY, Api
from kueuelift_snapshot.cluster import open_cluster
from kueuelift_snapshot.collect import Captured, collect

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
        asked = {**query, "limit": str(self._limit)} if "limit" in query else query
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


def grant(cluster: ControlPlane, resources: Mapping[str, list[str]]) -> None:
    """A role with just these lists, and the cluster's identity, for the reader."""
    rules = [{"apiGroups": [group], "resources": names, "verbs": ["list"]} for group, names in resources.items()]
    rules.append({"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]})
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": READER}}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": READER},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": READER},
        "subjects": [{"kind": "User", "name": READER, "apiGroup": "rbac.authorization.k8s.io"}],
    }
    for obj in ({**role, "rules": rules}, binding):
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
    plurals = [kind.plural for kind in KINDS if kind.name != "LocalQueue"]
    crds = {"apiextensions.k8s.io": ["customresourcedefinitions"]}
    grant(legacy.cluster, {**crds, "kueue.x-k8s.io": plurals, "": ["secrets"]})
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert "without localqueues.kueue.x-k8s.io" in done.stderr.splitlines()[-1]
    assert "{apiGroups: [kueue.x-k8s.io], resources: [localqueues], verbs: [list]}" in done.stdout
    found = Snapshot.open(tmp_path / "S")
    assert not found.header["complete"]
    assert [failure.what for failure in found.failures] == ["localqueues.kueue.x-k8s.io"]
    assert not list(found.objects(BY_NAME["LocalQueue"]))
    assert found.count(BY_NAME["Workload"]) == SEEDED + len(JOBS)

    # What it asked for is enough.
    grant(legacy.cluster, {**crds, "kueue.x-k8s.io": [*plurals, "localqueues"], "": ["secrets"]})
    assert snapshot(legacy.cluster, tmp_path, "all", user=READER).returncode == 0


def test_without_the_right_to_secrets_helm_is_missing_and_told(legacy: Kueue, tmp_path: Path) -> None:
    crds = {"apiextensions.k8s.io": ["customresourcedefinitions"]}
    grant(legacy.cluster, {**crds, "kueue.x-k8s.io": [kind.plural for kind in KINDS]})
    done = snapshot(legacy.cluster, tmp_path, "S", user=READER)
    assert done.returncode == 3
    assert [failure.what for failure in Snapshot.open(tmp_path / "S").failures] == ["secrets"]


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


def test_a_dead_conversion_webhook_costs_one_kind(clean_cluster: ControlPlane, tmp_path: Path) -> None:
    """The Cohort lies in etcd as v1beta1, v1beta2 is asked for, and nobody answers who could convert."""
    crds = bundled("0.17.0", service=ServiceReference(namespace="kueue-system", name="kueue-webhook-service"))
    collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    storing(crds["cohorts"], "v1beta1")
    for plural in ("cohorts", "resourceflavors"):
        clean_cluster.api.create(collection, crds[plural])
    clean_cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    old = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Cohort", "metadata": {"name": "old"}, "spec": {}}
    clean_cluster.api.create("/apis/kueue.x-k8s.io/v1beta1/cohorts", old)
    place = f"{collection}/cohorts.kueue.x-k8s.io"
    clean_cluster.api.replace(place, storing(clean_cluster.api.get(place), "v1beta2"))

    def failed() -> Snapshot | None:
        out = tmp_path / f"S{len(list(tmp_path.iterdir()))}"
        captured, _ = in_small_pages(clean_cluster, out, limit=10)
        return None if captured.complete else Snapshot.open(out)

    # The API server takes the new storage version in its own time.
    found = until(failed, seconds=30)
    assert found
    (failure,) = found.failures
    assert failure.what == "cohorts.kueue.x-k8s.io"
    assert failure.reason.startswith("500: conversion webhook for kueue.x-k8s.io/v1beta1")
    assert "see that the conversion webhook" in failure.remedy
    assert found.header["lists"] == {"resourceflavors": {"version": "v1beta2", "count": 0}}


def storing(crd: KubernetesObject, name: str) -> KubernetesObject:
    for version in crd["spec"]["versions"]:
        version["storage"] = version["name"] == name
    return crd
