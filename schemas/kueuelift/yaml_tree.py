"""Builds the value of one YAML document from its parts as they come, without recursion.

Merges and aliases mean what they mean to go.yaml.in/yaml v2, and aliases that multiply are refused where it refuses
them, before anything is made of them.
"""

from dataclasses import dataclass, field
from typing import Any

from kueuelift import yaml_scalar

MOST_LEVELS = 200
"""Deeper than any object of Kubernetes, and as deep as Python can follow without fear."""

_NO_MERGE = "a merge (<<) of something else than mappings"
_FEW, _MANY = 400_000, 4_000_000


class MisplacedError(ValueError):
    """A part that cannot stand where it stands."""

    def __init__(self, problem: str, *, equal_keys: bool = False) -> None:
        super().__init__(problem)
        self.equal_keys = equal_keys


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for."""

    value: Any
    size: int
    """Values in it, aliases followed."""
    depth: int
    key: tuple[str, str, bool] | None
    """Text, tag and plainness of a scalar, for an alias that is a key."""


@dataclass(slots=True)
class _Open:
    """A mapping or sequence that is not at its end yet."""

    container: Any
    anchor: str | None
    line: int
    size: int = 1
    depth: int = 1
    key: str | None = None
    """The key whose value comes next."""
    key_line: int = 0
    merging: bool = False
    """Whether the value that comes next is a merge."""
    own: dict[str, int] = field(default_factory=dict)
    """Line of each key that stands in the mapping itself."""
    merged: dict[str, int] = field(default_factory=dict)
    """Line of the merge that brought a key."""

    @property
    def wants_key(self) -> bool:
        return isinstance(self.container, dict) and self.key is None and not self.merging


class Tree:
    """One document: `root` once all its parts are there."""

    def __init__(self) -> None:
        self.root: Any = None
        self.line = 0
        """Where the content begins."""
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | _Open] = {}
        self._read = self._followed = 0

    def scalar(self, text: str, tag: str, *, plain: bool, anchor: str | None, line: int) -> None:
        """A scalar, which may be a key."""
        form = (text, tag, plain)
        parent = self._open[-1] if self._open else None
        if parent and parent.wants_key:
            self._count(1)
            parent.size += 1
            if text == "<<" and (plain or tag == yaml_scalar.MERGE):
                parent.merging, parent.key_line = True, line
            else:
                self._take_key(parent, form, line)
            value: Any = None if anchor is None else _quiet_value(form)
        else:
            value = yaml_scalar.value_of(text, tag, plain=plain)
            self._count(1)
            self._put(value, 1, 0, line)
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, 1, 0, form)

    def open(self, container: Any, *, anchor: str | None, line: int) -> None:
        """A mapping or sequence begins: an empty dict or list."""
        if self._open and self._open[-1].wants_key:
            raise MisplacedError(f"a {'mapping' if container == {} else 'list'} as a key, where a text is wanted")
        self._check_depth(1)
        self._count(1)
        begun = _Open(container, anchor, line)
        if anchor is not None:
            self._anchors[anchor] = begun
        self._open.append(begun)

    def close(self) -> None:
        """The mapping or sequence that began last ends."""
        ended = self._open.pop()
        if ended.anchor is not None and self._anchors[ended.anchor] is ended:
            self._anchors[ended.anchor] = _Anchored(ended.container, ended.size, ended.depth, None)
        self._put(ended.container, ended.size, ended.depth, ended.line)

    def alias(self, name: str, *, line: int) -> None:
        """What the anchor of this name stands for, once more."""
        if name not in self._anchors:
            raise MisplacedError(f"alias *{name} without an anchor &{name} before it")
        target = self._anchors[name]
        if isinstance(target, _Open):
            raise MisplacedError(f"alias *{name} stands inside of what it stands for")
        parent = self._open[-1] if self._open else None
        if parent and parent.wants_key:
            if target.key is None:
                raise MisplacedError(f"alias *{name} of a mapping or list as a key, where a text is wanted")
            self._take_key(parent, target.key, line)
            return
        self._count(1)
        self._count(target.size, followed=True)
        self._check_depth(target.depth)
        if parent and parent.merging and not isinstance(target.value, dict):
            raise MisplacedError(_NO_MERGE)
        self._put(_copied(target.value), 1 + target.size, target.depth, line)

    def _take_key(self, parent: _Open, form: tuple[str, str, bool], line: int) -> None:
        text, tag, plain = form
        key = yaml_scalar.key_of(text, tag, plain=plain)
        if key in parent.own:
            problem = f"key {self._path(key)!r} stands twice, in lines {parent.own[key]} and {line}"
            raise MisplacedError(problem, equal_keys=True)
        parent.own[key] = line
        parent.key, parent.key_line = key, line

    def _put(self, value: Any, size: int, depth: int, line: int) -> None:
        """A whole value goes where it belongs."""
        if not self._open:
            self.root, self.line = value, line
            return
        parent = self._open[-1]
        parent.size += size
        parent.depth = max(parent.depth, depth + 1)
        if isinstance(parent.container, list):
            parent.container.append(value)
        elif parent.merging:
            self._merge(parent, value)
            parent.merging = False
        else:
            parent.container[parent.key] = value
            parent.key = None

    def _merge(self, parent: _Open, value: Any) -> None:
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise MisplacedError(_NO_MERGE)
        brought: dict[str, Any] = {}
        for source in reversed(sources):
            brought |= source
        for key in brought:
            line = parent.own.get(key) or parent.merged.get(key)
            if line:
                problem = (
                    f"key {self._path(key)!r} of line {line} comes again with the merge (<<) of line {parent.key_line},"
                    " and readers differ about which of them counts"
                )
                raise MisplacedError(problem, equal_keys=True)
        parent.container |= brought
        parent.merged |= dict.fromkeys(brought, parent.key_line)

    def _path(self, key: str) -> str:
        steps = [f"[{len(it.container)}]" if isinstance(it.container, list) else f".{it.key}" for it in self._open[:-1]]
        return f"{''.join(steps)}.{key}".lstrip(".")

    def _check_depth(self, more: int) -> None:
        if len(self._open) + more > MOST_LEVELS:
            raise MisplacedError(f"nested too deeply, more than {MOST_LEVELS} levels")

    def _count(self, values: int, *, followed: bool = False) -> None:
        """Count values as the reader of Kubernetes does, which follows aliases up to a share of all that it reads."""
        self._read += values
        self._followed += values if followed else 0
        share = 0.99 - 0.89 * min(1.0, max(0.0, (self._read - _FEW) / (_MANY - _FEW)))
        if self._followed > 100 and self._read > 1000 and self._followed / self._read > share:
            raise MisplacedError(f"its aliases multiply: {self._followed} of {self._read} values are copies")


def _quiet_value(form: tuple[str, str, bool]) -> Any:
    """The value of an anchored key, of no use to most; None where it has none."""
    try:
        return yaml_scalar.value_of(form[0], form[1], plain=form[2])
    except yaml_scalar.MisfitError:
        return None


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_copied(below) for below in value]
    return value
