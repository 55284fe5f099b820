"""The whole journey, by the command line only, from a 0.12.2-shaped cluster to the real Kueue 0.17.0."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bed.control_plane import ControlPlane
from bed.job import submit_job, wait_admitted
from bed.journey import Journey, digest_in
from bed.node import Node
from bed.programs import Programs
from bed.scenario import seed
from kueuelift.kinds import KINDS
from kueuelift_apply.renewal import has_old_records
from snapshot_maker import listing

pytestmark = pytest.mark.cluster

WORKLOADS = 500


@pytest.fixture(scope="module")
def journey(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    with ControlPlane(programs) as cluster, Node(cluster, programs):
        seed(cluster, workloads=WORKLOADS)
        yield Journey(cluster=cluster, folder=tmp_path_factory.mktemp("journey"))


@pytest.fixture(scope="module")
def uids(journey: Journey) -> dict[str, str]:
    """The uid of every Kueue object before the move."""
    return _uids(
        journey, {kind.plural: "v1beta1" for kind in KINDS} | {"cohorts": "v1alpha1", "topologies": "v1alpha1"}
    )


def _objects(journey: Journey, plural: str, version: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = journey.cluster.api.get(f"/apis/kueue.x-k8s.io/{version}/{plural}")["items"]
    return items


def _uids(journey: Journey, versions: dict[str, str]) -> dict[str, str]:
    return {
        f"{plural} {obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}": obj["metadata"]["uid"]
        for plural, version in versions.items()
        for obj in _objects(journey, plural, version)
    }


@pytest.mark.usefixtures("uids")
def test_1_snapshot(journey: Journey) -> None:
    first, second = journey.snapshot(), journey.snapshot("snapshot-again")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert digest_in(first.stdout) == digest_in(second.stdout)
    header = json.loads((journey.snapshot_dir / "snapshot.json").read_bytes())
    assert header["complete"] is True
    assert header["lists"]["workloads"]["count"] == len(_objects(journey, "workloads", "v1beta1")) >= WORKLOADS
    assert header["lists"]["cohorts"] == listing("v1alpha1", 3)


def test_2_transform(journey: Journey) -> None:
    first, second = journey.transform(), journey.transform("plan-again")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert digest_in(first.stdout) == digest_in(second.stdout)
    for name in ("REPORT.md", "report.json", "report.html", "diff.txt", "findings.json", "losses.json"):
        assert (journey.plan_dir / name).stat().st_size > 0


def test_3_a_dry_run_changes_nothing(journey: Journey, uids: dict[str, str]) -> None:
    done = journey.run("apply", "plan", "--dry-run=client")
    assert done.returncode == 0
    assert "30-bridge-crds" in done.stdout
    assert not journey.record.parent.exists()
    assert _uids(journey, {"cohorts": "v1alpha1"}).items() <= uids.items()


def test_4_apply_with_no_more_rights_than_the_plan_asks_for(journey: Journey, uids: dict[str, str]) -> None:
    assert journey.apply(user="operator").returncode == 1
    journey.grant_planned_rights("operator")
    done = journey.apply(user="operator")
    assert done.returncode == 0, done.stdout + done.stderr
    after = _uids(journey, {kind.plural: "v1beta2" for kind in KINDS})
    assert after.items() >= uids.items()
    crds = journey.cluster.api.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]
    assert {tuple(crd["status"]["storedVersions"]) for crd in crds} == {("v1beta2",)}
    for kind in KINDS:
        assert not [
            obj["metadata"]["name"]
            for obj in _objects(journey, kind.plural, "v1beta2")
            if has_old_records(obj, "v1beta2")
        ]
    assert journey.record.exists()


def test_5_verify(journey: Journey) -> None:
    done = journey.verify()
    assert done.returncode == 0, done.stdout + done.stderr


def test_6_a_job_is_admitted(journey: Journey) -> None:
    job = submit_job(journey.cluster)
    wait_admitted(journey.cluster, name=job["metadata"]["name"], namespace=job["metadata"]["namespace"])


def test_7_a_second_run_finds_nothing_to_do(journey: Journey) -> None:
    done = journey.apply()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is left to do" in done.stdout


def test_8_the_journal_is_not_needed_for_that(journey: Journey) -> None:
    done = journey.apply("--journal", "other.journal")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is left to do" in done.stdout


def test_9_verify_names_a_queue_that_was_deleted(journey: Journey) -> None:
    queues = "/apis/kueue.x-k8s.io/v1beta2/namespaces/team-a/localqueues"
    name = journey.cluster.api.get(queues)["items"][0]["metadata"]["name"]
    journey.cluster.api.delete(f"{queues}/{name}")
    done = journey.verify()
    assert done.returncode == 1
    assert f"LocalQueue team-a/{name}: missing" in done.stdout
    machine = journey.verify("-o", "json")
    assert machine.returncode == 1
    failed = [check for check in json.loads(machine.stdout) if not check["passed"]]
    assert [check["name"] for check in failed] == ["localqueues"]


def test_everything_is_readable_by_its_owner_only(journey: Journey) -> None:
    open_to_others = [
        str(path.relative_to(journey.folder))
        for folder in (journey.snapshot_dir, journey.plan_dir, journey.record.parent)
        for path in Path(folder).rglob("*")
        if path.stat().st_mode & 0o077
    ]
    assert open_to_others == []
