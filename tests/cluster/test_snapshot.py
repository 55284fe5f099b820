"""The snapshot command on a real API server: first without Kueue, then on the 0.12.2-shaped cluster."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bed.api import ApiError
from bed.control_plane import ControlPlane
from bed.kueue import Kueue
from bed.process import free_port
from bed.scenario import JOBS
from bed.waiting import until
from kueuelift.crd import ServiceReference, bundled
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.snapshot_dir import Snapshot
from snapshot_runs import in_small_pages, only_sentence, snapshot

pytestmark = pytest.mark.cluster

SEEDED = 60


def served(cluster: ControlPlane, plural: str, version: str) -> list[KubernetesObject]:
    items: list[KubernetesObject] = cluster.api.get(f"/apis/kueue.x-k8s.io/{version}/{plural}")["items"]
    return items


def identity(obj: KubernetesObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


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


def test_a_namespace_that_does_not_exist_is_refused(legacy: Kueue, tmp_path: Path) -> None:
    done = snapshot(legacy.cluster, tmp_path, "S", "--namespaces", "team-a,nope")
    assert done.returncode == 1
    assert "--namespaces nope: the cluster has no such namespace" in only_sentence(done)
    assert list(tmp_path.iterdir()) == []


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
