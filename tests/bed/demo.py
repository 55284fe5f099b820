"""The demo: the whole journey on a cluster of its own, as a person would see it."""

import shutil
from pathlib import Path

from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.job import submit_job, wait_admitted
from bed.journey import Journey
from bed.node import Node
from bed.programs import Programs
from bed.scenario import seed
from bed.toolchain import Report

WORKLOADS = 500


def run(programs: Programs, folder: Path, report: Report) -> None:
    """Run it; what lay in `folder` from an earlier demo is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report(f"starting etcd and kube-apiserver; seeding a cluster shaped like Kueue 0.12.2 with {WORKLOADS} Workloads")
    with ControlPlane(programs) as cluster, Node(cluster, programs):
        seed(cluster, workloads=WORKLOADS)
        journey = Journey(cluster=cluster, folder=folder, tell=report)
        for step in (journey.snapshot, journey.transform, journey.apply, journey.verify):
            done = step()
            if done.returncode != 0:
                raise BedError(f"{' '.join(done.args[2:])} ended with {done.returncode}")
        job = submit_job(cluster)
        wait_admitted(cluster, name=job["metadata"]["name"], namespace=job["metadata"]["namespace"])
        report(f"Job {job['metadata']['name']}, submitted after the move, was admitted by the real Kueue 0.17.0")
    report("")
    for name, place in (
        ("snapshot", journey.snapshot_dir),
        ("plan", journey.plan_dir),
        ("report", journey.plan_dir / "REPORT.md"),
        ("record", journey.record),
    ):
        report(f"{name + ':':<10}{place}")
