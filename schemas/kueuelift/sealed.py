"""Sealed directories: written once, named by a digest, verified on reading.

A directory is made in a temporary sibling, its header last, then renamed. The header lists every other file with its
SHA-256; the SHA-256 of the canonical header without its `volatile` block is the directory's digest. What is read may
lie in a folder or in an archive of it.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from kueuelift import format_schema
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.sealed_tree import FolderTree, Tree, open_tree, sha256_of
from kueuelift.unfinished import unfinished_folder

_LARGEST_READ = 256 << 20
"""Of a header, or of a file that is read whole: a hundred times what etcd lets an object be."""
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
        whole: dict[str, Any] = {**header, "format": self.format.identifier, "files": _hashes(FolderTree(self.root))}
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
    with unfinished_folder(final) as root:
        yield Writer(root=root, final=final, format=directory_format)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sealed:
    """A directory whose header, tree and digest are in order; the bytes of a file are verified when they are read."""

    tree: Tree
    header: Mapping[str, Any]
    format: Format

    @classmethod
    def open(cls, root: Path, first: Format, *others: Format) -> Self:
        """Verify the header and the names of all files; UntrustedError names what is wrong.

        `root` is a directory of one of the formats, or an archive; which of them, is seen from what lies there.
        """
        formats = (first, *others)
        tree = open_tree(root, " or ".join(known.name for known in formats))
        directory_format = next((known for known in formats if tree.holds(known.header_name)), first)
        header = read_header(tree, directory_format)
        problem = next(tree_problems(tree, directory_format.header_name, set(header["files"])), None)
        if problem:
            raise UntrustedError(problem)
        return cls(tree=tree, header=header, format=directory_format)

    @property
    def root(self) -> Path:
        """The directory or archive, as the operator named it: for messages, and to put things beside it."""
        return self.tree.root

    def where(self, path: str) -> str:
        """What a message calls one file: `plan/diff.txt`, `plan.tar.gz: diff.txt`."""
        return self.tree.where(path)

    @property
    def digest(self) -> str:
        """`sha256:…`, as the ticket names it."""
        return str(self.header["digest"])

    def names(self, folder: str) -> list[str]:
        """The paths of all files below a folder, sorted."""
        prefix = f"{folder.rstrip('/')}/"
        return sorted(path for path in self.header["files"] if path.startswith(prefix))

    def read(self, path: str) -> bytes:
        """The verified content of one file, which must fit into memory; lines are streamed."""
        with self.stream(path) as file:
            return _whole(file, self.where(path))

    @contextmanager
    def stream(self, path: str) -> Iterator[BinaryIO]:
        """One file, verified in a first pass, to be read in pieces."""
        if path not in self.header["files"]:
            raise UntrustedError(f"{self.root}: the header lists no file {path}; take it from its source again")
        with self.tree.open(path) as file:
            found = sha256_of(file)
            if found != self.header["files"][path]:
                raise UntrustedError(
                    f"{self.where(path)}: altered after sealing (SHA-256 {found[:12]}…, the header says "
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
    """Nothing is written below a sealed directory, which would no longer be what its header says, or below a file."""
    for folder in place.absolute().parents:
        if folder.is_file():
            raise RefusedError(f"{place}: {folder} is a file, not a folder; name a place beside it")
        for name in ("snapshot", "plan"):
            header = folder / f"{name}.json"
            if header.is_file() and f'"format": "kueuelift.{name}/'.encode() in header.read_bytes():
                raise RefusedError(f"{place}: lies inside the sealed {name} {folder}; name a place outside of it")


def _refuse_existing(final: Path) -> None:
    if final.exists() or final.is_symlink():
        raise RefusedError(f"{final}: exists already and is never overwritten; name another directory or remove it")


def read_header(tree: Tree, directory_format: Format) -> dict[str, Any]:
    """The header, held against its format and its digest."""
    name = directory_format.header_name
    if not tree.holds(name):
        others = [name for name in ("snapshot", "plan") if tree.holds(f"{name}.json")]
        instead = f"it is a {others[0]}" if others else "the directory is not one, or is incomplete"
        raise UntrustedError(
            f"{tree.root}: has no header {name}, {instead}; give a sealed {directory_format.name} directory"
        )
    where = tree.where(name)
    with tree.open(name) as file:
        content = _whole(file, where)
    try:
        header: Any = orjson.loads(content)
        digest = digest_of(header) if isinstance(header, dict) else ""
    except (ValueError, TypeError) as error:
        problem = f"truncated or not JSON ({error}); take the directory from its source again"
        raise UntrustedError(f"{where}: {problem}") from None
    _check_format(where, header, directory_format)
    format_schema.check(directory_format.name, header, where)
    if header["digest"] != digest:
        raise UntrustedError(
            f"{where}: altered after sealing (digest {digest[:19]}…, not {header['digest'][:19]}…); "
            "take the directory from its source again"
        )
    return dict(header)


def _whole(file: BinaryIO, where: str) -> bytes:
    if file.seek(0, os.SEEK_END) > _LARGEST_READ:
        raise UntrustedError(f"{where}: larger than {_LARGEST_READ >> 20} MiB, as no such file is; see who made it")
    file.seek(0)
    return file.read()


def _check_format(where: str, header: Any, directory_format: Format) -> None:
    """Stop at an unknown version before anything else of the header is believed."""
    found = header.get("format") if isinstance(header, dict) else None
    if found == directory_format.identifier:
        return
    if re.fullmatch(rf"kueuelift\.{directory_format.name}/v\d+", str(found)):
        raise UntrustedError(
            f"{where}: format {found} is not known to this version, which reads {directory_format.identifier}; "
            "use the kueuelift that made the directory, or a newer one"
        )
    raise UntrustedError(
        f"{where}: format {str(found)[:80]!r} found, {directory_format.identifier} wanted; give another directory"
    )


def tree_problems(tree: Tree, header_name: str, listed: set[str]) -> Iterator[str]:
    """A sentence for each file that the header does not list, then for each listed one that is missing."""
    found = set(tree.files()) - {header_name}
    for path in sorted(found - listed):
        yield f"{tree.where(path)}: not listed in {header_name}; remove it, or take the directory again"
    for path in sorted(listed - found):
        yield f"{tree.where(path)}: listed in {header_name} but missing; take the directory from its source again"


def _hashes(tree: Tree) -> dict[str, str]:
    hashes = {}
    for path in tree.files():
        with tree.open(path) as file:
            hashes[path] = sha256_of(file)
    return hashes
