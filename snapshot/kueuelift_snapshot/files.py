"""The snapshot of files, told from top to bottom: read them, tell Kueue's objects from others, redact, seal."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL, GROUP
from kueuelift.manifest_stream import Broken, LeftAside, read_stream
from kueuelift.model import Failure, is_complete
from kueuelift.progress import Progress
from kueuelift.redaction import TokenKey
from kueuelift.secret_text import without_secrets
from kueuelift.snapshot_dir import writing_snapshot
from kueuelift.yaml_text import NotYamlError
from kueuelift_snapshot.collect import Captured
from kueuelift_snapshot.file_objects import FileObjects, Surrounding
from kueuelift_snapshot.file_surroundings import SURROUNDINGS
from kueuelift_snapshot.manifest_files import Text, read_files, shown
from kueuelift_snapshot.redaction import Redactor


@dataclass(frozen=True, kw_only=True, slots=True)
class CapturedFiles(Captured):
    """What a snapshot made of files holds, and what of them it does not."""

    foreign: Counter[str]
    """By kind (`Pod`, `Workload.scheduling.k8s.io`): objects that have nothing to do with Kueue."""
    unparsed: tuple[LeftAside, ...]
    """Documents that are no objects; the templates among them are failures too."""
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
    surroundings: Sequence[Surrounding] = SURROUNDINGS,
) -> CapturedFiles:
    """Make a sealed directory of the manifests below `paths`, `-` being `stdin`; it may be transformed, never applied.

    RefusedError names file, line and field of what is no YAML, of an object without its shape, and of one object of
    Kueue's in two forms that differ in more than what changes by itself. Templates and unreadable files are failures:
    the snapshot is there, without them.
    """
    began = now()
    with writing_snapshot(out) as writer:
        key = TokenKey.at(token_key) if token_key else TokenKey.throwaway()
        unparsed: list[LeftAside] = []
        with FileObjects(writer=writer, redactor=Redactor(key), surroundings=surroundings) as objects:
            _take(paths, stdin, objects, unparsed, progress)
        failures = [_without_secrets(failure) for failure in objects.all_failures()]
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
                "unparsed": [{"path": aside.origin, "reason": aside.reason} for aside in unparsed],
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
        unparsed=tuple(unparsed),
        repeated=objects.repeated,
    )


def _take(
    paths: Sequence[str], stdin: BinaryIO | None, objects: FileObjects, unparsed: list[LeftAside], progress: Progress
) -> None:
    """Read everything before anything is refused, so that all that is broken is told at once."""
    broken: list[NotYamlError] = []
    with progress.task("files") as task:
        for file in read_files(paths, stdin):
            if isinstance(file, Text):
                _read(file, objects, unparsed, broken)
            elif isinstance(file, Failure):
                objects.failures.append(file)
            else:
                unparsed.append(_aside(file))
            task.advance()
    for aside in unparsed:
        progress.say(f"{aside.origin}: left aside; {aside.reason}")
    for error in broken[1:]:
        progress.say(without_secrets(str(error)))
    if broken:
        more = f" (and {len(broken) - 1} more, told above)" if len(broken) > 1 else ""
        raise RefusedError(f"{without_secrets(str(broken[0]))}{more}")


def _read(file: Text, objects: FileObjects, unparsed: list[LeftAside], broken: list[NotYamlError]) -> None:
    try:
        for part in read_stream(file.content, file.origin):
            if isinstance(part, Broken):
                broken.append(part.error)
            elif isinstance(part, LeftAside):
                unparsed.append(_aside(part))
                if part.remedy:
                    objects.failures.append(Failure(what=part.origin, reason=part.reason, remedy=part.remedy))
            else:
                objects.take(part)
    except NotYamlError as error:
        broken.append(error)
    except RefusedError as error:
        raise RefusedError(without_secrets(str(error))) from None


def _aside(aside: LeftAside) -> LeftAside:
    return replace(aside, origin=without_secrets(aside.origin), reason=without_secrets(aside.reason))


def _without_secrets(failure: Failure) -> Failure:
    """As it may be told and kept: reasons repeat what was read."""
    return replace(failure, what=without_secrets(failure.what), reason=without_secrets(failure.reason))
