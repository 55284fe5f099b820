"""Writes a value as people write YAML: comments everywhere, brackets here and there, every way to quote and indent."""

import json
from random import Random
from typing import Any

from kueuelift.yaml_text import dump_scalar


class OddYaml:
    """One document; the same random numbers give the same text."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._step = random.choice([2, 2, 3, 4])
        self._list_step = random.choice([0, 2, self._step])
        self.comments: list[str] = []

    def text(self, value: Any) -> str:
        """The whole of it, with a first and a last comment and perhaps a `---`."""
        start = self._random.choice(["", "---\n", "--- # doc\n"])
        lines = [self._comment(), *self._lines(value), *self._maybe_comment(0), self._comment()]
        return start + "".join(f"{line}\n" for line in lines)

    def _comment(self) -> str:
        self.comments.append(f"# comment {len(self.comments)}: 'it' has {{odd}} \"signs\"")
        return self.comments[-1]

    def _maybe_comment(self, column: int) -> list[str]:
        kind = self._random.randrange(8)
        if kind > 1:
            return []
        return [f"{' ' * column}{self._comment()}"] if kind else [""]

    def _behind(self) -> str:
        return f"{' ' * self._random.choice([1, 3])}{self._comment()}" if not self._random.randrange(4) else ""

    def _lines(self, value: Any) -> list[str]:
        """Lines from column 0 on, for what is no scalar and not empty."""
        lines: list[str] = []
        if isinstance(value, dict):
            for key, below in value.items():
                written = self._scalar(key) if self._random.randrange(6) == 0 else dump_scalar(key)
                lines += [*self._maybe_comment(0), *self._entry(f"{written}:", below)]
            return lines
        for item in value:
            lines += self._maybe_comment(0)
            if isinstance(item, dict | list) and item and self._random.randrange(4):
                first, *rest = self._without_start(item)
                lines += [f"- {first}", *_indented(rest, 2)]
            else:
                lines.append(f"- {self._inline(item)}{self._behind()}")
        return lines

    def _without_start(self, item: Any) -> list[str]:
        while True:
            lines = self._lines(item)
            if lines[0] and not lines[0].lstrip().startswith("#"):
                return lines

    def _entry(self, key: str, value: Any) -> list[str]:
        if isinstance(value, dict | list) and value and self._random.randrange(4):
            step = self._step if isinstance(value, dict) else self._list_step
            return [f"{key}{self._behind()}", *_indented(self._lines(value), step)]
        if isinstance(value, str) and "\n" in value and self._random.randrange(2) and value.strip() == value:
            return [f"{key} |-", *_indented(value.split("\n"), self._step)]
        if value is None and self._random.randrange(2):
            return [f"{key}{self._behind()}"]
        return [f"{key} {self._inline(value)}{self._behind()}"]

    def _inline(self, value: Any) -> str:
        space = self._random.choice(["", " "])
        if isinstance(value, dict):
            pairs = [f"{self._scalar(key, brackets=True)}: {self._inline(below)}" for key, below in value.items()]
            return f"{{{space}{', '.join(pairs)}{space}}}"
        if isinstance(value, list):
            return f"[{space}{', '.join(map(self._inline, value))}{self._random.choice(['', ' '])}]"
        return self._scalar(value, brackets=True)

    def _scalar(self, value: Any, *, brackets: bool = False) -> str:
        if not isinstance(value, str):
            return dump_scalar(value)
        text = dump_scalar(value)
        way = self._random.randrange(4)
        if way == 0 or (brackets and text[0] not in "'\"" and (set(text) & set(",[]{}:") or text[0] == "?")):
            return json.dumps(value, ensure_ascii=False)
        return "'" + value.replace("'", "''") + "'" if way == 1 and "\n" not in value and value.isprintable() else text


def _indented(lines: list[str], columns: int) -> list[str]:
    return [f"{' ' * columns}{line}" if line else line for line in lines]
