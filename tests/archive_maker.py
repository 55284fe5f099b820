"""Makes archives as no writer of ours would: member by member, with whatever tar can say."""

import gzip
import io
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> Member:
    """A plain file, unless told otherwise."""
    described = tarfile.TarInfo(name)
    described.type, described.size = kind, len(content)
    return described, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> Member:
    """A link to somewhere else."""
    described, _ = member(name, b"", kind)
    described.linkname = target
    return described, b""


def members(archive: bytes) -> list[Member]:
    """What an archive holds."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return [(it, file.read() if (file := opened.extractfile(it)) else b"") for it in opened.getmembers()]


def packed(content: Sequence[Member], how: int = tarfile.PAX_FORMAT) -> bytes:
    """A .tar.gz of them."""
    return gzip.compress(tar(content, how), mtime=0)


def tar(content: Sequence[Member], how: int = tarfile.PAX_FORMAT) -> bytes:
    """The same, not compressed."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=how) as opened:
        for described, data in content:
            opened.addfile(described, io.BytesIO(data))
    return stream.getvalue()


def repack(archive: Path, change: Callable[[list[Member]], Sequence[Member]]) -> None:
    """Change an archive in place."""
    archive.write_bytes(packed(change(members(archive.read_bytes()))))


def altered(content: list[Member]) -> list[Member]:
    """One bit of one object is another."""
    changed = []
    for described, data in content:
        flip = described.name.endswith("objects/clusterqueues/shared.yaml")
        changed.append((described, bytes([data[0] ^ 1]) + data[1:] if flip else data))
    return changed
