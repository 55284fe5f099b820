"""The snapshot of files, told from top to bottom: read them, tell Kueue's objects from others, redact, seal."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from kueuelift.kinds import BY_PLURAL, GROUP
from kueuelift.manifest_stream import LeftAside
from kueuelift.model import is_complete
from kueuelift.progress import Progress
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import writing_snapshot
from kueuelift_snapshot.collect import Captured
from kueuelift_snapshot.file_objects import FileObjects, Surroundings
from kueuelift_snapshot.file_reading import FileReading
from kueuelift_snapshot.file_surroundings import FileSurroundings
from kueuelift_snapshot.manifest_files import shown
from kueuelift_snapshot.redaction import Redactor


@dataclass(frozen=True, kw_only=True, slots=True)
class CapturedFiles(Captured):
    """What a snapshot made of files holds, and what of them it does not."""

    foreign: Counter[str]
    """By kind (`Pod`, `Workload.scheduling.k8s.io`): objects that have nothing to do with Kueue."""
    unparsed: tuple[LeftAside, ...]
    """Documents that are no objects; those that stand for some, as templates do, are failures too."""
    repeated: int
    """How many objects came again; the first form of each is in the snapshot."""


def collect_files(
    paths: Sequence[str],
    out: Path,
    *,
    token_key: Path | None,
    stdin: BinaryIO | None,
    progress: Progress,
    now: Callable[[], datetime],
    surroundings: Surroundings | None = None,
) -> CapturedFiles:
    """Make a sealed directory of the manifests below `paths`, `-` being `stdin`; it may be transformed, never applied.

    Templates, tables, unreadable files, what is no YAML and objects without their shape are failures that name file,
    line and field: the snapshot is there, without them. RefusedError where the only file is broken, where nothing
    holds an object, and for one object of Kueue's in two forms that differ in more than what changes by itself.
    """
    began = now()
    with writing_snapshot(out) as writer:
        key = TokenKey.at(token_key) if token_key else TokenKey.throwaway()
        with FileObjects(
            writer=writer, redactor=Redactor(key), surroundings=surroundings or FileSurroundings()
        ) as objects:
            reading = FileReading(objects=objects)
            reading.read(paths, stdin, progress)
            objects.take_rest()
        failures = [*reading.failures, *objects.failures()]
        lists = objects.closed_lists()
        header: dict[str, Any] = {
            "tool": f"kueuelift {version('kueuelift')}",
            "origin": "files",
            "cluster": {"uid": "", "version": ""},
            "lists": {plural: {**listing.to_dict(), "how": "files"} for plural, listing in lists.items()},
            "parts": dict(objects.parts),
            "failures": [failure.to_dict() for failure in failures],
            "unseen": [],
            "redaction": {"mode": "token", "keyId": key.identity, "paths": objects.hidden_paths()},
            "narrowed": ["--from"],
            "without": [] if any(part.startswith("running/") for part in objects.parts) else ["running"],
            "rights": [],
            "skipped": {
                "foreign": dict(objects.foreign),
                "unparsed": [{"path": aside.origin, "reason": aside.reason} for aside in reading.unparsed],
            },
            "complete": is_complete(failures),
        }
        ended = now()
        volatile = {
            "takenAt": began.isoformat(timespec="seconds"),
            "seconds": round((ended - began).total_seconds(), 1),
            "from": [shown(path) for path in paths],
        }
        digest = writer.seal(header, volatile)
    if not lists and not objects.crds:
        progress.say("no object of Kueue was found in what --from names; see that these are its manifests")
    return CapturedFiles(
        path=out,
        digest=digest,
        cluster=header["cluster"],
        installed=bool(objects.crds or lists),
        lists=lists,
        unknown_crds=tuple(f"{plural}.{GROUP}" for plural in sorted(objects.crds - BY_PLURAL.keys())),
        helm_records=tuple(objects.helm_records),
        parts=objects.parts,
        failures=tuple(failures),
        unseen=(),
        narrowed=("--from",),
        tokens=sum(sum(account.values()) for account in objects.hidden_paths().values()),
        foreign=objects.foreign,
        unparsed=tuple(reading.unparsed),
        repeated=objects.repeated,
    )
