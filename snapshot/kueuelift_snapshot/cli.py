"""The `snapshot` command: words in, exit codes out; the story itself is in `collect`."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kueuelift.cli_options import cluster_options
from kueuelift.errors import PartlyDoneError
from kueuelift.redaction import KEY_FILE

if TYPE_CHECKING:
    from kueuelift_snapshot.collect import Captured


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Directory to write; must not exist."
)
@click.option(
    "--token-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Key of the tokens that hide secrets; else {KEY_FILE} beside DIR, made where there is none.",
)
@cluster_options
def snapshot(
    *, out: Path, kubeconfig: Path | None, context: str | None, request_timeout: float, token_key: Path | None
) -> None:
    """Read everything Kueue-related of a cluster into the sealed directory DIR.

    Nothing in the cluster is changed. Secrets become tokens before anything is written.
    """
    from kueuelift.progress import for_terminal  # noqa: PLC0415 - `--help` needs none of these
    from kueuelift_snapshot.cluster import open_cluster  # noqa: PLC0415
    from kueuelift_snapshot.collect import collect  # noqa: PLC0415
    from kueuelift_snapshot.patience import PatientApi  # noqa: PLC0415

    key = token_key or out.absolute().parent / KEY_FILE
    cluster = open_cluster(kubeconfig=kubeconfig, context=context, request_timeout=request_timeout or None)
    captured = collect(
        PatientApi(cluster, time.sleep),
        out,
        server=cluster.server,
        token_key=key,
        progress=for_terminal(),
        now=lambda: datetime.now(UTC),
    )
    click.echo("\n".join(_told(captured, key)))
    if not captured.complete:
        missing = ", ".join(failure.what for failure in captured.failures)
        raise PartlyDoneError(
            f"{out} is sealed but incomplete, without {missing}: do as the table says and take another snapshot"
        )


def _told(captured: "Captured", key: Path) -> Iterator[str]:
    from kueuelift.kinds import BY_PLURAL  # noqa: PLC0415 - as above

    yield f"snapshot  {captured.path}"
    yield f"digest    {captured.digest}"
    yield f"cluster   {captured.cluster['uid']} ({captured.cluster['version']})"
    yield f"complete  {'yes' if captured.complete else 'no'}"
    yield f"hidden    {captured.tokens} values behind tokens; key {key}"
    if not captured.installed:
        yield "kueue     not installed: the cluster has no CRD of kueue.x-k8s.io"
    if captured.unknown_crds:
        yield f"unknown   {', '.join(captured.unknown_crds)}: captured, their objects are not"
    if captured.lists:
        rows = [(BY_PLURAL[plural].name, it.version, str(it.count)) for plural, it in captured.lists.items()]
        yield ""
        yield from _table(("KIND", "VERSION", "OBJECTS"), rows)
    if captured.helm_records:
        releases = [
            (
                f"{record.namespace}/{record.release}",
                str(record.revision),
                record.status,
                f"{record.chart_name} {record.chart_version}",
            )
            for record in captured.helm_records
        ]
        yield ""
        yield from _table(("HELM RELEASE", "REVISION", "STATUS", "CHART"), releases)
    if captured.failures:
        yield ""
        yield from _table(
            ("MISSING", "REASON", "REMEDY"), [(it.what, it.reason, it.remedy) for it in captured.failures]
        )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
