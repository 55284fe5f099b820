"""Sealed directories: written once, named by a digest, verified on reading.

A directory is made in a temporary sibling, its header last, then renamed. The header lists every other file with its
SHA-256; the SHA-256 of the canonical header without its `volatile` block is the directory's digest.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Self

import orjson

from kueuelift import format_schema
from kueuelift.errors import RefusedError, UntrustedError

LONGEST_NAME = 200
"""Longer file names are cut here and told apart by a hash: 255 bytes is what file systems give."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A kind of sealed directory and the version that is written."""

    name: str
    """`snapshot`: the format is `kueuelift.snapshot/v1`, the header `snapshot.json`."""
    version: int

    @property
    def identifier(self) -> str:
        """What stands in the header's `format`."""
        return f"kueuelift.{self.name}/v{self.version}"

    @property
    def header_name(self) -> str:
        """The header's file name."""
        return f"{self.name}.json"


def canonical_json(value: Any) -> bytes:
    """Sorted keys, two spaces, one newline at the end: the same value always gives the same bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def file_name(name: str, suffix: str = "") -> str:
    """A file name for a Kubernetes name: odd characters percent-encoded, long names cut and hashed."""
    encoded = re.sub(r"[^A-Za-z0-9._-]", lambda odd: "".join(f"%{byte:02X}" for byte in odd[0].encode()), name)
    if not encoded.strip("."):
        encoded = encoded.replace(".", "%2E")
    if len(encoded) + len(suffix) > LONGEST_NAME:
        end = f"-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        encoded = encoded[: LONGEST_NAME - len(end) - len(suffix)] + end
    return encoded + suffix


def digest_of(header: Mapping[str, Any]) -> str:
    """The digest that a ticket and `--expect-digest` name."""
    lasting = {key: value for key, value in header.items() if key not in {"volatile", "digest"}}
    return f"sha256:{hashlib.sha256(canonical_json(lasting)).hexdigest()}"


def sha256_of(file: BinaryIO) -> str:
    """The hash of the rest of a file, in hexadecimal."""
    running = hashlib.sha256()
    while block := file.read(1 << 20):
        running.update(block)
    return running.hexdigest()


@dataclass(kw_only=True, slots=True)
class Writer:
    """Writes one directory; nothing stands under the final name until it is sealed."""

    root: Path
    final: Path
    format: Format
    _folded: dict[str, str] = field(default_factory=dict)

    def place(self, path: str) -> str:
        """A relative path that no other file of the directory has, on file systems that ignore case too."""
        folded = path.casefold()
        if self._folded.setdefault(folded, path) == path:
            return path
        stem, dot, suffix = path.rpartition(".")
        told_apart = f"{stem}~{hashlib.sha256(path.encode()).hexdigest()[:8]}{dot}{suffix}"
        self._folded[told_apart.casefold()] = told_apart
        return told_apart

    def write(self, path: str, content: bytes | str) -> str:
        """Write one file, readable by its owner only; returns the path it was given."""
        placed = self.place(path)
        with self.open(placed) as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return placed

    @contextmanager
    def open(self, path: str, *, append: bool = False) -> Iterator[BinaryIO]:
        """Open one file for writing in pieces, or for going on with it."""
        target = self.root / path
        self._make_folder(target.parent)
        how = os.O_APPEND if append else os.O_TRUNC
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | how, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())

    def _make_folder(self, folder: Path) -> None:
        """For its owner only, each one on the way: `mkdir` gives its mode to the last one alone."""
        if not folder.is_dir():
            self._make_folder(folder.parent)
            folder.mkdir(mode=0o700)

    def discard(self, folder: str) -> None:
        """Take back everything below a folder, as if it had never been written."""
        shutil.rmtree(self.root / folder, ignore_errors=True)
        below = f"{folder.casefold()}/"
        for folded in [folded for folded in self._folded if folded.startswith(below)]:
            del self._folded[folded]

    def seal(self, header: Mapping[str, Any], volatile: Mapping[str, Any]) -> str:
        """Write the header and give the directory its final name; returns the digest."""
        whole: dict[str, Any] = {**header, "format": self.format.identifier, "files": _hashes(self.root)}
        whole["digest"] = digest_of(whole)
        whole["volatile"] = dict(volatile)
        format_schema.check(self.format.name, whole)
        with self.open(self.format.header_name) as file:
            file.write(canonical_json(whole))
        _refuse_existing(self.final)
        self.root.rename(self.final)
        return str(whole["digest"])


@contextmanager
def writing(final: Path, directory_format: Format) -> Iterator[Writer]:
    """A writer for `final`, which must not exist; what was not sealed is removed again, whatever happens."""
    _refuse_existing(final)
    if not final.absolute().parent.is_dir():
        raise RefusedError(
            f"{final}: its parent folder {final.absolute().parent} does not exist; make it, or name another place"
        )
    refuse_inside_sealed(final)
    root = Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".partial", dir=final.absolute().parent))
    try:
        yield Writer(root=root, final=final, format=directory_format)
    finally:
        if root.exists():
            shutil.rmtree(root)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sealed:
    """A directory whose header, tree and digest are in order; the bytes of a file are verified when they are read."""

    root: Path
    header: Mapping[str, Any]

    @classmethod
    def open(cls, root: Path, directory_format: Format) -> Self:
        """Verify the header and the names of all files; UntrustedError names what is wrong."""
        header = _read_header(root, directory_format)
        _check_tree(root, directory_format.header_name, set(header["files"]))
        return cls(root=root, header=header)

    @property
    def digest(self) -> str:
        """`sha256:…`, as the ticket names it."""
        return str(self.header["digest"])

    def names(self, folder: str) -> list[str]:
        """The paths of all files below a folder, sorted."""
        prefix = f"{folder.rstrip('/')}/"
        return sorted(path for path in self.header["files"] if path.startswith(prefix))

    def read(self, path: str) -> bytes:
        """The verified content of one file."""
        with self.stream(path) as file:
            return file.read()

    @contextmanager
    def stream(self, path: str) -> Iterator[BinaryIO]:
        """One file, verified in a first pass, to be read in pieces."""
        if path not in self.header["files"]:
            raise UntrustedError(
                f"{self.root}: the header lists no file {path}; take the directory from its source again"
            )
        with (self.root / path).open("rb") as file:
            found = sha256_of(file)
            if found != self.header["files"][path]:
                raise UntrustedError(
                    f"{self.root / path}: altered after sealing (SHA-256 {found[:12]}…, the header says "
                    f"{self.header['files'][path][:12]}…); take the directory from its source again"
                )
            file.seek(0)
            yield file

    def verify(self) -> None:
        """Verify every byte of the directory."""
        for path in sorted(self.header["files"]):
            with self.stream(path):
                pass


def refuse_inside_sealed(place: Path) -> None:
    """Nothing is ever written below a sealed directory: it would no longer be what its header says."""
    for folder in place.absolute().parents:
        for name in ("snapshot", "plan"):
            header = folder / f"{name}.json"
            if header.is_file() and f'"format": "kueuelift.{name}/'.encode() in header.read_bytes():
                raise RefusedError(f"{place}: lies inside the sealed {name} {folder}; name a place outside of it")


def _refuse_existing(final: Path) -> None:
    if final.exists() or final.is_symlink():
        raise RefusedError(f"{final}: exists already and is never overwritten; name another directory or remove it")


def _read_header(root: Path, directory_format: Format) -> dict[str, Any]:
    path = root / directory_format.header_name
    if not root.is_dir():
        raise RefusedError(f"{root}: no such directory; give the path of a {directory_format.name}")
    if path.is_symlink() or not path.is_file():
        others = [name for name in ("snapshot", "plan") if (root / f"{name}.json").is_file()]
        instead = f"it is a {others[0]}" if others else "the directory is not one, or is incomplete"
        raise UntrustedError(
            f"{root}: has no header {path.name}, {instead}; give a sealed {directory_format.name} directory"
        )
    try:
        header = json.loads(path.read_bytes())
    except ValueError as error:
        raise UntrustedError(
            f"{path}: truncated or not JSON ({error}); take the directory from its source again"
        ) from None
    _check_format(path, header, directory_format)
    format_schema.check(directory_format.name, header, path)
    if header["digest"] != digest_of(header):
        raise UntrustedError(
            f"{path}: altered after sealing (digest {digest_of(header)[:19]}…, not {header['digest'][:19]}…); "
            "take the directory from its source again"
        )
    return dict(header)


def _check_format(path: Path, header: Any, directory_format: Format) -> None:
    """Stop at an unknown version before anything else of the header is believed."""
    found = header.get("format") if isinstance(header, dict) else None
    if found == directory_format.identifier:
        return
    newer = re.fullmatch(rf"kueuelift\.{directory_format.name}/v(\d+)", str(found))
    if newer:
        raise UntrustedError(
            f"{path}: format {found} is not known to this version, which reads {directory_format.identifier}; "
            "use the kueuelift that made the directory, or a newer one"
        )
    raise UntrustedError(
        f"{path}: format {found!r} found, {directory_format.identifier} wanted; give another directory"
    )


def _check_tree(root: Path, header_name: str, listed: set[str]) -> None:
    found: set[str] = set()
    for path in _walk(root):
        relative = path.relative_to(root).as_posix()
        if not stat.S_ISREG(path.lstat().st_mode):
            raise UntrustedError(f"{path}: a symlink or special file, which a sealed directory never holds; remove it")
        if relative != header_name:
            found.add(relative)
    for relative in sorted(found - listed):
        raise UntrustedError(f"{root / relative}: not listed in {header_name}; remove the extra file")
    for relative in sorted(listed - found):
        raise UntrustedError(
            f"{root / relative}: listed in {header_name} but missing; take the directory from its source again"
        )


def _walk(root: Path) -> Iterator[Path]:
    """Everything below a directory but its real folders; symlinks are yielded, never followed."""
    for entry in sorted(root.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        else:
            yield entry


def _hashes(root: Path) -> dict[str, str]:
    hashes = {}
    for path in _walk(root):
        with path.open("rb") as file:
            hashes[PurePosixPath(path.relative_to(root)).as_posix()] = sha256_of(file)
    return hashes
