"""How Kubernetes objects lie in a sealed directory: configuration one a file, Workloads as compressed lines."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import orjson

from kueuelift import yaml_text
from kueuelift.errors import UntrustedError
from kueuelift.kinds import Kind
from kueuelift.model import KubernetesObject
from kueuelift.sealed import Sealed, Writer, file_name

_LEVEL = 4
"""Compression level: half the time of the default for a tenth more bytes."""
_LONGEST_LINE = 16 << 20
"""Of one object, in bytes: etcd takes 1.5 MiB unless told otherwise."""


def write_object(writer: Writer, folder: str, kind: Kind, obj: KubernetesObject) -> str:
    """Write `<folder>/<plural>/[<namespace>/]<name>.yaml`; returns its path."""
    metadata = obj["metadata"]
    namespace = f"{file_name(metadata['namespace'])}/" if kind.namespaced else ""
    return writer.write(
        f"{folder}/{kind.plural}/{namespace}{file_name(metadata['name'], '.yaml')}", yaml_text.dump(obj)
    )


def read_objects(sealed: Sealed, folder: str, kind: Kind) -> Iterator[KubernetesObject]:
    """The objects of one kind, by path; the object inside is the truth, not the file's name."""
    for path in sealed.names(f"{folder}/{kind.plural}"):
        yield read_object(sealed, path)


def read_object(sealed: Sealed, path: str) -> KubernetesObject:
    """The object in one file."""
    return _mapping(yaml_text.load(sealed.read(path), sealed.where(path)), sealed.where(path))


class LineFiles:
    """Writes `<folder>/<namespace>.jsonl.gz` while objects arrive, ordered by namespace or not."""

    def __init__(self, writer: Writer, folder: str, stack: ExitStack) -> None:
        self._writer, self._folder, self._stack = writer, folder, stack
        self._namespace: str | None = None
        self._file: gzip.GzipFile | None = None
        self._paths: dict[str, str] = {}

    def add(self, namespace: str, line: Any) -> str:
        """Append one line to the namespace's file; returns its path."""
        if namespace != self._namespace or self._file is None:
            self._switch(namespace)
        assert self._file is not None  # noqa: S101 - tells the type checker what _switch did
        self._file.write(orjson.dumps(line, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
        return self._paths[namespace]

    def _switch(self, namespace: str) -> None:
        """End the running file and open the namespace's; one ended before goes on as a further gzip member."""
        self._stack.close()
        self._namespace = namespace
        placed = self._paths.get(namespace)
        if placed is None:
            placed = self._paths[namespace] = self._writer.place(f"{self._folder}/{file_name(namespace, '.jsonl.gz')}")
        raw = self._stack.enter_context(self._writer.open(placed, append=True))
        self._file = self._stack.enter_context(
            gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=_LEVEL, mtime=0)
        )


@contextmanager
def line_files(writer: Writer, folder: str) -> Iterator[LineFiles]:
    """Line files below a folder; all are ended on leaving."""
    with ExitStack() as stack:
        yield LineFiles(writer, folder, stack)


def read_lines(sealed: Sealed, folder: str) -> Iterator[KubernetesObject]:
    """Every line of every line file below a folder, streamed, by path."""
    for path in sealed.names(folder):
        yield from read_line_file(sealed, path)


def read_line_file(sealed: Sealed, path: str) -> Iterator[KubernetesObject]:
    """Every line of one line file, streamed."""
    where = sealed.where(path)
    with sealed.stream(path) as raw, gzip.GzipFile(fileobj=raw) as lines:
        try:
            while line := lines.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise EOFError(f"a line of more than {_LONGEST_LINE >> 20} MiB")  # noqa: TRY301 - as one without end
                yield _mapping(orjson.loads(line), where)
        except (OSError, EOFError, zlib.error, orjson.JSONDecodeError) as error:
            raise UntrustedError(
                f"{where}: not readable as compressed JSON lines ({error}); take the directory from its source again"
            ) from None


def _mapping(value: Any, origin: str) -> KubernetesObject:
    if not isinstance(value, dict):
        raise UntrustedError(
            f"{origin}: {type(value).__name__} found, an object wanted; take the directory from its source again"
        )
    return value
