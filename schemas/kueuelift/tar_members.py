"""Where the files of a tar lie, read strictly: plain files and folders below one top folder, and nothing else.

The standard library's reader is lenient where this must not be (a broken header ends the archive without a word) and
can be kept busy or filled up by odd headers; a snapshot's tar needs a fraction of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kueuelift.errors import UntrustedError, printable

_BLOCK = 512
_ZEROS = bytes(_BLOCK)
_LONGEST_EXTRA = 1 << 16
"""Bytes of an extended header."""
_MOST_HEADERS = 600_000
_MOST_NAME_BYTES = 64 << 20
"""Of all names together; both limits are ten times what a cluster of 10,000 namespaces needs."""

_FILE_TYPES = {b"0", b"\0"}
_FOLDER = b"5"
_PAX, _PAX_GLOBAL, _LONG_NAME = b"x", b"g", b"L"
_ODD_TYPES = {
    b"1": "a hard link",
    b"2": "a symlink",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"K": "a symlink",
    b"S": "a sparse file",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """Where the content of one file lies in the tar, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Member:
    name: str
    type: bytes
    extent: Extent


def extents(tar: BinaryIO, size: int, origin: Path) -> dict[str, Extent]:
    """Every file by its path below the top folder; UntrustedError for all but a plain, whole tar of `size` bytes."""
    found: dict[str, Extent] = {}
    tops: set[str] = set()
    named = 0
    for member in _members(tar, size, origin):
        top, path = _parts(member, origin)
        tops.add(top)
        if len(tops) > 1:
            raise _refusal(origin, member.name, f"a second top folder beside {printable(min(tops - {top}))}")
        if member.type == _FOLDER:
            continue
        if not path:
            raise _refusal(origin, member.name, "a file outside of any folder")
        if path in found:
            raise _refusal(origin, member.name, "stands twice in the archive")
        found[path] = member.extent
        named += len(path)
        if named > _MOST_NAME_BYTES:
            raise _too_many(origin)
    return found


def _parts(member: _Member, origin: Path) -> tuple[str, str]:
    """The top folder and the path below it."""
    name = member.name.removeprefix("./")
    if member.type == _FOLDER:
        name = name.rstrip("/")
    if member.name.startswith("/"):
        raise _refusal(origin, member.name, "an absolute name")
    if any(part in {"", ".", ".."} for part in name.split("/")):
        raise _refusal(origin, member.name, "a name that is no path below one folder")
    top, _, path = name.partition("/")
    return top, path


def _members(tar: BinaryIO, size: int, origin: Path) -> Iterator[_Member]:
    """Each file and folder, its extended headers taken into account."""
    offset = headers = 0
    long_name: str | None = None
    while True:
        headers += 1
        if headers > _MOST_HEADERS:
            raise _too_many(origin)
        tar.seek(offset)
        header = tar.read(_BLOCK)
        if len(header) < _BLOCK:
            raise _cut_off(origin)
        if header == _ZEROS:
            break
        kind, length = _checked(header, offset, origin)
        content = Extent(offset=offset + _BLOCK, size=length)
        offset = content.offset + -(-length // _BLOCK) * _BLOCK
        if offset > size:
            raise _cut_off(origin)
        if kind in {_PAX, _LONG_NAME}:
            if length > _LONGEST_EXTRA:
                raise _damaged(origin, content.offset)
            extra = tar.read(length)
            told = _pax_path(extra, origin) if kind == _PAX else _text(extra.rstrip(b"\0"), origin)
            long_name = told if told is not None else long_name
            continue
        if kind == _PAX_GLOBAL:
            continue
        name = _plain_name(header, origin) if long_name is None else long_name
        long_name = None
        if kind not in _FILE_TYPES | {_FOLDER}:
            raise _refusal(origin, name, f"{_ODD_TYPES.get(kind, 'a special file')}, which no archive of ours has")
        yield _Member(name=name, type=_FOLDER if name.endswith("/") else kind, extent=content)
    _check_end(tar, offset, size, origin)


def _checked(header: bytes, offset: int, origin: Path) -> tuple[bytes, int]:
    """Type and length of what a header describes."""
    try:
        wanted = _number(header[148:156])
        length = _number(header[124:136])
    except ValueError:
        raise _damaged(origin, offset) from None
    if wanted != sum(header[:148]) + sum(header[156:]) + 8 * ord(" "):
        raise _damaged(origin, offset)
    return header[156:157], length


def _number(field: bytes) -> int:
    """An octal number as tar pads it."""
    digits = field.strip(b" \0")
    if not digits.isdigit():
        raise ValueError(field)
    return int(digits, 8)


def _plain_name(header: bytes, origin: Path) -> str:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name, origin)


def _pax_path(extra: bytes, origin: Path) -> str | None:
    """The `path` of a pax header, `<length> <key>=<value>\\n` each; None where it says nothing about the path."""
    path = None
    while extra:
        digits, space, _ = extra.partition(b" ")
        length = int(digits) if digits.isdigit() and len(digits) < 7 else 0
        key, equals, value = extra[len(digits) + 1 : max(length - 1, 0)].partition(b"=")
        if not space or not equals or extra[length - 1 : length] != b"\n":
            raise UntrustedError(f"{origin}: damaged (an extended header); take the archive from its source again")
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise UntrustedError(f"{origin}: a sparse or oversized file, which no archive of ours has")
        path = _text(value, origin) if key == b"path" else path
        extra = extra[length:]
    return path


def _text(name: bytes, origin: Path) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise _refusal(origin, repr(name[:80]), "a name that is not UTF-8") from None


def _check_end(tar: BinaryIO, offset: int, size: int, origin: Path) -> None:
    """Two blocks of zeros end a tar, more may follow; anything else is a damage that hides what comes behind."""
    if size - offset < 2 * _BLOCK:
        raise _cut_off(origin)
    tar.seek(offset)
    while block := tar.read(1 << 20):
        if block.count(0) != len(block):
            raise UntrustedError(
                f"{origin}: something follows the end of the tar; take the archive from its source again"
            )


def _refusal(origin: Path, name: str, problem: str) -> UntrustedError:
    return UntrustedError(f"{origin}: {printable(name)}: {problem}; take the archive from its source again")


def _too_many(origin: Path) -> UntrustedError:
    return UntrustedError(f"{origin}: more files than any snapshot or plan has; not read on, see who made the archive")


def _damaged(origin: Path, offset: int) -> UntrustedError:
    return UntrustedError(f"{origin}: damaged (no tar header at byte {offset}); take the archive from its source again")


def _cut_off(origin: Path) -> UntrustedError:
    return UntrustedError(f"{origin}: the tar in it is cut off; take the archive from its source again")
