"""The Kubernetes objects of a text: YAML or JSON, many documents or one, `kubectl get` lists taken apart.

Nothing is dropped in silence: every document that is not empty comes out as an object, as one that was left aside with
the reason, or as one that is broken. What separates documents is looked at before what is in them, so that a broken one
hides none of the others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kueuelift import json_text, kubectl_text, yaml_text
from kueuelift.json_text import NotJsonError
from kueuelift.kinds import BY_NAME, version_of
from kueuelift.model import KubernetesObject
from kueuelift.yaml_text import Document, NotYamlError

_BOUNDARY = re.compile(r"^(?=---(?:[ \t\r\n]|\Z))|(?<=^\.\.\.\n)|(?<=^\.\.\.\r\n)", re.MULTILINE)
_OWN_START = re.compile(r"---(?:[ \t]+#.*|[ \t]*)(?:\r?\n|\Z)")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_CONTENT = re.compile(r"^(?!%|[ \t]*(?:#|\r?\n|\Z))", re.MULTILINE)
_MARK = re.compile(r"\{\{|\{%|\$\{")
_STATEMENT = re.compile(r"^[ \t]*#?[ \t]*(?:\{\{|\{%)", re.MULTILINE)
_RENDER = "render it (helm template, kustomize build, envsubst) and give the result"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object."""

    origin: str
    """`queues.yaml, document 2, line 14`; for a list also `, item 3`."""
    value: KubernetesObject
    """With a text for `apiVersion` and `kind`; nothing else of it was looked at."""


@dataclass(frozen=True, slots=True)
class LeftAside:
    """A document that is no object."""

    origin: str
    reason: str
    remedy: str = ""
    """For what stands for objects, as a template or a table does; empty for what was never Kubernetes' own."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A document that is neither YAML nor JSON."""

    origin: str
    error: NotYamlError


Part = Manifest | LeftAside | Broken


def read_stream(text: str | bytes, origin: str) -> Iterator[Part]:
    """Every document of a text, in order; empty ones vanish, comments too. NotYamlError for bytes that are no text."""
    content = re.sub(r"^\ufeff", "", yaml_text.decoded(text, origin), flags=re.MULTILINE)
    number = 0
    for chunk, line in chunks(content):
        for part in _read_chunk(chunk, f"{origin}, document {number + 1}", line):
            if isinstance(part, Document):
                if part.value is None:
                    continue
                number += 1
                where = f"{origin}, document {number}, line {part.line}"
                yield from _objects(part.value, where)
            else:
                number += 1
                yield part


def items_of(value: Any) -> list[Any] | None:
    """What a list of Kubernetes holds, each item saying what it is where the list does; None for what is no list."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not _is_list(value):
        return None
    return [_typed(item, value) for item in value.get("items") or []]


def chunks(text: str) -> Iterator[tuple[str, int]]:
    """The text of each document and the line where it begins; `---` in column 0 begins one wherever it stands."""
    held, line, held_line = "", 1, 1
    for chunk in _cut(text):
        if not held:
            held_line = line
        line += chunk.count("\n")
        held += chunk
        if _CONTENT.search(held) or not _DIRECTIVE.search(held):
            yield held, held_line
            held = ""
    if held:
        yield held, held_line


def _cut(text: str) -> Iterator[str]:
    """The text between boundaries, one after the other: there may be millions of them."""
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        yield text[start : boundary.start()]
        start = boundary.start()
    yield text[start:]


def _read_chunk(chunk: str, origin: str, line: int) -> Iterator[Document | LeftAside | Broken]:
    if printed := kubectl_text.printed_for_people(chunk):
        yield LeftAside(origin, printed, kubectl_text.REMEDY)
        return
    read: list[Document] = []
    failure: NotJsonError | None = None
    start = _OWN_START.match(chunk)
    body = chunk[start.end() :] if start else chunk
    if json_text.looks_like_json(body):
        before = chunk[: len(chunk) - len(body)].count("\n") + line - 1
        try:
            for value, begin in json_text.load_values(body):
                read.append(Document(value, before + begin))
        except NotJsonError as error:
            failure = NotJsonError(str(error), line=before + error.line)
        else:
            yield from read
            return
    try:
        yield from list(yaml_text.load_documents(chunk, origin, first_line=line))
    except NotYamlError as error:
        yield from read
        yield _broken(chunk, origin, line, _better(error, failure, origin, partly=bool(read)))


def _better(error: NotYamlError, failure: NotJsonError | None, origin: str, *, partly: bool) -> NotYamlError:
    """What is wrong, told for the language that was meant."""
    if failure is None or error.equal_keys or not (partly or "stands twice" in str(failure)):
        return error
    message = f"{origin}: line {failure.line}: not valid JSON: {failure}; mend the file and run again"
    return NotYamlError(message, line=failure.line, equal_keys="stands twice" in str(failure))


def _broken(chunk: str, origin: str, line: int, error: NotYamlError) -> LeftAside | Broken:
    """A document that cannot be read: a template, where that explains it."""
    mark = _STATEMENT.search(chunk) if error.equal_keys else re.search(r"\{\{|\{%", chunk)
    if mark is None and not error.equal_keys:
        lines = chunk.splitlines()
        at = error.line - line
        mark = _MARK.search(lines[at]) if 0 <= at < len(lines) else None
    if mark is None:
        return Broken(origin, error)
    found = chunk.count("\n", 0, mark.start()) + line if mark.string is chunk else error.line
    return LeftAside(origin, f"a template ({mark[0].strip()} in line {found})", _RENDER)


def _objects(value: Any, origin: str) -> Iterator[Manifest | LeftAside]:
    if not isinstance(value, dict):
        yield LeftAside(origin, f"{_told(value)} found, an object of Kubernetes wanted")
        return
    missing = [key for key in ("apiVersion", "kind") if not isinstance(value.get(key), str) or not value[key]]
    if missing:
        yield LeftAside(origin, f"no {' and '.join(missing)}, which every object of Kubernetes has")
    elif (items := items_of(value)) is not None:
        for number, item in enumerate(items, 1):
            yield from _objects(item, f"{origin}, item {number}")
    elif _is_list_of_kueue(value):
        yield LeftAside(origin, f"{_told(value['items'])} as items, a list wanted", "mend the list and give it again")
    elif field := _templated(value):
        yield LeftAside(origin, f"a template (in {field})", _RENDER)
    else:
        yield Manifest(origin, value)


def _is_list(value: KubernetesObject) -> bool:
    """Whether an object is a list of objects, which has no name of its own unless it is a plain List."""
    metadata = value.get("metadata")
    named = value["kind"] != "List" and isinstance(metadata, dict) and metadata.get("name")
    items = value.get("items", [] if value["kind"] == "List" else "")
    return value["kind"].endswith("List") and isinstance(items, list | None) and not named


def _is_list_of_kueue(value: KubernetesObject) -> bool:
    """Whether an object that is no list is called one that could hold Kueue's objects."""
    api, kind = value["apiVersion"], value["kind"]
    named = (api, kind) == ("v1", "List") or bool(version_of(api) and BY_NAME.get(kind.removesuffix("List")))
    return named and kind.endswith("List") and not isinstance(value.get("items"), list | None)


def _typed(item: Any, of: KubernetesObject) -> Any:
    """An item that says what it is: in lists such as PodList the list alone does."""
    if not isinstance(item, dict) or of["kind"] == "List" or item.get("kind"):
        return item
    return {"apiVersion": of.get("apiVersion"), "kind": of["kind"].removesuffix("List"), **item}


def _templated(value: KubernetesObject) -> str:
    """The field that only a template would have: in what an object is called, or in a queue's configuration.

    Elsewhere (annotations, commands, ConfigMaps) such marks are other programs' business.
    """
    metadata = value["metadata"] if isinstance(value.get("metadata"), dict) else {}
    fields = {key: value[key] for key in ("apiVersion", "kind")}
    fields |= {f"metadata.{key}": metadata.get(key) for key in ("name", "namespace", "labels")}
    kind = BY_NAME.get(value["kind"])
    if version_of(value["apiVersion"]) and kind and not kind.per_job:
        fields["spec"] = value.get("spec")
    return next((path for field, below in fields.items() for path in _marked(below, field)), "")


def _marked(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, str):
        if _MARK.search(value):
            yield path
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from ([f"{path}.{key}"] if _MARK.search(key) else _marked(below, f"{path}.{key}"))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _marked(below, f"{path}[{number}]")


def _told(value: Any) -> str:
    return {list: "a list", dict: "an object", str: "a text", bool: "true or false"}.get(type(value), "a number")
