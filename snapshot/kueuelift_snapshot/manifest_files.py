"""Files that may hold manifests: those named, those in folders, standard input."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kueuelift.errors import RefusedError, UsageError, printable
from kueuelift.manifest_stream import LeftAside
from kueuelift.model import Failure
from kueuelift.secret_text import without_secrets

STDIN = "-"
SUFFIXES = frozenset({".yaml", ".yml", ".json"})
"""What is read in folders; a file that is named itself may be called anything."""

_LONGEST_PATH = 4096
_NO_FILE = "no plain file but a pipe, socket or device"


@dataclass(frozen=True, slots=True)
class Text:
    """The content of one file."""

    origin: str
    """The path as it may be shown."""
    content: bytes


Found = Text | LeftAside | Failure


def shown(path: str | Path) -> str:
    """A path fit for a terminal and a header: bytes that are no text are escaped, what could be secret is left out."""
    return without_secrets(printable(str(path), longest=_LONGEST_PATH))


def is_one_file(paths: Sequence[str]) -> bool:
    """Whether the paths name one text alone: a file, or standard input."""
    return len(paths) == 1 and not Path(paths[0]).is_dir()


def read_files(paths: Sequence[str], stdin: BinaryIO | None) -> Iterator[Found]:
    """Every file below the paths, in the order of their names; hidden ones in folders are passed over.

    A link is followed to files inside its folder only: others are told. What may not be read is a Failure. A pipe is
    read where it is named itself, as `<(…)` is. RefusedError where a path does not exist, is a socket or device, or
    where none holds a file; UsageError where `-` is named twice, or there is no standard input.
    """
    if paths.count(STDIN) > 1:
        raise UsageError(f"--from {STDIN}: standard input can be read once only; name it once")
    nothing = True
    for path in paths:
        for part in _standard_input(stdin) if path == STDIN else _named(Path(path)):
            nothing = False
            yield part
    if nothing:
        raise RefusedError(
            f"--from {' '.join(map(shown, paths))}: no file named {', '.join(sorted(SUFFIXES))} found; "
            "give a folder of manifests"
        )


def _standard_input(stdin: BinaryIO | None) -> Iterator[Found]:
    if stdin is None:
        raise UsageError(f"--from {STDIN}: standard input is closed; give it manifests, or name their files")
    yield Text("standard input", stdin.read())


def _named(path: Path) -> Iterator[Found]:
    if path.is_dir():
        yield from _below(path)
    elif path.is_file() or path.is_fifo():
        yield _read(path)
    elif path.exists():
        raise RefusedError(f"--from {shown(path)}: {_NO_FILE}; name a file, a folder, or {STDIN} for standard input")
    else:
        raise RefusedError(f"--from {shown(path)}: no such file or folder; give a path that exists")


def _below(top: Path) -> Iterator[Found]:
    """Every file of a folder; with a stack of its own, since folders may be nested deeper than calls."""
    root = top.resolve()
    waiting = [top]
    while waiting:
        path = waiting.pop()
        try:
            mode = path.lstat().st_mode
            if path is top or stat.S_ISDIR(mode):
                entries = sorted((it for it in path.iterdir() if not it.name.startswith(".")), reverse=True)
                waiting.extend(entries)
            elif path.suffix.lower() in SUFFIXES:
                yield from _found(path, mode, root)
        except OSError as error:
            yield _unread(path, error)


def _found(path: Path, mode: int, root: Path) -> Iterator[Found]:
    """What is called like a manifest, in a folder."""
    if stat.S_ISLNK(mode):
        try:
            target = path.resolve(strict=True)
            mode = target.stat().st_mode
        except RuntimeError:
            yield LeftAside(shown(path), "a link that leads back to itself")
            return
        except FileNotFoundError:
            yield LeftAside(shown(path), "a link that leads nowhere")
            return
        if not target.is_relative_to(root):
            yield LeftAside(shown(path), "a link that leads out of the folder, which is not followed")
            return
        if stat.S_ISDIR(mode):
            return
    if stat.S_ISREG(mode):
        yield _read(path)
    else:
        yield LeftAside(shown(path), f"{_NO_FILE}, which is not read")


def _read(path: Path) -> Text | Failure:
    try:
        return Text(shown(path), path.read_bytes())
    except OSError as error:
        return _unread(path, error)


def _unread(path: Path, error: OSError) -> Failure:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return Failure(what=shown(path), reason=reason, remedy="make it readable, or leave it out by naming the others")
