"""The Helm records of two snapshots, side by side, each as one value."""

from collections.abc import Iterator, Sequence
from typing import Any

from kueuelift.difference import Keyed, ListKey
from kueuelift.helm_record import HelmRecord
from kueuelift.meaning import meaning
from kueuelift.model import ObjectRef
from kueuelift.snapshot_dir import Snapshot

WHAT = "Helm release"

_SAME: dict[str, Any] = {}


def records(
    before: Snapshot, after: Snapshot, failed: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any] | None, dict[str, Any] | None]]:
    """Each revision by name, on both sides or on one; where both files are equal, twice the same value.

    A revision that one side has and the other could not read is left out.
    """
    places = [set(snapshot.helm_folders()) for snapshot in (before, after)]
    for folder in sorted(places[0] | places[1]):
        if before.hashes(folder) == after.hashes(folder):
            _verify(before, folder)
            _verify(after, folder)
            yield folder, _SAME, _SAME
            continue
        found = [
            snapshot.helm_record(folder) if folder in place else None
            for snapshot, place in zip((before, after), places, strict=True)
        ]
        record = found[1] or found[0]
        if record is not None and (all(found) or not _unreadable(record, failed)):
            one, other = (None if it is None else _value(it) for it in found)
            yield _name(record), one, other


def _verify(snapshot: Snapshot, folder: str) -> None:
    for path in snapshot.hashes(folder):
        with snapshot.sealed.stream(path):
            pass


def _unreadable(record: HelmRecord, failed: Sequence[str]) -> bool:
    own = f"{record.storage_namespace}/sh.helm.release.v1.{record.release}.v{record.revision}"
    return any(what in {"secrets", "configmaps"} or what.endswith(f" {own}") for what in failed)


def _name(record: HelmRecord) -> str:
    return (
        f"{record.full_name} revision {record.revision} ({record.status}, {record.chart_name} {record.chart_version})"
    )


def _value(record: HelmRecord) -> dict[str, Any]:
    """What a comparison goes through: values as they are, since null means something in them."""
    manifest = {ListKey(ObjectRef.of(obj)): meaning(obj, None) for obj in record.manifest}
    hooks = {ListKey(f"{hook.kind} {hook.name}"): hook.to_dict() for hook in record.hooks}
    return {
        **record.info(),
        "values": dict(record.values),
        "computed": dict(record.computed),
        "manifest": Keyed(manifest),
        "hooks": Keyed(hooks),
    }
