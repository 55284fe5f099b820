"""The only reader and writer of YAML, with the meaning that Kubernetes gives it.

Texts are read as sigs.k8s.io/yaml reads them (dates stay text, `1e3` is a number, equal keys are an error) and written
so that every such reader gets the same value back. Only plain data is made, and no two places share a value. Refused
although Kubernetes might take it, since readers differ about it or nothing real has it:

- a key before a merge (`<<`) that has it too: YAML lets the key win, Kubernetes the merge;
- two keys that JSON makes equal (`1` and `"1"`), or the same key in two merges of one mapping;
- more than 200 levels; a `!!binary` that is not UTF-8.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from kueuelift import yaml_scalar
from kueuelift.errors import RefusedError
from kueuelift.yaml_tree import MisplacedError, Tree

_LONGEST_LINE = 1 << 20


class NotYamlError(RefusedError):
    """A text that is not YAML as Kubernetes reads it; nothing of the document it stands in is used."""

    def __init__(self, message: str, *, line: int, equal_keys: bool = False) -> None:
        super().__init__(message)
        self.line = line
        """Counted from 1; 0 where it cannot be told."""
        self.equal_keys = equal_keys
        """Whether all of it could be read but for a key that stands twice."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream."""

    value: Any
    line: int
    """Where its content begins, counted from 1."""


class _Dumper(yaml.CSafeDumper):
    """Writes no anchors, and quotes what another reader would take for a number, date or boolean."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the parent's signature
        return True

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        """The tag that a reader finds where none is written."""
        if kind is yaml.ScalarNode and implicit[0]:
            return yaml_scalar.tag_of(value)
        return str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call]

    def integer(self, value: int) -> yaml.Node:
        """An integer; beyond 64 bits every reader takes its digits for a float."""
        return self.represent_scalar(yaml_scalar.tag_of(str(value)), str(value))

    def double(self, value: float) -> yaml.Node:
        """A float, without an exponent where Go would write none."""
        digits = yaml_scalar.whole_digits(yaml_scalar.number(value))
        return self.represent_scalar(yaml_scalar.tag_of(digits), digits) if digits else self.represent_float(value)


_Dumper.add_representer(int, _Dumper.integer)
_Dumper.add_representer(float, _Dumper.double)


def load_documents(text: str | bytes, origin: str, *, first_line: int = 1) -> Iterator[Document]:
    """Yield every document of a stream, empty ones as None; NotYamlError names `origin` and the line.

    `first_line` is where the text begins in its file.
    """
    content = decoded(text, origin)
    if odd := yaml.reader.Reader.NON_PRINTABLE.search(content):
        line = first_line + content.count("\n", 0, odd.start())
        raise _refusal(origin, line, f"character U+{ord(odd[0]):04X} is not allowed in YAML")
    loader = yaml.CSafeLoader(content)
    tree = Tree()
    line = first_line
    try:
        while loader.check_event():
            event = loader.get_event()
            line = _line(event, first_line)
            if isinstance(event, yaml.DocumentStartEvent):
                tree = Tree()
            elif isinstance(event, yaml.DocumentEndEvent):
                yield Document(tree.root, tree.line)
            else:
                _grow(tree, event, line)
    except MisplacedError as error:
        raise _refusal(origin, line, str(error), equal_keys=error.equal_keys) from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise _refusal(origin, first_line + mark.line if mark else 0, problem) from None
    finally:
        loader.dispose()


def load_all(text: str | bytes, origin: str) -> Iterator[Any]:
    """Yield the documents of a stream, empty ones left out; NotYamlError names `origin` and the line."""
    return (document.value for document in load_documents(text, origin) if document.value is not None)


def load(text: str | bytes, origin: str) -> Any:
    """The one document of a text; None for an empty text, RefusedError where there is more than one."""
    documents = list(load_all(text, origin))
    if len(documents) > 1:
        raise RefusedError(f"{origin}: {len(documents)} YAML documents found, one wanted; give one document a file")
    return documents[0] if documents else None


def dump(value: Any) -> str:
    """Canonical text: sorted keys, block style, no anchors, no folding; ValueError for a number that JSON has not."""
    return str(
        yaml.dump(
            value, Dumper=_Dumper, sort_keys=True, default_flow_style=False, allow_unicode=True, width=_LONGEST_LINE
        )
    )


def dump_scalar(value: Any, *, quotes: str = "") -> str:
    """One scalar on one line, quoted as asked (`'`, `"`) where its form allows it, or as its value needs."""
    if isinstance(value, str) and ("\n" in value or not value.isprintable()):
        quotes = '"'
    written = yaml.dump(
        value,
        Dumper=_Dumper,
        default_style=quotes if isinstance(value, str) else "",
        allow_unicode=True,
        width=_LONGEST_LINE,
    )
    return str(written).removesuffix("...\n").rstrip("\n")


def decoded(text: str | bytes, origin: str) -> str:
    """A text without its byte order mark: UTF-8, or UTF-16 that says so; NotYamlError for other bytes."""
    if isinstance(text, bytes):
        encoding = "utf-16" if text[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8"
        try:
            text = text.decode(encoding)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise _refusal(origin, line, f"byte {error.start} is not {encoding.upper()}") from None
    return text.removeprefix("\ufeff")


def _line(event: yaml.Event | None, first_line: int) -> int:
    mark = event.start_mark if event else None
    return first_line + (mark.line if mark else 0)


def _grow(tree: Tree, event: yaml.Event | None, line: int) -> None:
    match event:
        case yaml.ScalarEvent():
            tree.scalar(event.value, event.tag or "", plain=event.implicit[0], anchor=event.anchor, line=line)
        case yaml.MappingStartEvent():
            tree.open({}, anchor=event.anchor, line=line)
        case yaml.SequenceStartEvent():
            tree.open([], anchor=event.anchor, line=line)
        case yaml.CollectionEndEvent():
            tree.close()
        case yaml.AliasEvent():
            tree.alias(str(event.anchor), line=line)


def _refusal(origin: str, line: int, problem: str, *, equal_keys: bool = False) -> NotYamlError:
    where = f"line {line}: " if line else ""
    message = f"{origin}: {where}not valid YAML: {problem}; mend the file and run again"
    return NotYamlError(message, line=line, equal_keys=equal_keys)
