"""The `snapshot` command: words in, exit codes out; the stories themselves are in `collect` and `files`."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
@click.option("--no-workloads", is_flag=True, help="Leave Workloads out; no plan of it applies.")
@click.option("--no-running", is_flag=True, help="Leave Jobs, Pods and their like out.")
@click.option(
    "--token-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Key of the tokens that hide secrets; else {KEY_FILE} beside DIR or FILE, made where there is none.",
)
@click.option("--print-rbac", is_flag=True, help="Print the least ClusterRole for these options, and read nothing.")
@click.option("--print-job", is_flag=True, help="Print the manifests of a Job that takes the snapshot in the cluster.")
@click.option("--image", metavar="IMAGE", help="Image of that Job: one in which kueuelift is installed.")
@click.option("--token-key-secret", metavar="NAME", help=f"Secret with {KEY_FILE} for that Job, in its namespace.")
@cluster_options
@click.argument("more", nargs=-1, metavar="[PATH]…")
def snapshot(  # noqa: PLR0913 - one name an option
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

    scope = scope_of(namespaces=namespaces, kinds=kinds, workloads=not no_workloads, running=not no_running)
    if more and not sources:
        raise UsageError(f"{more[0]}: an argument too many; paths to read manifests from come after --from")
    if print_rbac or print_job:
        click.echo(_printed(scope, image=image, token_key_secret=token_key_secret, job=print_job), nl=False)
        return
    if image or token_key_secret:
        raise UsageError("--image and --token-key-secret belong to --print-job; leave them out")
    if sources and (scope.narrowed or scope.without):
        raise UsageError(f"{(scope.narrowed or ['--no-running'])[0]} narrows what is read of a cluster; leave it out")
    _check_places(out, archive, armor=armor)
    key = token_key or _key_beside(out, archive)

    def take(place: Path) -> "Captured":
        from kueuelift.progress import for_terminal  # noqa: PLC0415 - as above

        if sources:
            from kueuelift_snapshot.files import collect_files  # noqa: PLC0415

            return collect_files(
                (*sources, *more),
                place,
                token_key=key,
                stdin=sys.stdin.buffer,
                progress=for_terminal(),
                now=_now,
            )
        from kueuelift_snapshot.cluster import open_cluster  # noqa: PLC0415
        from kueuelift_snapshot.collect import collect  # noqa: PLC0415
        from kueuelift_snapshot.patience import PatientApi  # noqa: PLC0415

        cluster = open_cluster(kubeconfig=kubeconfig, context=context, request_timeout=request_timeout or None)
        return collect(
            PatientApi(cluster, time.sleep),
            place,
            server=cluster.server,
            token_key=key,
            progress=for_terminal(),
            now=_now,
            scope=scope,
        )

    _finish(_taken(take, out, archive, armor=armor), str(out or archive), key, to_stderr=archive == STANDARD)


def _now() -> datetime:
    return datetime.now(UTC)


def _printed(scope: "Scope", *, image: str | None, token_key_secret: str | None, job: bool) -> str:
    from kueuelift import yaml_text  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.job import manifests  # noqa: PLC0415
    from kueuelift_snapshot.rights import cluster_role  # noqa: PLC0415

    if not job:
        return yaml_text.dump(cluster_role(scope))
    if not image:
        raise UsageError("--print-job needs --image, the mirrored image in which kueuelift is installed")
    return manifests(image, scope, token_key_secret=token_key_secret)


def _check_places(out: Path | None, archive: str | None, *, armor: bool) -> None:
    if out is None and archive is None:
        raise UsageError("nowhere to write: give --out DIR, --archive FILE, or both")
    if armor and archive is None:
        raise UsageError("--armor says how to write an archive; give --archive FILE or --archive - with it")
    if archive == STANDARD and not armor and sys.stdout.isatty():
        raise UsageError("an archive is no text for a terminal; redirect standard output, or add --armor")


def _key_beside(out: Path | None, archive: str | None) -> Path | None:
    """The key's place where none is given; none for an archive that goes to standard output alone."""
    place = out or (Path(archive) if archive and archive != STANDARD else None)
    return place.absolute().parent / KEY_FILE if place else None


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
    from kueuelift_snapshot.told import told  # noqa: PLC0415 - `--help` needs none of these

    click.echo("\n".join(told(captured, place, key)), err=to_stderr)
    if not captured.complete:
        missing = ", ".join(failure.what for failure in captured.failures if not failure.foreign)
        raise PartlyDoneError(
            f"{place} is sealed but incomplete, without {missing}: do as the table says and take another snapshot"
        )
