"""The `snapshot` command: words in, exit codes out; the stories themselves are in `collect` and `files`."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kueuelift.cli_options import cluster_options
from kueuelift.errors import PartlyDoneError, UsageError
from kueuelift.redaction import KEY_FILE

if TYPE_CHECKING:
    from kueuelift_snapshot.collect import Captured
    from kueuelift_snapshot.scope import Scope

STANDARD = "-"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Directory to write; must not exist.")
@click.option(
    "--archive", metavar="FILE|-", help="Write the sealed directory as one .tar.gz, to a file or standard output."
)
@click.option("--armor", is_flag=True, help="Write the archive as text, which `kubectl logs` leaves as it is.")
@click.option("--from", "sources", multiple=True, metavar="PATH…|-", help="Read manifests instead of a cluster.")
@click.option(
    "--namespaces",
    multiple=True,
    metavar="NAME,…",
    help="Take namespaced objects of these only; no plan of it applies.",
)
@click.option("--kinds", multiple=True, metavar="KIND,…", help="Take these kinds of Kueue only; no plan of it applies.")
@click.option("--no-workloads", is_flag=True, help="Leave Workloads out, and what they own; no plan of it applies.")
@click.option("--no-running", is_flag=True, help="Leave Jobs, Pods and their like out.")
@click.option(
    "--token-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Key of the tokens that hide secrets; else {KEY_FILE} beside DIR or FILE, made where there is none.",
)
@click.option("--print-rbac", is_flag=True, help="Print the least ClusterRole for these options, and take no snapshot.")
@click.option("--print-job", is_flag=True, help="Print the manifests of a Job that takes the snapshot in the cluster.")
@click.option(
    "--discover",
    is_flag=True,
    help="With one of these two: ask the cluster for its custom kinds, and add them to the role; an object of any may"
    " have a queue.",
)
@click.option("--image", metavar="IMAGE", help="Image of that Job: one in which kueuelift is installed.")
@click.option("--token-key-secret", metavar="NAME", help=f"Secret with {KEY_FILE} for that Job, in its namespace.")
@cluster_options
@click.argument("more", nargs=-1, metavar="[PATH]…")
@click.pass_context
def snapshot(  # noqa: PLR0913 - one name an option
    ctx: click.Context,
    *,
    out: Path | None,
    archive: str | None,
    armor: bool,
    sources: tuple[str, ...],
    more: tuple[str, ...],
    namespaces: tuple[str, ...],
    kinds: tuple[str, ...],
    no_workloads: bool,
    no_running: bool,
    token_key: Path | None,
    print_rbac: bool,
    print_job: bool,
    discover: bool,
    image: str | None,
    token_key_secret: str | None,
    kubeconfig: Path | None,
    context: str | None,
    request_timeout: float,
) -> None:
    """Read everything Kueue-related of a cluster into the sealed directory DIR.

    Nothing in the cluster is changed. Secrets become tokens before anything is written. A snapshot that lacks something
    is sealed all the same, says what and which right would allow it, and exits with 3.

    With --from it is made of manifests: folders, files, `kubectl get -o yaml` output, must-gather trees, or - for
    standard input.
    """
    from kueuelift_snapshot.scope import scope_of  # noqa: PLC0415 - `--help` needs none of these

    _check_words(ctx)
    scope = scope_of(namespaces=namespaces, kinds=kinds, workloads=not no_workloads, running=not no_running)
    access = {"kubeconfig": kubeconfig, "context": context, "request_timeout": request_timeout}
    if print_rbac or print_job:
        role = _role(scope, access if discover else None)
        click.echo(_job(role, scope, image, token_key_secret) if print_job else role, nl=False)
        return
    _check_places(out, archive, armor=armor)
    key = token_key or _key_beside(out, archive)

    def take(place: Path) -> "Captured":
        if sources:
            return _of_files((*sources, *more), place, key)
        return _of_cluster(place, access, key, scope)

    _finish(_taken(take, out, archive, armor=armor), str(out or archive), key, to_stderr=archive == STANDARD)


_SCOPE = frozenset({"namespaces", "kinds", "no_workloads", "no_running"})
_PLACES = frozenset({"out", "archive", "armor", "token_key"})
_CLUSTER = frozenset({"kubeconfig", "context", "request_timeout"})
_FITTING = {
    "print_rbac": _SCOPE | {"discover"},
    "print_job": _SCOPE | {"discover", "image", "token_key_secret"},
    "sources": _PLACES | {"more"},
    "": _SCOPE | _PLACES | _CLUSTER,
}
"""What may be given with each way of using the command; the last is the usual one."""


_BELONGS = {
    "more": "paths to read manifests from come after --from",
    "discover": "it belongs to --print-rbac or --print-job",
}


def _check_words(ctx: click.Context) -> None:
    """UsageError where two words of the command do not go together."""
    named = {
        str(it.name): it.opts[0] if isinstance(it, click.Option) else it.make_metavar(ctx) for it in ctx.command.params
    }
    given = [name for name in named if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    way = next((way for way in _FITTING if way in given), "")
    if {"discover", "no_running"} <= set(given):
        raise UsageError(
            "--discover finds kinds of jobs, and --no-running leaves all of them out; leave one of them out"
        )
    fitting = _FITTING[way] | (_CLUSTER if "discover" in given else frozenset())
    odd = [name for name in given if name != way and name not in fitting]
    if odd and way:
        raise UsageError(f"{named[odd[0]]} does not go with {named[way]}; leave one of the two out")
    if odd:
        instead = _BELONGS.get(odd[0], "it belongs to --print-job")
        raise UsageError(f"{named[odd[0]]} is out of place: {instead}")


def _of_files(sources: Sequence[str], place: Path, key: Path | None) -> "Captured":
    from kueuelift.progress import for_terminal  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.files import collect_files  # noqa: PLC0415

    return collect_files(
        sources,
        place,
        token_key=key,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=for_terminal(),
        now=lambda: datetime.now(UTC),
    )


def _of_cluster(place: Path, access: dict[str, Any], key: Path | None, scope: "Scope") -> "Captured":
    from kueuelift.missing_text import missing  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.live import take_live  # noqa: PLC0415
    from kueuelift_snapshot.rights import MissingRightsError, whole_role  # noqa: PLC0415

    try:
        return take_live(place, **access, token_key=key, scope=scope)
    except MissingRightsError as error:
        click.echo("\n".join(missing(error.failures, whole_role(scope))), err=True)
        raise


def _role(scope: "Scope", access: dict[str, Any] | None) -> str:
    """The role as YAML; with the custom kinds of a cluster where there is access to one."""
    from kueuelift_snapshot.rights import role_text  # noqa: PLC0415 - `--help` needs none of these

    if access is None:
        return role_text(scope)
    from kueuelift_snapshot.live import served_kinds  # noqa: PLC0415

    return role_text(scope, served_kinds(**access))


def _job(role: str, scope: "Scope", image: str | None, token_key_secret: str | None) -> str:
    from kueuelift_snapshot.job import manifests  # noqa: PLC0415 - `--help` needs none of these

    if not image:
        raise UsageError("--print-job needs --image, the mirrored image in which kueuelift is installed")
    return manifests(image, scope, role, token_key_secret=token_key_secret)


def _check_places(out: Path | None, archive: str | None, *, armor: bool) -> None:
    if out is None and archive is None:
        raise UsageError("nowhere to write: give --out DIR, --archive FILE, or both")
    if out is not None and archive not in (None, STANDARD) and out.absolute() == Path(archive or "").absolute():
        raise UsageError(f"--out {out} and --archive {archive} are one place; give two")
    if armor and archive is None:
        raise UsageError("--armor says how to write an archive; give --archive FILE or --archive - with it")
    if archive == STANDARD and not armor and sys.stdout.isatty():
        raise UsageError("an archive is no text for a terminal; redirect standard output, or add --armor")


def _key_beside(out: Path | None, archive: str | None) -> Path | None:
    """The key's place where none is given; none for an archive that goes to standard output alone."""
    place = out or (Path(archive) if archive and archive != STANDARD else None)
    return place.parent / KEY_FILE if place else None


def _taken(take: Callable[[Path], "Captured"], out: Path | None, archive: str | None, *, armor: bool) -> "Captured":
    """Take the snapshot to its place, and its archive to the other; without DIR it lies in a private folder."""
    import tempfile  # noqa: PLC0415 - `--help` needs none of these

    from kueuelift.archive import refuse_archive_place, save_archive, write_archive  # noqa: PLC0415

    if archive and archive != STANDARD:
        refuse_archive_place(Path(archive))
    with tempfile.TemporaryDirectory(prefix="kueuelift-") as scratch:
        place = out or Path(scratch) / "snapshot"
        captured = take(place)
        if archive == STANDARD:
            write_archive(place, sys.stdout.buffer, armor=armor)
        elif archive:
            save_archive(place, Path(archive), armor=armor)
    return captured


def _finish(captured: "Captured", place: str, key: Path | None, *, to_stderr: bool) -> None:
    from kueuelift.text_table import listed  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.told import told  # noqa: PLC0415 - as above

    click.echo("\n".join(told(captured, place, key)), err=to_stderr)
    if not captured.complete:
        missing = listed([failure.what for failure in captured.failures if not failure.foreign])
        raise PartlyDoneError(
            f"{place} is sealed but incomplete, without {missing}: do as the table says and take another snapshot"
        )
