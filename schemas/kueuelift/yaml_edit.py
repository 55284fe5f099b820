"""Edits of a YAML text: which stretches of it become what, so that its value becomes another one."""

import re
from typing import Any

from kueuelift import yaml_fates
from kueuelift.yaml_fates import Fates
from kueuelift.yaml_layout import Layout, indented, inline, is_literal, literal, same
from kueuelift.yaml_source import Node, Source
from kueuelift.yaml_text import dump_scalar

_COLON = re.compile(r"[ \t]*:")
_DASH = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n|[ \t]*\r\n)*[ \t]*-(?=[ \t\r\n]|\Z)")


class _OddError(Exception):
    """A part that cannot be changed from inside: what holds it writes it anew."""


class Editor:
    """Rewrites one document, once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._layout = Layout.of(source)
        self._edits: list[tuple[int, int, str]] = []
        self._anchors: dict[str, Any] = {}
        """What each anchor of the new text stands for."""
        self._brackets = False

    def rewrite(self, wanted: Any) -> str:
        """Give the text another value; whether it has it is for the caller to see."""
        root = self._source.root
        if root is None:
            return self._text
        if not self._tried(root, wanted):
            column = self._source.column(root.start)
            if root.in_block:
                self._edit(root.start, root.end, _hanging(self._layout.value(wanted), column))
            else:
                self._edit(root.start, root.end, self._layout.bracketed(wanted))
        return self._applied()

    def _applied(self) -> str:
        parts, place = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < place:
                return self._text
            parts += [self._text[place:start], text.replace("\n", self._layout.newline)]
            place = end
        return "".join([*parts, self._text[place:]])

    def _edit(self, start: int, end: int, text: str) -> None:
        self._edits.append((start, end, text))

    def _tried(self, node: Node, wanted: Any) -> bool:
        """Change a value from inside; False, and nothing changed, where that cannot be done."""
        edits, anchors = len(self._edits), dict(self._anchors) if node.shared else self._anchors
        brackets, self._brackets = self._brackets, self._brackets or node.flow
        try:
            self._change(node, wanted)
        except _OddError:
            del self._edits[edits:]
            self._anchors = anchors
            return False
        finally:
            self._brackets = brackets
        if node.anchor:
            self._anchors[node.anchor] = wanted
        return True

    def _change(self, node: Node, wanted: Any) -> None:
        if node.alias:
            if node.alias not in self._anchors or not same(self._anchors[node.alias], wanted):
                raise _OddError
        elif same(node.value, wanted) and not node.shared:
            return
        elif node.is_map and isinstance(wanted, dict) and wanted and node.pairs:
            self._map(node, wanted)
        elif node.is_list and isinstance(wanted, list) and wanted and node.items:
            self._list(node, wanted)
        elif not same(node.value, wanted):
            self._scalar(node, wanted)

    def _scalar(self, node: Node, wanted: Any) -> None:
        if node.is_map or node.is_list or isinstance(wanted, dict | list) or node.start == node.end:
            raise _OddError
        anchor = f"&{node.anchor} " if node.anchor else ""
        if node.style not in {"|", ">"}:
            if isinstance(wanted, str) and "\n" in wanted:
                raise _OddError
            written = self._layout.scalar(wanted, brackets=self._brackets, quotes=node.style)
            self._edit(node.start, node.end, anchor + written)
            return
        header, _, body = self._text[node.start : node.end].partition("\n")
        first = next((line for line in body.split("\n") if line.strip()), "")
        lines = literal(wanted, len(first) - len(first.lstrip(" "))) if isinstance(wanted, str) else []
        if re.search(r"\d", header) or not lines:
            raise _OddError
        self._edit(node.start, node.end, anchor + "\n".join(lines))

    def _map(self, node: Node, wanted: dict[str, Any]) -> None:
        if any(self._text[: key.start].rstrip(" ").endswith("?") for key, _ in node.pairs):
            raise _OddError
        fates = yaml_fates.of_mapping(node, wanted, self._anchors)
        if all(name is None for name in fates.keys):
            raise _OddError
        held, self._layout.pool = (
            self._layout.pool,
            [
                below
                for number, (_, value) in enumerate(node.pairs)
                if fates.keys[number] is None or number in fates.replaced
                for below in value.below()
                if not below.shared and not below.tag
            ],
        )
        try:
            if node.flow:
                self._flow_map(node, wanted, fates)
            else:
                self._block_map(node, wanted, fates)
        finally:
            self._layout.pool = held

    def _block_map(self, node: Node, wanted: dict[str, Any], fates: Fates) -> None:
        column = self._source.column(node.pairs[0][0].start)
        first = 0
        if not self._source.begins_line(node.pairs[0][0].start) and fates.keys[0] is None:
            # Behind a dash: the first that stays moves up to it.
            first = next(number for number, name in enumerate(fates.keys) if name is not None)
            self._edit(node.pairs[0][0].start, node.pairs[first][0].start, "")
        for number, (key, value) in enumerate(node.pairs[first:], first):
            name = fates.keys[number]
            if name is None:
                self._edit(self._source.line_start(key.start), self._source.next_line(value.end), "")
            elif number in fates.replaced:
                self._replace_entry(node, number, name, wanted[name], keep=number in fates.moved)
            elif not key.is_merge:
                self._rename(key, name)
                self._entry_value(key, value, wanted[name], column)
            lines = [line for new in fates.inserted.get(number, ()) for line in self._layout.entry(new, wanted[new])]
            self._insert_lines(value.end, indented(lines, column))

    def _replace_entry(self, node: Node, number: int, name: str, wanted: Any, *, keep: bool) -> None:
        key, value = node.pairs[number]
        column, end = self._source.column(key.start), self._source.line_end(value.end)
        lines = self._layout.entry(name, wanted, quotes=key.style)
        if keep:
            kept = "\n".join(lines)
            lines[:0] = [it.text for it in self._source.comments_in(key.start, end) if it.text not in kept]
        if self._text[max(0, value.end - 1) : value.end] == "\n":
            end, lines = value.end, [*lines, ""]
        self._edit(key.start, end, _hanging(lines, column))

    def _rename(self, key: Node, name: str) -> None:
        if key.value != name:
            if key.shared:
                raise _OddError
            self._edit(key.start, key.end, dump_scalar(name, quotes=key.style))

    def _entry_value(self, key: Node, node: Node, wanted: Any, column: int) -> None:
        colon = _COLON.match(self._text, key.end)
        if colon is None:
            raise _OddError
        if self._tried(node, wanted):
            return
        lines, start, end = self._layout.value(wanted), colon.end(), self._end_with_comment(node)
        behind = self._comment_in_line(start) if node.in_block else ""
        behind = behind or self._text[node.end : end]
        if inline(wanted, lines):
            text = "\n".join([f" {lines[0]}{behind}", *indented(lines[1:], column)])
        else:
            step = self._layout.step if isinstance(wanted, dict) else self._layout.list_step
            text = "\n".join([behind, *indented(lines, column + step)])
        self._edit(start, end, text)

    def _comment_in_line(self, place: int) -> str:
        """What stands from here to the end of the line, blanks and comment; empty for anything else."""
        rest = self._text[place : self._source.line_end(place)]
        return rest if rest.lstrip(" \t").startswith("#") else ""

    def _end_with_comment(self, node: Node) -> int:
        """Behind the comment that follows a value in its last line."""
        at_start = self._text[node.end - 1 : node.end] == "\n"
        return node.end if at_start else node.end + len(self._comment_in_line(node.end))

    def _insert_lines(self, after: int, lines: list[str]) -> None:
        if not lines:
            return
        place = self._source.next_line(after)
        text = "\n".join(lines)
        at_end = place == len(self._text) and not self._text.endswith("\n")
        self._edit(place, place, f"\n{text}" if at_end else f"{text}\n")

    def _list(self, node: Node, wanted: list[Any]) -> None:
        pairs = yaml_fates.of_list(node.value, wanted)
        if not any(old is not None and new is not None for old, new in pairs):
            raise _OddError
        if node.flow:
            self._flow_list(node, wanted, pairs)
            return
        dashes = self._dashes(node)
        column = self._source.column(dashes[0])
        before: int | None = None
        for old, new in pairs:
            if old is None:
                lines = indented(self._layout.item(wanted[new or 0]), column)
                if before is not None:
                    self._insert_lines(node.items[before].end, lines)
                elif self._source.begins_line(dashes[0]):
                    start = self._source.line_start(dashes[0])
                    self._edit(start, start, "\n".join([*lines, ""]))
                else:
                    raise _OddError
                continue
            before = old
            item = node.items[old]
            if new is not None:
                self._item(item, wanted[new], column)
            elif self._source.begins_line(dashes[old]):
                self._edit(self._source.line_start(dashes[old]), self._source.next_line(item.end), "")
            else:
                raise _OddError

    def _dashes(self, node: Node) -> list[int]:
        places, place = [], self._source.content_start(node)
        for item in node.items:
            found = _DASH.match(self._text, place)
            if found is None:
                raise _OddError
            places.append(found.end() - 1)
            place = max(item.end, found.end())
        return places

    def _item(self, node: Node, wanted: Any, dash: int) -> None:
        if self._tried(node, wanted):
            return
        lines = self._layout.value(wanted)
        if node.start == node.end:
            self._edit(node.start, node.end, f" {_hanging(lines, dash if is_literal(lines) else dash + 2)}")
        else:
            column = dash if is_literal(lines) else self._source.column(node.start)
            end = self._end_with_comment(node) if len(lines) > 1 else node.end
            first = lines[0] + ("" if "#" in lines[0] else self._text[node.end : end])
            self._edit(node.start, end, _hanging([first, *lines[1:]], column))

    def _flow_map(self, node: Node, wanted: dict[str, Any], fates: Fates) -> None:
        spans = [(key.start, value.end) for key, value in node.pairs]
        separator = self._separator(node, spans)
        for number, (key, value) in enumerate(node.pairs):
            name = fates.keys[number]
            if name is not None and number in fates.replaced:
                self._edit(key.start, value.end, self._layout.bracketed_entry(name, wanted[name]))
            elif name is not None and not key.is_merge:
                self._rename(key, name)
                if not self._tried(value, wanted[name]):
                    if value.start == value.end:
                        raise _OddError
                    self._edit(value.start, value.end, self._layout.bracketed(wanted[name]))
            for new in fates.inserted.get(number, ()):
                self._edit(value.end, value.end, separator + self._layout.bracketed_entry(new, wanted[new]))
        self._drop_spans(spans, [name is not None for name in fates.keys])

    def _flow_list(self, node: Node, wanted: list[Any], pairs: list[tuple[int | None, int | None]]) -> None:
        spans = [(item.start, item.end) for item in node.items]
        separator = self._separator(node, spans)
        before: int | None = None
        kept = [False] * len(spans)
        for old, new in pairs:
            if old is None:
                text = self._layout.bracketed(wanted[new or 0])
                if before is None:
                    self._edit(spans[0][0], spans[0][0], text + separator)
                else:
                    self._edit(spans[before][1], spans[before][1], separator + text)
            elif new is not None:
                before, kept[old] = old, True
                item = node.items[old]
                if not self._tried(item, wanted[new]):
                    self._edit(item.start, item.end, self._layout.bracketed(wanted[new]))
        self._drop_spans(spans, kept)

    def _drop_spans(self, spans: list[tuple[int, int]], kept: list[bool]) -> None:
        """Take entries out from between brackets, each with its comma; those at the end with the one before."""
        last = max(number for number, keep in enumerate(kept) if keep)
        for number, keep in enumerate(kept[:last]):
            if not keep:
                self._edit(spans[number][0], spans[number + 1][0], "")
        if last + 1 < len(spans):
            self._edit(spans[last][1], spans[-1][1], "")

    def _separator(self, node: Node, spans: list[tuple[int, int]]) -> str:
        """What stands between entries: a comma, and the line break that this document makes there."""
        first = spans[0][0]
        if "\n" in self._text[node.start : first] and self._source.begins_line(first):
            return ",\n" + " " * self._source.column(first)
        return ", "


def _hanging(lines: list[str], column: int) -> str:
    """Lines of which the first stands in its place already."""
    return "\n".join([lines[0], *indented(lines[1:], column)])
