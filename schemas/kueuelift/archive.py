"""Archives: a sealed directory as one .tar.gz, the same bytes for the same directory; in armor it is lines of text.

Every command that reads a snapshot or plan reads its archive too; that is `sealed_tree`.
"""

import gzip
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kueuelift import plan_dir, snapshot_dir
from kueuelift.armor import ArmorWriter
from kueuelift.errors import RefusedError
from kueuelift.sealed import Sealed, refuse_inside_sealed
from kueuelift.unfinished import naming

_BLOCK = 512
_PIECE = 1 << 20
_LEVEL = 6


def write_archive(root: Path, stream: BinaryIO, *, armor: bool) -> None:
    """Write a snapshot or plan to a stream, a file at a time; `armor` writes it as lines of text.

    A ToolError where the directory is not in order; what is written until then has no end, so no reader takes it.
    """
    sealed = Sealed.open(root, snapshot_dir.FORMAT, plan_dir.FORMAT)
    if not armor:
        _compress(sealed, stream)
    else:
        lines = ArmorWriter(stream)
        _compress(sealed, lines)
        lines.end()
    stream.flush()


def refuse_archive_place(final: Path) -> None:
    """RefusedError where no archive can be written, so that nobody works for one in vain."""
    if final.exists() or final.is_symlink():
        raise RefusedError(f"{final}: exists already and is never overwritten; name another file or remove it")
    parent = final.absolute().parent
    if not parent.is_dir():
        raise RefusedError(f"{final}: its parent folder {parent} does not exist; make it, or name another place")
    refuse_inside_sealed(final)


def save_archive(root: Path, final: Path, *, armor: bool) -> None:
    """Write a snapshot's or plan's archive to a file, readable by its owner only, which is whole or not there."""
    refuse_archive_place(final)
    descriptor, name = tempfile.mkstemp(prefix=f".{final.name}.", suffix=".partial", dir=final.absolute().parent)
    try:
        with naming(final), os.fdopen(descriptor, "wb") as file:
            write_archive(root, file, armor=armor)
            os.fsync(file.fileno())
        Path(name).rename(final)
    finally:
        Path(name).unlink(missing_ok=True)


def _compress(sealed: Sealed, stream: BinaryIO | ArmorWriter) -> None:
    """One gzip member without name and time."""
    with gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=_LEVEL, mtime=0) as packed:
        for piece in _tar(sealed):
            packed.write(piece)


def _tar(sealed: Sealed) -> Iterator[bytes]:
    """The header first, then every file by its path, below a folder named as the directory; two blocks of zeros."""
    top = os.path.basename(os.path.abspath(sealed.root))  # noqa: PTH100, PTH119 - `..` is followed, symlinks are not
    header = sealed.format.header_name
    with sealed.tree.open(header) as file:
        yield from _member(f"{top}/{header}", file)
    for path in sorted(sealed.header["files"]):
        with sealed.stream(path) as file:
            yield from _member(f"{top}/{path}", file)
    yield bytes(2 * _BLOCK)


def _member(name: str, file: BinaryIO) -> Iterator[bytes]:
    """A header without owner and time, the content, zeros up to the next block."""
    described = tarfile.TarInfo(name)
    described.size = file.seek(0, os.SEEK_END)
    described.mode = 0o600
    file.seek(0)
    yield described.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")
    while piece := file.read(_PIECE):
        yield piece
    yield bytes(-described.size % _BLOCK)
