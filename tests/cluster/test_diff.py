"""`kueuelift diff` on a real API server: an unchanged cluster is the same, of a changed one just the change is told."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bed.api import ApiError
from bed.control_plane import ControlPlane
from bed.kueue import Kueue
from bed.waiting import until
from kueuelift.snapshot_dir import Snapshot

pytestmark = pytest.mark.cluster

QUEUE = "/apis/kueue.x-k8s.io/v1beta1/clusterqueues/research"


def kueuelift(
    cluster: ControlPlane, folder: Path, *words: str, user: str = "admin"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kueuelift", *words],
        cwd=folder,
        env=cluster.environment(user),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def here(legacy: Kueue, tmp_path: Path) -> Path:
    """A folder with a snapshot of the cluster."""
    done = kueuelift(legacy.cluster, tmp_path, "snapshot", "--out", "A")
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_an_unchanged_cluster_has_the_same_digest_and_no_difference(legacy: Kueue, here: Path) -> None:
    assert kueuelift(legacy.cluster, here, "snapshot", "--out", "B").returncode == 0
    assert Snapshot.open(here / "A").digest == Snapshot.open(here / "B").digest
    for words in (["A", "B"], ["A"]):
        done = kueuelift(legacy.cluster, here, "diff", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "no differences: " in done.stdout


def test_an_archive_is_compared_as_its_directory(legacy: Kueue, here: Path) -> None:
    done = kueuelift(legacy.cluster, here, "snapshot", "--archive", "B.tar.gz")
    assert done.returncode == 0, done.stderr
    assert kueuelift(legacy.cluster, here, "diff", "A", "B.tar.gz").returncode == 0
    assert kueuelift(legacy.cluster, here, "diff", "B.tar.gz").returncode == 0


def test_who_may_nothing_learns_no_difference(legacy: Kueue, here: Path) -> None:
    done = kueuelift(legacy.cluster, here, "diff", "A", user="operator")
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert 'User "operator" cannot get resource "namespaces"' in done.stderr


def test_a_changed_queue_is_told_by_its_fields(legacy: Kueue, tmp_path: Path) -> None:
    api = legacy.cluster.api
    legacy.cluster.kubectl("delete", "validatingwebhookconfigurations,mutatingwebhookconfigurations", "--all")
    assert until(lambda: replaced(legacy.cluster, {}), seconds=60), "nobody answers the webhooks of this cluster"
    assert kueuelift(legacy.cluster, tmp_path, "snapshot", "--out", "A").returncode == 0
    groups = api.get(QUEUE)["spec"]["resourceGroups"]
    quota = groups[0]["flavors"][0]["resources"][0]
    assert str(quota["nominalQuota"]) == "100000m"
    quota["nominalQuota"] = "100"
    assert replaced(legacy.cluster, {"stopPolicy": "Hold", "resourceGroups": groups})

    done = kueuelift(legacy.cluster, tmp_path, "diff", "A")
    assert done.returncode == 1, done.stdout + done.stderr
    blocks = [block for block in done.stdout.split("\n\n") if block[:2] in {"~ ", "+ ", "- "}]
    assert blocks == ['~ ClusterQueue research\n    ~ spec.stopPolicy: "None" -> "Hold"']
    assert "metadata.resourceVersion: 1 object;" in done.stdout
    assert "metadata.generation: 1 object;" in done.stdout


def replaced(cluster: ControlPlane, fields: dict[str, Any]) -> bool:
    """Whether the API server took a queue with these fields of its spec."""
    found = cluster.api.get(QUEUE)
    found["spec"] |= fields
    try:
        cluster.api.replace(QUEUE, found)
    except ApiError:
        return False
    return True
