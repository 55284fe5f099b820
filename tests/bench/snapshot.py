"""`kueuelift snapshot` against `kubectl get workloads -A` on a cluster of its own; exit code 1 where a budget breaks.

All commands read the same cluster in turn, so that the ratios hold on any machine; the seconds are this machine's.
"""

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.programs import locate
from bench.crowd import Crowd
from bench.measured import Figures, measure
from bench.table import VERDICTS, Verdict, table
from bench.traffic import Traffic

SMALL, MIDDLE, LARGE = 1_000, 10_000, 100_000
"""Where growth is measured from, where the commands are compared, and where the snapshot is measured alone."""

SPEED = 4.0
"""How many times faster than kubectl's YAML at MIDDLE, at least."""
MEMORY = 0.1
"""Share of the memory of kubectl's YAML at MIDDLE, at most."""
GROWTH = 1.3
"""Peak at the largest size by the peak at SMALL, at most."""

OURS, YAML, JSON = "kueuelift snapshot", "kubectl -o yaml", "kubectl -o json"
_KUBECTL = {YAML: "yaml", JSON: "json"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One command at one size."""

    workloads: int
    command: str
    runs: Sequence[Figures]
    traffic: Traffic
    """Of one run."""

    @property
    def middle(self) -> Figures:
        """The medians."""
        return Figures.middle(self.runs)

    def cells(self, ours: Figures) -> tuple[str, ...]:
        """A row of the table, with what this command takes by what the snapshot takes."""
        mine, spread = self.middle, [run.seconds for run in self.runs]
        return (
            f"{self.workloads:,}",
            self.command,
            f"{mine.seconds:.2f}",
            f"{min(spread):.2f}-{max(spread):.2f}",
            f"{mine.processor:.2f}",
            f"{mine.peak / 1e6:.0f}",
            f"{self.traffic.requests}",
            f"{self.traffic.sent / 1e6:.1f}",
            f"{mine.seconds / ours.seconds:.2f}",
            f"{mine.processor / ours.processor:.2f}",
            f"{mine.peak / ours.peak:.2f}",
        )


HEAD = ("WORKLOADS", "COMMAND", "SECONDS", "FROM-TO", "CPU", "PEAK MB", "LISTS", "MB SENT", "xTIME", "xCPU", "xPEAK")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """A cluster and a folder for what the commands write."""

    cluster: ControlPlane
    folder: Path
    runs: int
    tell: Callable[[str], None]

    def rows(self, sizes: Sequence[int]) -> Iterator[Row]:
        """What each command takes at each size."""
        crowd = Crowd(self.cluster)
        for size in sizes:
            self.tell(f"{size:,} Workloads of {crowd.object_bytes:,} bytes in etcd")
            crowd.grow(size)
            if size <= MIDDLE:
                yield from self._in_turn(size)
            else:
                figures, traffic = self._counted(OURS)
                yield Row(workloads=size, command=OURS, runs=[figures], traffic=traffic)

    def _in_turn(self, size: int) -> Iterator[Row]:
        """All commands, one after the other, and again; the first round is not counted."""
        counted: dict[str, list[tuple[Figures, Traffic]]] = {command: [] for command in (OURS, YAML, JSON)}
        for turn in range(self.runs + 1):
            for command in counted:
                run = self._counted(command)
                counted[command] += [run] if turn else []
        for command, found in counted.items():
            yield Row(workloads=size, command=command, runs=[run for run, _ in found], traffic=found[-1][1])

    def _counted(self, command: str) -> tuple[Figures, Traffic]:
        before = Traffic.of(self.cluster.api)
        figures = self._run(command)
        return figures, Traffic.of(self.cluster.api).since(before)

    def _run(self, command: str) -> Figures:
        snapshot = self.folder / "snapshot"
        words: list[str | Path] = [sys.executable, "-m", "kueuelift", "snapshot", "--out", snapshot]
        if command in _KUBECTL:
            cache = f"--cache-dir={self.folder / 'cache'}"
            words = [self.cluster.programs.kubectl, cache, "get", "workloads", "-A", "-o", _KUBECTL[command]]
        shutil.rmtree(snapshot, ignore_errors=True)
        return measure(words, environment=self.cluster.environment(), out=self.folder / "out")


def verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The budgets of the sizes that were measured."""
    found: Mapping[tuple[int, str], Figures] = {(row.workloads, row.command): row.middle for row in rows}
    if (MIDDLE, YAML) in found:
        ours, theirs = found[MIDDLE, OURS], found[MIDDLE, YAML]
        speed, share = theirs.seconds / ours.seconds, ours.peak / theirs.peak
        yield Verdict(what=f"times faster than {YAML} at {MIDDLE:,}", found=speed, budget=SPEED, at_least=True)
        yield Verdict(what=f"share of its memory at {MIDDLE:,}", found=share, budget=MEMORY, at_least=False)
    largest = max(row.workloads for row in rows)
    growth = found[largest, OURS].peak / found[SMALL, OURS].peak
    yield Verdict(what=f"peak at {largest:,} by that at {SMALL:,}", found=growth, budget=GROWTH, at_least=False)


@click.command()
@click.option("--most", type=click.IntRange(min=SMALL), default=LARGE, show_default=True, help="Workloads at the end.")
@click.option("--runs", type=click.IntRange(min=1), default=3, show_default=True, help="Counted runs, up to 10,000.")
def main(*, most: int, runs: int) -> None:
    """Measure `kueuelift snapshot` against kubectl."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes = sorted({size for size in (SMALL, MIDDLE, LARGE) if size < most} | {most})
    rows: list[Row] = []
    try:
        with ControlPlane(locate()) as cluster, tempfile.TemporaryDirectory(prefix="bench-") as folder:
            tell = _to_standard_error
            rows.extend(Bench(cluster=cluster, folder=Path(folder), runs=runs, tell=tell).rows(sizes))
    except BedError as error:
        _tell(rows)
        raise click.ClickException(f"not all sizes could be measured: {error}") from error
    if not all(verdict.held for verdict in _tell(rows)):
        sys.exit(1)


def _tell(rows: Sequence[Row]) -> list[Verdict]:
    """Print what was measured, and the budgets."""
    ours = {row.workloads: row.middle for row in rows if row.command == OURS}
    judged = list(verdicts(rows)) if rows else []
    click.echo(table(HEAD, [row.cells(ours[row.workloads]) for row in rows]))
    click.echo("")
    click.echo(table(VERDICTS, [verdict.cells for verdict in judged]))
    return judged


def _to_standard_error(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main(prog_name="python -m bench.snapshot")
