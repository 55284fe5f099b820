"""`kueuelift transform`: files in, a plan out; results on standard output, progress on standard error."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kueuelift_transform.transform import Outcome


@click.command()
@click.argument("snapshot", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The plan directory to write; it must not exist."
)
@click.option("--to", "release", required=True, metavar="RELEASE", help="The Kueue release to move to, such as 0.17.0.")
@click.option("--target", required=True, metavar="NAME", help="Who owns the installation, such as helm.")
@click.option(
    "--chart",
    "charts",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE.tgz",
    help="The chart of the release to move to.",
)
@click.option(
    "--fix", is_flag=True, help="Plan the mending of what the target refuses, where it is certain what was meant."
)
def transform(snapshot: Path, out: Path, release: str, target: str, charts: tuple[Path, ...], *, fix: bool) -> int:
    """Make a plan from SNAPSHOT; reads files only and needs no network.

    Exit code 1 where the plan was refused, or made but cannot be applied: the findings say why.
    """
    from kueuelift import progress  # noqa: PLC0415 - start-up: the other commands need none of this
    from kueuelift_transform.transform import Request  # noqa: PLC0415 - as above
    from kueuelift_transform.transform import transform as make  # noqa: PLC0415 - as above

    helm = shutil.which("helm")
    request = Request(
        snapshot=snapshot,
        out=out,
        release=release,
        target=target,
        charts=charts,
        fix=fix,
        helm=Path(helm) if helm else None,
    )
    outcome = make(request, progress.for_terminal())
    for line in _summary(out, outcome):
        click.echo(line)
    return 0 if outcome.view.applicable else 1


def _summary(out: Path, outcome: "Outcome") -> Iterator[str]:
    view = outcome.view
    counts = ", ".join(f"{count} {plural}" for plural, count in view.ledger.counts.items() if count) or "none"
    severities = Counter(str(finding.severity) for finding in view.findings)
    yield f"plan      {out}"
    yield f"digest    {outcome.digest}"
    yield f"way       {view.source} -> {view.release}, target {view.target_name}"
    yield f"hops      {', '.join(f'{hop.name} ({hop.evidence})' for hop in view.hops)}"
    yield f"objects   {counts}"
    yield f"findings  {', '.join(f'{count} {severity}' for severity, count in sorted(severities.items())) or 'none'}"
    yield f"losses    {view.ledger.losses.lost or 'none'}"
    if view.applicable:
        yield f"next      kueuelift apply {out} --expect-digest {outcome.digest}"
        return
    reasons = [f"{finding.id} {finding.detail}" for finding in view.findings if finding.blocks]
    if not view.captured.snapshot.whole:
        reasons.append("the snapshot is not whole")
    yield f"not applicable: {'; '.join(reasons)}; see {out / 'REPORT.md'}"
