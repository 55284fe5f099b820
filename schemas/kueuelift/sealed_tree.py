"""The files of a sealed directory, as they lie in a folder or in an archive: only where they are, not what is right."""

import hashlib
import io
import os
import stat
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from kueuelift.armor import unarmored
from kueuelift.errors import RefusedError, UntrustedError, printable
from kueuelift.tar_members import Extent, extents

_GZIP = b"\x1f\x8b"
_GZIP_AND_ITS_HEADER = 31
"""zlib's word for: a gzip stream, header and checksum included."""
_PIECE = 1 << 20
_MOST_BYTES = 8 << 30
"""Of an archive, unpacked: the snapshot of a cluster with 100,000 Workloads has a hundredth of it."""
_FREE_BYTES = 64 << 20
_MOST_TIMES = 250
"""How many times larger than itself an archive may become, the first `_FREE_BYTES` left aside: text reaches 60."""


class Tree(Protocol):
    """The files of one directory."""

    @property
    def root(self) -> Path:
        """The directory or archive, as the operator named it."""

    def where(self, path: str) -> str:
        """What a message calls one file."""

    def files(self) -> Iterable[str]:
        """The paths of all files, header included, sorted; UntrustedError for what is no plain file."""

    def holds(self, path: str) -> bool:
        """Whether there is such a plain file."""

    def open(self, path: str) -> BinaryIO:
        """A file's bytes, not verified; it can be read again from its start."""


def open_tree(root: Path, what: str) -> Tree:
    """What lies at a path: a folder, a .tar.gz or one in armor. `what` is wanted: `snapshot`, `plan` or both.

    RefusedError where there is neither; UntrustedError where an archive is cut off, damaged or odd.
    """
    try:
        mode = root.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise RefusedError(f"{root}: no such directory or archive; give the path of a {what}") from None
    if stat.S_ISDIR(mode):
        return FolderTree(root)
    if stat.S_ISREG(mode):
        return ArchiveTree(root)
    raise RefusedError(f"{root}: neither a directory nor a plain file; give the path of a {what} or its archive")


class FolderTree:
    """A directory on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def where(self, path: str) -> str:
        """`snapshot/objects/clusterqueues/a.yaml`."""
        return printable(str(self.root / path))

    def files(self) -> Iterator[str]:
        """Every file, symlinks and special files refused and never followed."""
        for path, plain in sorted(self._entries(), key=lambda entry: entry[0].split("/")):
            if not plain:
                raise UntrustedError(
                    f"{self.where(path)}: a symlink or special file, which a sealed directory never holds; remove it"
                )
            yield path

    def holds(self, path: str) -> bool:
        """Whether there is such a plain file."""
        return (self.root / path).is_file() and not (self.root / path).is_symlink()

    def open(self, path: str) -> BinaryIO:
        """The file on disk."""
        return (self.root / path).open("rb")

    def _entries(self) -> Iterator[tuple[str, bool]]:
        """Everything but real folders, however deep, and whether it is a plain file."""
        folders = [""]
        while folders:
            folder = folders.pop()
            with os.scandir(self.root / folder) as entries:
                for entry in entries:
                    path = f"{folder}{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{path}/")
                    else:
                        yield path, entry.is_file(follow_symlinks=False)


class ArchiveTree:
    """An archive, decompressed once into a nameless file of its owner only; nothing is ever unpacked to a path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        tar = tempfile.TemporaryFile(prefix="kueuelift.")  # noqa: SIM115 - lives as long as the tree does
        self._close = weakref.finalize(self, tar.close)
        self._descriptor = tar.fileno()
        try:
            size = _decompress(root, tar)
            self._extents = extents(tar, size, root)
        except BaseException:
            self._close()
            raise

    def where(self, path: str) -> str:
        """`snapshot.tar.gz: objects/clusterqueues/a.yaml`."""
        return printable(f"{self.root}: {path}")

    def files(self) -> Iterable[str]:
        """Every file, below the archive's top folder."""
        return sorted(self._extents)

    def holds(self, path: str) -> bool:
        """Whether there is such a file."""
        return path in self._extents

    def open(self, path: str) -> BinaryIO:
        """The file's part of the archive; any number may be open, and read by any thread."""
        return io.BufferedReader(_Part(self, self._descriptor, self._extents[path]))


class _Part(io.RawIOBase):
    """One file of an archive."""

    def __init__(self, tree: ArchiveTree, descriptor: int, extent: Extent) -> None:
        self._tree = tree  # keeps the descriptor open
        self._descriptor, self._extent, self._position = descriptor, extent, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._extent.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), max(0, self._extent.size - self._position))
        found = os.pread(self._descriptor, wanted, self._extent.offset + self._position)
        buffer[: len(found)] = found
        self._position += len(found)
        return len(found)


def _decompress(root: Path, tar: BinaryIO) -> int:
    """Decompress a whole archive into `tar`; returns its size in bytes."""
    with root.open("rb") as file:
        is_gzip = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        pieces = iter(lambda: file.read(_PIECE), b"") if is_gzip else unarmored(file, root)
        try:
            size = sum(tar.write(piece) for piece in _decompressed(pieces, root))
            tar.flush()
        except zlib.error as error:
            raise UntrustedError(f"{root}: damaged ({error}); take the archive from its source again") from None
        except OSError as error:
            raise RefusedError(
                f"{root}: cannot be decompressed into {tempfile.gettempdir()} ({error.strerror}); "
                "name a roomier place with TMPDIR"
            ) from None
    return size


def _decompressed(pieces: Iterator[bytes], root: Path) -> Iterator[bytes]:
    """The content of one gzip stream, in pieces; refused where it is cut off, goes on behind its end, or is a bomb."""
    gunzip = zlib.decompressobj(_GZIP_AND_ITS_HEADER)
    taken = given = 0
    for piece in pieces:
        if gunzip.eof and piece:
            raise _trailing(root)
        taken += len(piece)
        waiting, found = piece, bytes(_PIECE)
        while waiting or len(found) == _PIECE:
            found = gunzip.decompress(waiting, _PIECE)
            waiting = gunzip.unconsumed_tail
            given += len(found)
            if given > _MOST_BYTES or given > _FREE_BYTES + taken * _MOST_TIMES:
                raise UntrustedError(
                    f"{root}: becomes more than {given >> 20} MiB from {taken >> 10} KiB, as no snapshot or plan does; "
                    "not read on, see who made the archive"
                )
            yield found
        if gunzip.unused_data:
            raise _trailing(root)
    if not gunzip.eof:
        raise UntrustedError(f"{root}: cut off before its end; take the archive from its source again")


def _trailing(root: Path) -> UntrustedError:
    return UntrustedError(f"{root}: something follows the end of the archive; take it from its source again")


def sha256_of(file: BinaryIO) -> str:
    """The hash of the rest of a file, in hexadecimal."""
    running = hashlib.sha256()
    while block := file.read(_PIECE):
        running.update(block)
    return running.hexdigest()
