"""Files that may hold manifests: those named, those in folders, standard input."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kueuelift.errors import RefusedError, UsageError
from kueuelift.manifest_stream import LeftAside
from kueuelift.model import Failure

STDIN = "-"
SUFFIXES = frozenset({".yaml", ".yml", ".json"})
"""What is read in folders; a file that is named itself may be called anything."""


@dataclass(frozen=True, slots=True)
class Text:
    """The content of one file."""

    origin: str
    """The path as the operator would write it."""
    content: bytes


def read_files(paths: Sequence[str], stdin: BinaryIO) -> Iterator[Text | LeftAside | Failure]:
    """Every file below the paths, in the order of their names; hidden ones in folders are passed over.

    A link is followed to files inside its folder only: others are told. What may not be read is a Failure. RefusedError
    where a path does not exist, or where none holds a file; UsageError where `-` is named twice.
    """
    if paths.count(STDIN) > 1:
        raise UsageError(f"--from {STDIN}: standard input can be read once only; name it once")
    nothing = True
    for path in paths:
        if path == STDIN:
            found: Iterator[Text | LeftAside | Failure] = iter([Text("standard input", stdin.read())])
        elif Path(path).is_dir():
            found = _below(Path(path), Path(path).resolve())
        elif Path(path).exists():
            found = iter([_read(Path(path))])
        else:
            raise RefusedError(f"--from {path}: no such file or folder; give a path that exists")
        for part in found:
            nothing = False
            yield part
    if nothing:
        raise RefusedError(
            f"--from {' '.join(paths)}: no file named {', '.join(sorted(SUFFIXES))} found; give a folder of manifests"
        )


def _below(folder: Path, root: Path) -> Iterator[Text | LeftAside | Failure]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield _unread(folder, error)
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _below(entry, root)
        elif entry.suffix.lower() not in SUFFIXES:
            continue
        elif entry.is_symlink() and not entry.resolve().is_relative_to(root):
            yield LeftAside(str(entry), "a link that leads out of the folder, which is not followed")
        elif entry.is_file():
            yield _read(entry)


def _read(path: Path) -> Text | Failure:
    try:
        return Text(str(path), path.read_bytes())
    except OSError as error:
        return _unread(path, error)


def _unread(path: Path, error: OSError) -> Failure:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return Failure(what=str(path), reason=reason, remedy="make it readable, or leave it out by naming the others")
