"""The `diff` command: words in, exit codes out; what is compared, and how, is in `comparison`."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kueuelift.cli_options import cluster_options, output_option
from kueuelift.errors import PartlyDoneError, RefusedError, UsageError
from kueuelift.redaction import KEY_FILE, TokenKey

if TYPE_CHECKING:
    from kueuelift.snapshot_dir import Snapshot
    from kueuelift_snapshot.comparison_result import Comparison, Side
    from kueuelift_snapshot.scope import Scope

_COLOURS = {"+": "green", "-": "red", "~": "yellow", "=": "yellow"}
_LIVE = "the live cluster"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("before", type=click.Path(path_type=Path), metavar="A")
@click.argument("after", type=click.Path(path_type=Path), metavar="[B]", required=False)
@click.option(
    "--show-volatile", is_flag=True, help="Tell fields that change by themselves too, such as uids and times."
)
@click.option("--kinds", multiple=True, metavar="KIND,…", help="Compare these kinds of Kueue only, and nothing else.")
@click.option("--no-status", is_flag=True, help="Leave status out, but for the stored versions of CRDs.")
@output_option("Format of the result.")
@click.option(
    "--token-key",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help=f"Key of A's tokens, for the live cluster's; else {KEY_FILE} beside A where it is A's.",
)
@cluster_options
@click.pass_context
def diff(  # noqa: PLR0913 - one name an option
    ctx: click.Context,
    *,
    before: Path,
    after: Path | None,
    show_volatile: bool,
    kinds: tuple[str, ...],
    no_status: bool,
    output: str,
    token_key: Path | None,
    kubeconfig: Path | None,
    context: str | None,
    request_timeout: float,
) -> int:
    """Compare snapshot A with snapshot B, or with the live cluster, by meaning.

    Both may be directories or archives. 1000m is 1 where the field is a quantity, a default is as good as written, and
    null is absent. Order counts in lists, unless the CRD says otherwise. What changes by itself is hidden and counted.
    Secrets are compared by their tokens, if both snapshots were taken with one key, and never shown.

    The live cluster is read as A was taken: with its options, and in its versions where they are served. Objects of
    two versions are compared by their metadata and the fields that both versions have alike; the others are named.

    What one side has not read is not compared, nor what was found through it. Exit code 3 where that is because
    something failed, or where nothing differs but hidden values, under two keys, or fields were not compared.
    """
    from kueuelift.snapshot_dir import Snapshot  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.comparison import compare  # noqa: PLC0415
    from kueuelift_snapshot.comparison_result import Side  # noqa: PLC0415
    from kueuelift_snapshot.comparison_scope import narrowed  # noqa: PLC0415
    from kueuelift_snapshot.scope import Scope, kinds_of  # noqa: PLC0415

    wanted = kinds_of(kinds)
    one = Side(name=str(before), snapshot=Snapshot.open(before))
    if after is not None:
        _refuse_cluster_options(ctx)
        two = Side(name=str(after), snapshot=Snapshot.open(after))
        found = compare(one, two, show_volatile=show_volatile, status=not no_status, kinds=wanted)
        return _answer(found, output)
    key = _key(one.snapshot, before, token_key)
    scope = narrowed(Scope.as_in(one.snapshot.header), wanted)
    with _live(scope, key, kubeconfig=kubeconfig, context=context, timeout=request_timeout) as two:
        found = compare(one, two, show_volatile=show_volatile, status=not no_status, kinds=wanted)
        return _answer(found, output)


def _refuse_cluster_options(ctx: click.Context) -> None:
    for name in ("kubeconfig", "context", "request_timeout", "token_key"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(
                f"--{name.replace('_', '-')} has no meaning with two snapshots; leave it out, or leave out B to compare"
                " with the cluster"
            )


def _key(snapshot: "Snapshot", place: Path, named: Path | None) -> Path | None:
    """The file with the key of a snapshot's tokens; None where there is none, and no token can be compared."""
    wanted = snapshot.header["redaction"]["keyId"]
    beside = place.absolute().parent / KEY_FILE
    if named:
        if TokenKey.at(named).identity != wanted:
            raise RefusedError(
                f"--token-key {named}: not the key that {place} was taken with; name that one, or leave the option out"
            )
        return named
    return beside if beside.is_file() and TokenKey.at(beside).identity == wanted else None


@contextmanager
def _live(
    scope: "Scope", key: Path | None, *, kubeconfig: Path | None, context: str | None, timeout: float
) -> Iterator["Side"]:
    """The cluster as it is now, in a snapshot that is gone afterwards."""
    from kueuelift.snapshot_dir import Snapshot  # noqa: PLC0415 - as above
    from kueuelift_snapshot.comparison_result import Side  # noqa: PLC0415
    from kueuelift_snapshot.live import take_live  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="kueuelift-diff.") as folder:
        captured = take_live(
            Path(folder) / "live",
            kubeconfig=kubeconfig,
            context=context,
            request_timeout=timeout,
            token_key=key,
            scope=scope,
        )
        yield Side(name=_LIVE, snapshot=Snapshot.open(captured.path))


def _answer(comparison: "Comparison", output: str) -> int:
    """Print the comparison; its exit code, or an error where not all could be compared."""
    from kueuelift import yaml_text  # noqa: PLC0415 - as above
    from kueuelift_snapshot import comparison_text  # noqa: PLC0415

    if output == "json":
        click.echo(json.dumps(comparison_text.to_dict(comparison), indent=2, ensure_ascii=False))
    elif output == "yaml":
        click.echo(yaml_text.dump(comparison_text.to_dict(comparison)), nl=False)
    else:
        lines = comparison_text.text(comparison, lambda sign, line: click.style(line, fg=_COLOURS[sign]))
        click.echo("\n".join(lines), color=False if os.environ.get("NO_COLOR") else None)
    if comparison.exit_code == PartlyDoneError.exit_code:
        raise PartlyDoneError(comparison_text.shortcoming(comparison))
    return comparison.exit_code
