"""`kueuelift transform` against plain programs that read and write the same lines; exit code 1 where a budget breaks.

The snapshots are made from files, without a cluster. CPU is of whole processes, start-up included.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bed.failure import BedError
from bed.seed_objects import configuration
from bench.measured import Figures, measure
from bench.table import VERDICTS, Verdict, table
from bench.valid_workloads import numbered
from bench.workloads import models
from kueuelift.model import KubernetesObject
from snapshot_maker import Cluster, as_stored, crds_of, make_chart, make_snapshot

SMALL, MIDDLE, LARGE = 1_000, 10_000, 100_000

CPU = 4.0
"""Of the transform by that of parsing and writing with the json of the standard library, at the largest size."""
GROWTH = 1.3
"""Peak memory at the largest size by that at SMALL."""

OURS, PLAIN, FAST = "kueuelift transform", "json, read and write", "orjson, read and write"
_LIBRARY = {PLAIN: "json", FAST: "orjson"}
HEAD = ("WORKLOADS", "COMMAND", "SECONDS", "CPU", "PEAK MB", "xCPU")


class Crowd(Sequence[KubernetesObject]):
    """The configuration of the bed's old cluster and so many Workloads, each made when it is asked for."""

    def __init__(self, count: int) -> None:
        crds = crds_of("0.12.2")
        self._fixed = [as_stored(seed.obj, crds[_plural(seed.obj, crds)]) for seed in configuration(cpu=100)]
        self._models = [{**as_stored(obj, crds["workloads"]), "status": status} for obj, status in models()]
        self._count = count

    def __len__(self) -> int:
        return len(self._fixed) + self._count

    def __getitem__(self, index: int) -> KubernetesObject:  # type: ignore[override]
        if index < len(self._fixed):
            return self._fixed[index]
        number = index - len(self._fixed)
        if number >= self._count:
            raise IndexError
        # By namespace, as a server lists them.
        per_namespace = -(-self._count // 3)
        place = number % per_namespace * 3 + number // per_namespace
        return numbered(self._models[place % len(self._models)], place)


def _plural(obj: KubernetesObject, crds: dict[str, KubernetesObject]) -> str:
    return next(plural for plural, crd in crds.items() if crd["spec"]["names"]["kind"] == obj["kind"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One command at one size."""

    workloads: int
    command: str
    figures: Figures


def rows(folder: Path, sizes: Sequence[int], runs: int) -> Iterator[Row]:
    """What each command takes at each size: the middle of the runs."""
    chart = make_chart(folder / "kueue.tgz")
    for size in sizes:
        click.echo(f"{size:,} Workloads", err=True)
        snapshot = folder / f"snapshot-{size}"
        make_snapshot(snapshot, Cluster(objects=Crowd(size), raw=True))
        turns: dict[str, list[Figures]] = {OURS: [], PLAIN: [], FAST: []}
        for _ in range(runs if size < LARGE else 1):
            for command, figures in turns.items():
                figures.append(_run(command, snapshot, chart, folder))
        yield from (Row(workloads=size, command=one, figures=Figures.middle(found)) for one, found in turns.items())
        shutil.rmtree(snapshot)


def _run(command: str, snapshot: Path, chart: Path, folder: Path) -> Figures:
    plan = folder / "plan"
    shutil.rmtree(plan, ignore_errors=True)
    words: list[str | Path] = [sys.executable, "-m", "kueuelift", "transform", snapshot, "--out", plan]
    words += ["--to", "0.17.0", "--target", "helm", "--chart", chart]
    if command in _LIBRARY:
        program = Path(__file__).with_name("parse_and_write.py")
        words = [sys.executable, program, _LIBRARY[command], snapshot / "workloads", folder / "written.jsonl.gz"]
    # Without helm: rendering a chart is not what is measured.
    return measure(words, environment=os.environ | {"PATH": ""}, out=folder / "out")


def verdicts(found: Sequence[Row]) -> list[Verdict]:
    """The budgets, at the largest size."""
    by_place = {(row.workloads, row.command): row.figures for row in found}
    largest = max(row.workloads for row in found)
    ours = by_place[largest, OURS]
    return [
        Verdict(
            what=f"CPU by that of {PLAIN}, at {largest:,}",
            found=ours.processor / by_place[largest, PLAIN].processor,
            budget=CPU,
            at_least=False,
        ),
        Verdict(
            what=f"peak at {largest:,} by that at {SMALL:,}",
            found=ours.peak / by_place[SMALL, OURS].peak,
            budget=GROWTH,
            at_least=False,
        ),
    ]


@click.command()
@click.option("--most", type=click.IntRange(min=SMALL), default=LARGE, show_default=True, help="Workloads at the end.")
@click.option("--runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs below the largest size.")
def main(*, most: int, runs: int) -> None:
    """Measure `kueuelift transform`."""
    sizes = sorted({size for size in (SMALL, MIDDLE, LARGE) if size < most} | {most})
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            found = list(rows(Path(folder), sizes, runs))
    except BedError as error:
        raise click.ClickException(str(error)) from error
    ours = {row.workloads: row.figures for row in found if row.command == OURS}
    click.echo(table(HEAD, [_cells(row, ours[row.workloads]) for row in found]))
    click.echo("")
    judged = verdicts(found)
    click.echo(table(VERDICTS, [verdict.cells for verdict in judged]))
    sys.exit(not all(verdict.held for verdict in judged))


def _cells(row: Row, ours: Figures) -> tuple[str, ...]:
    mine = row.figures
    return (
        f"{row.workloads:,}",
        row.command,
        f"{mine.seconds:.2f}",
        f"{mine.processor:.2f}",
        f"{mine.peak / 1e6:.0f}",
        f"{ours.processor / mine.processor:.2f}",
    )


if __name__ == "__main__":
    main(prog_name="python -m bench.transform")
