"""What a finished snapshot is told as, on the terminal."""

from collections.abc import Iterator
from pathlib import Path

from kueuelift.kinds import BY_PLURAL
from kueuelift.missing_text import missing
from kueuelift.text_table import labelled, listed, table
from kueuelift_snapshot.collect import Captured
from kueuelift_snapshot.files import CapturedFiles
from kueuelift_snapshot.namespaces import in_words


def told(captured: Captured, place: str, key: Path | None) -> Iterator[str]:
    """Where it lies, what it holds, and a table of what is missing with the rule that would allow it."""
    yield from labelled(_summary(captured, place, key))
    yield from _paragraph(
        table(
            ("KIND", "VERSION", "OBJECTS", "DELETING"),
            [
                (BY_PLURAL[plural].name, " ".join(it.versions) or it.version, it.count, it.deleting or "")
                for plural, it in captured.lists.items()
            ],
        )
    )
    yield from _paragraph(
        table(
            ("HELM RELEASE", "REVISION", "STATUS", "CHART"),
            [
                (it.full_name, it.revision, it.status, f"{it.chart_name} {it.chart_version}")
                for it in captured.helm_records
            ],
        )
    )
    yield from _paragraph(table(("AROUND KUEUE", "OBJECTS"), sorted(captured.parts.items())))
    yield from _paragraph(missing(captured.failures, captured.whole_role))


def _summary(captured: Captured, place: str, key: Path | None) -> Iterator[tuple[str, str]]:
    yield "snapshot", place
    yield "digest", captured.digest
    if captured.cluster["uid"]:
        yield "cluster", f"{captured.cluster['uid']} ({captured.cluster['version']})"
    yield "complete", "yes" if captured.complete else "no"
    yield "narrowed", f"{' '.join(captured.narrowed)}: can be transformed, not applied" if captured.narrowed else ""
    yield "hidden", f"{captured.tokens} values behind tokens; key {key or 'thrown away'}"
    if not captured.installed and captured.cluster["uid"]:
        yield "kueue", "not installed: the cluster has no CRD of kueue.x-k8s.io"
    if captured.unknown_crds:
        yield "unknown", f"{', '.join(captured.unknown_crds)}: captured, their objects are not"
    if isinstance(captured, CapturedFiles):
        yield from _skipped(captured)
    if captured.inconsistent:
        yield "moments", f"{listed(captured.inconsistent)}: went on at a later moment than the list began"
    if captured.unseen:
        yield "unseen", f"{listed(captured.unseen)}: listed for nobody; objects of them with a queue are not in here"
    yield "unchecked", in_words(captured.unchecked)


def _skipped(captured: CapturedFiles) -> Iterator[tuple[str, str]]:
    """What the files held that is not in the snapshot, or came more than once."""
    if captured.foreign:
        kinds = listed([f"{kind} {count}" for kind, count in captured.foreign.most_common()])
        yield "foreign", f"{captured.foreign.total()} objects of other kinds left out: {kinds}"
    if captured.unparsed:
        yield "unparsed", f"{len(captured.unparsed)} left aside: {listed([it.origin for it in captured.unparsed])}"
    if captured.repeated:
        yield "repeated", f"{captured.repeated} objects came again; the first form of each was taken"


def _paragraph(lines: Iterator[str]) -> Iterator[str]:
    """The lines after an empty one, nothing where there are none."""
    for number, line in enumerate(lines):
        if number == 0:
            yield ""
        yield line
