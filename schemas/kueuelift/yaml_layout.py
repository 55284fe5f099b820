"""Writes new parts of a YAML document as its author would have: indentation, brackets, quotes, text carried over."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kueuelift.json_text import looks_like_json
from kueuelift.yaml_source import Node, Source
from kueuelift.yaml_text import dump_scalar

_NOT_IN_BRACKETS = re.compile(r"^[?:]|[,\[\]{}]|: |:$")
"""Of a plain text: what ends it there, or makes it a key."""


def same(left: Any, right: Any) -> bool:
    """Whether two values are one value to every reader: `1` is neither `True` nor `1.0`."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)


@dataclass(slots=True)
class Layout:
    """How a document is written, and the parts of its text that lost their place and may be carried into new ones."""

    source: Source
    step: int = 2
    """Columns by which a mapping in a mapping stands further right."""
    list_step: int = 0
    """Columns by which the dash of a list does."""
    newline: str = "\n"
    json: bool = False
    """Whether all of it is JSON, where every text is quoted."""
    pool: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source) -> "Layout":
        """Look how it is done; two columns, and lists under their key, where the document does not say."""
        return cls(
            source,
            step=next(_steps(source, lists=False), 2),
            list_step=next(_steps(source, lists=True), 0),
            newline="\r\n" if "\r\n" in source.text else "\n",
            json=source.root is not None and source.root.flow and looks_like_json(source.text),
        )

    def entry(self, key: str, value: Any, *, quotes: str = "") -> list[str]:
        """The lines of a key and its value, from column 0 on."""
        written = dump_scalar(key, quotes=quotes)
        lines = self.value(value)
        if inline(value, lines):
            return [f"{written}: {lines[0]}", *lines[1:]]
        step = self.step if isinstance(value, dict) else self.list_step
        return [f"{written}:", *indented(lines, step)]

    def value(self, value: Any) -> list[str]:
        """The lines of a value; those of a literal begin with `|`, and what follows is indented by one step."""
        if carried := self._carried(value):
            return carried
        if isinstance(value, dict) and value:
            return [line for key, below in value.items() for line in self.entry(key, below)]
        if isinstance(value, list) and value:
            return [line for item in value for line in self.item(item)]
        if isinstance(value, str) and "\n" in value:
            return literal(value, self.step) or [dump_scalar(value)]
        return [self.scalar(value)]

    def item(self, value: Any) -> list[str]:
        """The lines of a list's item, from its dash on."""
        lines = self.value(value)
        return [f"- {lines[0]}", *(lines[1:] if is_literal(lines) else indented(lines[1:], 2))]

    def bracketed(self, value: Any) -> str:
        """The same on one line, for a place between brackets."""
        node = self._taken(value)
        if node and not node.in_block and node.style not in {"|", ">"}:
            text = self.source.text[node.start : node.end]
            whole = node.flow or node.style == '"' or not _NOT_IN_BRACKETS.search(text)
            if "\n" not in text and whole:
                return text
        if isinstance(value, dict):
            return f"{{{', '.join(self.bracketed_entry(key, below) for key, below in value.items())}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(self.bracketed, value))}]"
        return self.scalar(value, brackets=True)

    def bracketed_entry(self, key: str, value: Any) -> str:
        """A key and its value for a place between brackets."""
        return f"{self.scalar(key, brackets=True)}: {self.bracketed(value)}"

    def scalar(self, value: Any, *, brackets: bool = False, quotes: str = "") -> str:
        """A scalar, `{}` or `[]`, in quotes of this kind if any."""
        if isinstance(value, dict | list):
            return "[]" if isinstance(value, list) else "{}"
        if self.json and isinstance(value, str):
            quotes = '"'
        text = dump_scalar(value, quotes=quotes if quotes in {"'", '"'} else "")
        safe = not brackets or text[:1] in {"'", '"'} or not _NOT_IN_BRACKETS.search(text)
        return text if safe else dump_scalar(value, quotes='"')

    def _carried(self, value: Any) -> list[str]:
        """The text that a value had where it stood before, with its comments; empty where there is none."""
        node = self._taken(value)
        if node is None:
            return []
        text = self.source.text
        if node.in_block:
            return self._outdented(node.start, self.source.line_end(node.end))
        if node.style in {"|", ">"} or "\n" in text[node.start : node.end]:
            return []
        end = self.source.line_end(node.end)
        behind = text[node.end : end]
        return [text[node.start : end if behind.lstrip().startswith("#") else node.end]]

    def _taken(self, value: Any) -> Node | None:
        """A part of the text that has this value and no place any more; each part is used once."""
        if value is None or isinstance(value, bool):
            return None
        for number, node in enumerate(self.pool):
            if same(node.value, value) and node.start < node.end:
                del self.pool[number]
                return node
        return None

    def _outdented(self, start: int, end: int) -> list[str]:
        """A block's lines, its first column at 0."""
        shift = self.source.column(start)
        first, *rest = self.source.text[start:end].replace("\r\n", "\n").split("\n")
        return [first, *(line[min(shift, len(line) - len(line.lstrip(" "))) :] for line in rest)]


def literal(value: str, step: int) -> list[str]:
    """A text of several lines as a literal block: its header, then its lines by one step further right.

    Empty where a literal could not hold it.
    """
    body = value.rstrip("\n")
    lines = body.split("\n")
    if not body or lines[0].startswith((" ", "\t")) or not lines[0] or not all(map(_fits_literal, lines)):
        return []
    trailing = len(value) - len(body)
    header = "|" + {0: "-", 1: ""}.get(trailing, "+")
    return [header, *indented([*lines, *[""] * (trailing - 1)], step)]


def is_literal(lines: list[str]) -> bool:
    """Whether lines are those of a literal block, which brings its own indentation."""
    return len(lines) > 1 and lines[0] in {"|", "|-", "|+"}


def inline(value: Any, lines: list[str]) -> bool:
    """Whether a value stands on its key's line."""
    return not isinstance(value, dict | list) or not value or (len(lines) == 1 and lines[0][:1] in {"{", "["})


def indented(lines: Iterable[str], columns: int) -> list[str]:
    """Lines further right; empty ones stay empty."""
    return [f"{' ' * columns}{line}" if line else line for line in lines]


def _fits_literal(line: str) -> bool:
    return not line.endswith((" ", "\t", "\r")) and line.replace("\t", "").isprintable()


def _steps(source: Source, *, lists: bool) -> Iterator[int]:
    """How far each value of a block mapping that is written in lines of its own stands right of its key."""
    for node in source.root.below() if source.root else ():
        for key, value in node.pairs if node.in_block else ():
            start = source.content_start(value)
            if value.in_block and value.is_list == lists and source.begins_line(start):
                yield source.column(start) - source.column(key.start)
