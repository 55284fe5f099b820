"""Where everything of a YAML document stands in its text: what an edit in place has to know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from kueuelift import yaml_scalar

_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|(?=\r?\n)|\Z))+")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)


@dataclass(slots=True)
class Node:
    """A scalar, mapping, list or alias, and the text from `start` to `end`, which are characters of the document."""

    start: int
    """Where its anchor and tag begin, or itself."""
    end: int
    """Behind its last character; comments and blank lines after it are not its own."""
    value: Any
    """As `yaml_text` reads it; aliases and merges followed."""
    style: str = ""
    """Of a scalar: empty for plain, else `'`, `"`, `|` or `>`."""
    flow: bool = False
    """Whether a mapping or list is written in brackets."""
    anchor: str = ""
    alias: str = ""
    tag: str = ""
    pairs: list[tuple["Node", "Node"]] = field(default_factory=list)
    items: list["Node"] = field(default_factory=list)
    shared: bool = False
    """Whether there is an anchor or an alias in it."""

    @property
    def is_map(self) -> bool:
        """Whether it is a mapping written here."""
        return isinstance(self.value, dict) and not self.alias

    @property
    def is_list(self) -> bool:
        """Whether it is a list written here."""
        return isinstance(self.value, list) and not self.alias

    @property
    def in_block(self) -> bool:
        """Whether it is a mapping or list of lines of its own."""
        return (self.is_map or self.is_list) and not self.flow

    @property
    def is_merge(self) -> bool:
        """Whether it is the key of a merge."""
        return self.value == "<<" and not self.alias and (not self.style or self.tag == yaml_scalar.MERGE)

    def below(self) -> Iterator["Node"]:
        """Every value in it, itself first, in the order of the text."""
        yield self
        for node in (value for _, value in self.pairs):
            yield from node.below()
        for node in self.items:
            yield from node.below()


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, from its `#` to the end of its line."""

    start: int
    text: str


@dataclass(slots=True)
class Source:
    """One document: its text, its nodes (None where it is empty), its comments in order."""

    text: str
    root: Node | None
    comments: list[Comment]

    def line_start(self, place: int) -> int:
        """Where the line of a character begins."""
        return self.text.rfind("\n", 0, place) + 1

    def line_end(self, place: int) -> int:
        """Where the line of a character ends, before its line break."""
        found = self.text.find("\n", place)
        end = len(self.text) if found < 0 else found
        return end - 1 if end > place and self.text[end - 1] == "\r" else end

    def next_line(self, place: int) -> int:
        """Where the line after the one that ends at or behind `place` begins, or the end of the text."""
        if place and self.text[place - 1] == "\n":
            return place
        found = self.text.find("\n", place)
        return len(self.text) if found < 0 else found + 1

    def column(self, place: int) -> int:
        """How far a character stands from the start of its line."""
        return place - self.line_start(place)

    def begins_line(self, place: int) -> bool:
        """Whether only blanks stand before a character."""
        return not self.text[self.line_start(place) : place].strip(" ")

    def content_start(self, node: Node) -> int:
        """Where a node itself begins, behind its anchor and tag."""
        found = _PROPERTIES.match(self.text, node.start) if node.anchor or node.tag else None
        return min(found.end(), node.end) if found else node.start

    def comments_in(self, start: int, end: int) -> list[Comment]:
        """The comments that begin in a stretch of the text."""
        return [comment for comment in self.comments if start <= comment.start < end]


def read(text: str) -> Source:
    """Take one document apart; yaml.YAMLError or ValueError for what `yaml_text` refuses, too."""
    loader = yaml.CSafeLoader(text)
    try:
        root = _Reader(text, loader).document()
    finally:
        loader.dispose()
    return Source(text, root, list(_comments(text, root)))


class _Reader:
    """Follows the events of libyaml, the reader below `yaml_text`, so that both see the same document."""

    def __init__(self, text: str, loader: yaml.CSafeLoader) -> None:
        self._text, self._loader = text, loader
        self._anchors: dict[str, Node] = {}

    def document(self) -> Node | None:
        root: Node | None = None
        while self._loader.check_event():
            event = self._loader.get_event()
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent | yaml.AliasEvent):
                if root:
                    raise ValueError("two documents, where one is wanted")
                root = self._node(event)
        return root

    def _node(self, event: Any) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.AliasEvent):
            name = str(event.anchor)
            return Node(start, end, self._anchors[name].value, alias=name, shared=True)
        anchor, tag = event.anchor or "", event.tag or ""
        if isinstance(event, yaml.ScalarEvent):
            style = event.style or ""
            value = yaml_scalar.value_of(event.value, tag, plain=event.implicit[0])
            if style in {"|", ">"}:
                end = self._end_of_block(start, end, event.value)
            node = Node(start, end, value, style=style)
        elif isinstance(event, yaml.MappingStartEvent):
            node = self._mapping(Node(start, end, {}, flow=bool(event.flow_style)))
        else:
            node = self._sequence(Node(start, end, [], flow=bool(event.flow_style)))
        node.anchor, node.tag = anchor, tag
        if anchor:
            node.shared = True
            self._anchors[anchor] = node
        return node

    def _event(self) -> Any:
        return self._loader.get_event()

    @staticmethod
    def _index_of(event: Any) -> int:
        """Where an event ends."""
        return int(event.end_mark.index)

    def _mapping(self, node: Node) -> Node:
        while not isinstance(event := self._event(), yaml.MappingEndEvent):
            key = self._key(event)
            value = self._node(self._event())
            node.pairs.append((key, value))
            node.shared |= key.shared or value.shared
            if not key.is_merge:
                node.value[key.value] = value.value
                continue
            sources = value.items or [value]
            for source in reversed(sources):
                node.value |= source.value
        node.end = self._index_of(event) if node.flow else node.pairs[-1][1].end
        return node

    def _sequence(self, node: Node) -> Node:
        while not isinstance(event := self._event(), yaml.SequenceEndEvent):
            item = self._node(event)
            node.items.append(item)
            node.value.append(item.value)
            node.shared |= item.shared
        node.end = self._index_of(event) if node.flow else node.items[-1].end
        return node

    def _key(self, event: Any) -> Node:
        node = self._node(event) if isinstance(event, yaml.AliasEvent) else None
        if node is None:
            text, tag = event.value, event.tag or ""
            key = text if text == "<<" else yaml_scalar.key_of(text, tag, plain=event.implicit[0])
            node = Node(event.start_mark.index, event.end_mark.index, key, style=event.style or "", tag=tag)
            if event.anchor:
                node.anchor, node.shared = event.anchor, True
                self._anchors[event.anchor] = node
        return node

    def _end_of_block(self, start: int, end: int, value: str) -> int:
        """Without the blank lines that a literal does not count; those that it counts (`+`) are its own."""
        header = self._text[start : self._text.find("\n", start)].partition("#")[0]
        if "+" in header or value.rstrip("\n").endswith((" ", "\t")):
            return end
        return start + len(self._text[start:end].rstrip(" \t\r\n"))


def _comments(text: str, root: Node | None) -> Iterator[Comment]:
    """What `#` begins, outside of every scalar."""
    place = 0
    for start, end in [*(_scalars(root) if root else ()), (len(text), len(text))]:
        for found in _COMMENT.finditer(text, place, max(place, start)):
            yield Comment(found.start(), found[0])
        place = max(place, end)


def _scalars(node: Node) -> Iterator[tuple[int, int]]:
    if not node.is_map and not node.is_list:
        yield node.start, node.end
    for key, value in node.pairs:
        yield key.start, key.end
        yield from _scalars(value)
    for item in node.items:
        yield from _scalars(item)
