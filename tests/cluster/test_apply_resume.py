"""Killed at any step, an apply goes on where it was: with its journal, and from another host without it."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bed.control_plane import ControlPlane
from bed.journey import Journey
from bed.node import Node
from bed.programs import Programs
from bed.scenario import seed
from kueuelift import journal as journals

pytestmark = pytest.mark.cluster

STEPS = (
    "11-backup",
    "20-hold",
    "22-disarm",
    "30-bridge-crds",
    "31-rewrite-objects",
    "40-replace-crds",
    "41-helm",
    "50-rewrite-objects",
    "51-set-stored-versions",
)


@pytest.fixture(scope="module")
def journey(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    with ControlPlane(programs) as cluster, Node(cluster, programs):
        seed(cluster, workloads=120)
        journey = Journey(cluster=cluster, folder=tmp_path_factory.mktemp("resume"))
        assert journey.snapshot().returncode == 0
        assert journey.transform().returncode == 0
        yield journey


def _kill_at(journey: Journey, step: str) -> tuple[int, set[str]]:
    """Start an apply and kill it, helm and all, as soon as its journal announces the step."""
    process = journey.start("apply", "plan", "--expect-digest", journey.plan_digest)
    folder = journey.record.parent
    begun = len(list(journals.read(folder)))
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        new = list(journals.read(folder))[begun:]
        if any(entry.event == "intent" and entry.step == step for entry in new):
            time.sleep(0.05)
            break
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    return process.returncode, {entry.step for entry in list(journals.read(folder))[begun:] if entry.event == "intent"}


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_each_step_in_turn(journey: Journey, step: str) -> None:
    code, announced = _kill_at(journey, step)
    assert code == -signal.SIGKILL
    assert step in announced


def test_then_another_host_finishes_without_the_journal(journey: Journey) -> None:
    done = journey.apply("--journal", "elsewhere")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (journey.folder / "elsewhere" / "record.md").exists()
    verified = journey.verify()
    assert verified.returncode == 0, verified.stdout


def test_the_killed_runs_stand_in_the_record(journey: Journey) -> None:
    done = journey.apply()
    assert "nothing is left to do" in done.stdout
    assert "killed" in Path(journey.record).read_text(encoding="utf-8")


def test_no_lease_is_left(journey: Journey) -> None:
    leases = journey.cluster.api.get("/apis/coordination.k8s.io/v1/leases")["items"]
    assert [lease["metadata"]["name"] for lease in leases if lease["metadata"]["name"] == "kueuelift-apply"] == []
