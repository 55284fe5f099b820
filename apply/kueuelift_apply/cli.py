"""The commands `kueuelift apply` and `kueuelift verify`."""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kueuelift.cli_options import Duration, cluster_options
from kueuelift.errors import UntrustedError, UsageError

if TYPE_CHECKING:
    from kueuelift.plan_dir import Plan
    from kueuelift_apply.live import Live


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--phase", default="all", show_default=True, metavar="NAME", help="Run one phase of the plan only.")
@click.option("--dry-run", type=click.Choice(["client"]), help="client: print what would be done, from the plan alone.")
@click.option("--expect-digest", metavar="sha256:…", help="The plan's digest as the ticket approves it.")
@click.option("--timeout", type=Duration(), default="60m", show_default=True, help="For the whole run.")
@click.option("--journal", type=click.Path(path_type=Path), help="Folder of journal and record; default: PLAN.journal.")
@click.option(
    "--accept-drift",
    multiple=True,
    metavar="NAME",
    help="An object that may differ from the snapshot; repeat for more.",
)
@cluster_options
def apply(plan: Path, phase: str, dry_run: str | None, expect_digest: str | None, **options: Any) -> int:
    """Carry PLAN to the cluster, step by step; run it again to resume.

    Shows server, context and cluster first. Without --expect-digest it asks for the digest's first eight characters.
    """
    from kueuelift.plan_dir import Plan  # noqa: PLC0415 - `--help` needs none of it
    from kueuelift.progress import for_terminal  # noqa: PLC0415 - as above
    from kueuelift_apply import apply as story  # noqa: PLC0415 - as above

    opened = Plan.open(plan)
    if expect_digest is not None:
        _refuse_other_digest(opened, expect_digest)
    if dry_run:
        _print_steps(opened, phase)
        return 0
    story.refuse_inapplicable(opened)
    live = _connect(options)
    _show(opened, live)
    story.refuse_other_cluster(opened, live)
    if expect_digest is None:
        _ask_for_digest(opened)
    click.echo(f"plan:    {opened.digest}", err=True)
    wish = story.Wish(
        phase=phase, seconds=options["timeout"], journal=options["journal"], accepted_drift=options["accept_drift"]
    )
    outcome = story.apply(opened, live, wish, for_terminal())
    click.echo("nothing is left to do" if outcome.nothing_left else f"done: {', '.join(outcome.done)}")
    click.echo(f"record: {outcome.record}")
    return 0


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the result.",
)
@cluster_options
def verify(plan: Path, output: str, **options: Any) -> int:
    """Check that the cluster is as PLAN says: controller, stored versions, every object with its uid and content."""
    from kueuelift.plan_dir import Plan  # noqa: PLC0415 - `--help` needs none of it
    from kueuelift_apply import apply as story  # noqa: PLC0415 - as above
    from kueuelift_apply import verification  # noqa: PLC0415 - as above

    opened = Plan.open(plan)
    live = _connect(options)
    story.refuse_other_cluster(opened, live)
    found = list(verification.checks(opened, live))
    if output == "json":
        click.echo(json.dumps([check.to_dict() for check in found], indent=2))
    else:
        for check in found:
            click.echo(f"{'ok    ' if check.passed else 'FAILED'}  {check.name:<28} {check.counted}")
            for problem in check.problems:
                click.echo(f"        {problem}")
    failed = verification.problems(found)
    if failed:
        click.echo(f"error: {len(failed)} problems, first {failed[0]}; mend them or see the record of apply", err=True)
    return 1 if failed else 0


def _connect(options: dict[str, Any]) -> "Live":
    from kueuelift_apply.live import Access, Live  # noqa: PLC0415 - brings the kubernetes client, 400 ms

    return Live.connect(
        Access(kubeconfig=options["kubeconfig"], context=options["context"], request_timeout=options["request_timeout"])
    )


def _show(plan: "Plan", live: "Live") -> None:
    click.echo(f"server:  {live.server}", err=True)
    click.echo(f"context: {live.context}", err=True)
    click.echo(f"cluster: {plan.cluster_uid} is what the plan is for", err=True)


def _refuse_other_digest(plan: "Plan", expected: str) -> None:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", expected):
        raise UsageError(f"--expect-digest {expected}: not a digest; write sha256:…, as plan.json has it")
    if expected != plan.digest:
        raise UntrustedError(
            f"{plan.sealed.root}: digest {plan.digest} found, {expected} approved; take the approved plan"
        )


def _ask_for_digest(plan: "Plan") -> None:
    if not sys.stdin.isatty():
        raise UntrustedError(f"{plan.sealed.root}: not approved; give --expect-digest sha256:… as the ticket names it")
    wanted = plan.digest.removeprefix("sha256:")[:8]
    answer = click.prompt("first eight characters of the approved plan's digest", err=True)
    if answer.strip().removeprefix("sha256:") != wanted:
        raise UntrustedError(
            f"{plan.sealed.root}: digest begins {wanted}, {answer.strip()!r} approved; nothing was done"
        )


def _print_steps(plan: "Plan", phase: str) -> None:
    from kueuelift_apply.apply import selected  # noqa: PLC0415 - `--help` needs none of it

    steps = selected(plan, phase)
    for known in plan.phases:
        mine = [step for step in steps if step.phase == known.name]
        if mine:
            click.echo(f"phase {known.name}: {known.title}")
        for step in mine:
            click.echo(f"  {step.id}: {step.title}")
            for name, value in step.arguments.items():
                click.echo(f"      {name}: {json.dumps(value, sort_keys=True)}")
    click.echo(f"plan: {plan.digest}")
    click.echo("nothing was done (dry run)")
