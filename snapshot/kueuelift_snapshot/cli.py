"""The `snapshot` command: words in, exit codes out; the story itself is in `collect`."""

import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kueuelift.errors import PartlyDoneError

if TYPE_CHECKING:
    from kueuelift_snapshot.collect import Captured

TOKEN_KEY = "kueuelift-token.key"  # noqa: S105 - a file's name
"""Made beside the snapshot, never inside it."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Duration(click.ParamType[float]):
    """A length of time as kubectl takes it: `30s`, `1m30s`, plain seconds; `0` is no limit."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        text = str(value)
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
        if text.isdigit():
            return float(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            self.fail(f"{text!r} is no length of time; give it as 30s, 2m or 0", param, ctx)
        return sum(float(number) * _UNITS[unit] for number, unit in parts)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Directory to write; must not exist."
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Credentials; else KUBECONFIG, ~/.kube/config or the pod's own.",
)
@click.option("--context", metavar="NAME", help="Context of the kubeconfig; else its current one.")
@click.option(
    "--request-timeout",
    type=Duration(),
    default="60s",
    show_default=True,
    help="Longest silence of the server; 0 for no limit.",
)
@click.option(
    "--token-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Key of the tokens that hide secrets; else {TOKEN_KEY} beside DIR, made where there is none.",
)
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

    key = token_key or out.absolute().parent / TOKEN_KEY
    with _termination_as_interrupt():
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


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """A polite kill ends the run as Ctrl-C does: with nothing left on disk."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
