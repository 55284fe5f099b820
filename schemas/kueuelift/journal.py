"""The journal of an apply: append-only lines, on disk before what they announce is done."""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import orjson

from kueuelift import format_schema
from kueuelift.errors import RefusedError, UntrustedError

FILE_NAME = "journal.jsonl"
RECORD = "record.md"
RECORD_FOR_PROGRAMS = "record.json"
BACKUPS = "backups"
UNUSABLE = "unusable-"
"""What the name of a backup begins with that was given up for another one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One line."""

    at: str
    event: str
    """run-started, intent, batch, already-done, done, failed or run-ended."""
    step: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


class Journal:
    """Appends to one journal; each line is on disk when the call returns."""

    def __init__(self, folder: Path, now: Callable[[], str]) -> None:
        """`now` gives UTC in RFC 3339."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        self._now = now
        path = folder / FILE_NAME
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise RefusedError(f"{path}: another run writes to it at this moment; wait until it ends") from None
        _mend_last_line(path)

    def append(self, event: str, step: str = "", **detail: Any) -> None:
        """Write one line through to the disk."""
        line: dict[str, Any] = {"at": self._now(), "event": event}
        if step:
            line["step"] = step
        if detail:
            line["detail"] = detail
        format_schema.check("journal", line)
        os.write(self._descriptor, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(folder: Path) -> Iterator[Entry]:
    """The lines of a journal, oldest first; a last line cut off by a crash is left out."""
    path = folder / FILE_NAME
    if not path.exists():
        return
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            parsed = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise UntrustedError(
                f"{path}: line {number} is not JSON ({error}); move it away, the next run asks the cluster"
            ) from None
        format_schema.check("journal", parsed, path)
        yield Entry(
            at=parsed["at"], event=parsed["event"], step=parsed.get("step", ""), detail=parsed.get("detail", {})
        )


def is_cut_off(folder: Path) -> bool:
    """Whether a crash left a last line unfinished, which is not read."""
    return (folder / FILE_NAME).read_bytes()[-1:] not in {b"", b"\n"}


def has_record(folder: Path) -> bool:
    """Whether the evidence for the ticket has been made."""
    return (folder / RECORD).is_file()


def backups(folder: Path) -> list[Path]:
    """What was put aside before it was changed, by name: snapshots, and objects that were removed."""
    found = folder / BACKUPS
    return sorted(found.iterdir()) if found.is_dir() else []


def _mend_last_line(path: Path) -> None:
    """Cut off what a crash left of an unfinished line, so that the next one starts afresh."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
