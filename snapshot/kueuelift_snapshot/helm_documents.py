"""The documents of a rendered manifest, each read for itself and within limits: a chart may render anything."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift import manifest_stream, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.helm_payload import MOST_VALUES
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import shaped
from kueuelift.secret_text import without_secrets
from kueuelift_snapshot.marks import names_kueue

LARGEST_DOCUMENT = 300_000
"""Lines, brackets and commas in one document, and values once its aliases are followed: ten times Kueue's largest."""

DEEPEST = 100
"""Levels of one document: Kueue's deepest CRD has 34."""

_LONGEST_SOURCE = 200
_SOURCE = re.compile(rf"(?m)^# Source: (\S{{1,{_LONGEST_SOURCE}}})")
_FOR_A_DOCUMENT = 50
"""What even an empty one takes, as if it were values."""
_MARKS = ("\n", ",", "[", "{", "- ", "? ")


class UnreadableDocumentError(Exception):
    """Why a document that is needed, or what comes after one, cannot be read; says which one."""


@dataclass(kw_only=True, slots=True)
class Documents:
    """Reads the documents of one record; those that do not name Kueue are left out where they cannot be read."""

    unparsed: list[str] = field(default_factory=list)
    """What was left out, and why."""
    _left: int = MOST_VALUES

    def objects(self, text: str, origin: str, *, path: str = "") -> Iterator[KubernetesObject]:
        """The objects of a text; UnreadableDocumentError where one is unreadable and it or its `path` names Kueue."""
        for number, part in enumerate(_parts(text), 1):
            source = path[:_LONGEST_SOURCE] or _source(part)
            where = f"document {number} of {origin}{f' ({source})' if source else ''}"
            try:
                found = list(self._objects(part, where))
            except _UnreadableError as error:
                if names_kueue(part + path):
                    raise UnreadableDocumentError(str(error)) from None
                self.unparsed.append(without_secrets(str(error)))
            else:
                yield from found

    def values(self, found: Any, origin: str) -> Mapping[str, Any]:
        """A mapping that has been read already, empty for None; UnreadableDocumentError as above."""
        if not isinstance(found or {}, dict):
            raise UnreadableDocumentError(f"{origin} are no mapping")
        try:
            self._measure(found, origin)
        except _UnreadableError as error:
            raise UnreadableDocumentError(str(error)) from None
        return found or {}

    def _objects(self, part: str, where: str) -> Iterator[KubernetesObject]:
        self._take(_FOR_A_DOCUMENT + sum(map(part.count, _MARKS)), where)
        try:
            for document in yaml_text.load_all(part, where):
                self._measure(document, where)
                for obj in _unlisted(document):
                    yield shaped(obj, where)
        except RefusedError as error:
            raise _UnreadableError(str(error).rpartition(";")[0] or str(error)) from None

    def _measure(self, document: Any, where: str) -> None:
        """Refuse what is too deep, and what is large although its text is not: its aliases are copies by now."""
        count = 0
        pending: list[tuple[Any, int]] = [(document, 1)]
        while pending:
            value, depth = pending.pop()
            count += 1
            if count > LARGEST_DOCUMENT:
                break
            if isinstance(value, dict | list):
                if depth > DEEPEST:
                    raise _UnreadableError(f"{where}: nested more than {DEEPEST} levels deep")
                below = value.values() if isinstance(value, dict) else value
                pending.extend((item, depth + 1) for item in below)
        self._take(count, where)

    def _take(self, values: int, where: str) -> None:
        if values > LARGEST_DOCUMENT:
            raise _UnreadableError(f"{where}: more than {LARGEST_DOCUMENT} values")
        self._left -= values
        if self._left < 0:
            raise UnreadableDocumentError(f"{where}: more than {MOST_VALUES} values up to there")


class _UnreadableError(Exception):
    """Why one document cannot be read."""


def _parts(text: str) -> Iterator[str]:
    """The documents as text, empty ones left out."""
    return (part for part, _ in manifest_stream.chunks(text) if part.removeprefix("---").strip())


def _source(part: str) -> str:
    """The template that a document was made from, where Helm says so."""
    found = _SOURCE.search(part)
    return found[1] if found else ""


def _unlisted(document: Any) -> Iterator[Any]:
    """The object, or the objects of a list and of the lists in it."""
    items = manifest_stream.items_of(document)
    if items is None:
        yield document
    else:
        for item in items:
            yield from _unlisted(item)
