"""The CEL rules of a structural schema, compiled once, and run where an object has the fields that they stand on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cel
import orjson

from kueuelift.cel_view import View, names_seen, view_of

Part = str | int

_KNOWN_FUNCTIONS = frozenset(
    {
        "all", "bool", "bytes", "contains", "double", "duration", "endsWith", "exists", "exists_one", "filter", "has",
        "int", "map", "matches", "size", "startsWith", "string", "timestamp", "uint",
    }
)  # fmt: skip
"""What the library has of standard CEL; Kubernetes' own additions (quantity, url, optional fields, …) it has not."""

_ESCAPED_NAME = re.compile(r"\b__\w+__\b")
"""How Kubernetes writes field names that CEL cannot say; the library knows nothing of it."""
_MOST, _LONGEST = 1024, 4096
"""Answers kept per group of rules, and the longest value, in bytes, that one is kept for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenRule:
    """A rule that an object does not keep."""

    path: tuple[Part, ...]
    value: Any
    message: str


class Group:
    """Rules of one place that can see the same parts of its value."""

    def __init__(self, rules: Sequence[tuple[Any, str]], view: View | None) -> None:
        self._rules = rules
        self._view = view
        self._known: dict[bytes, tuple[str, ...]] = {}
        """By what the rules saw: what they demanded in vain. A rule has nothing else to judge by."""

    def demands(self, value: Any) -> tuple[str, ...]:
        """What the rules that a value breaks ask for."""
        seen = value if self._view is None else self._view(value)
        try:
            key = orjson.dumps(seen)
        except orjson.JSONEncodeError:
            return self._judged(seen)
        known = self._known.get(key)
        if known is None:
            known = self._judged(seen)
            if len(key) <= _LONGEST:
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[key] = known
        return known

    def _judged(self, seen: Any) -> tuple[str, ...]:
        return tuple(message for program, message in self._rules if not _holds(program, seen))


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleTree:
    """The rules at one place of a schema and below; branches without rules are left out."""

    groups: tuple[Group, ...] = ()
    properties: Mapping[str, "RuleTree"] = field(default_factory=dict)
    items: "RuleTree | None" = None
    values: "RuleTree | None" = None
    """For maps with `additionalProperties`."""

    def kept(self, value: Any) -> bool:
        """Whether a value breaks none of the rules, told without saying which: that is most of the work saved."""
        for group in self.groups:
            if group.demands(value):
                return False
        if isinstance(value, dict):
            for key, tree in self.properties.items():
                if key in value and not tree.kept(value[key]):
                    return False
            return self.values is None or all(
                self.values.kept(below) for key, below in value.items() if key not in self.properties
            )
        if isinstance(value, list) and self.items is not None:
            return all(map(self.items.kept, value))
        return True

    def broken(self, value: Any, path: tuple[Part, ...] = ()) -> Iterator[BrokenRule]:
        """Yield the rules that a value breaks; one that fails to evaluate counts as broken, as for the API server."""
        for group in self.groups:
            for message in group.demands(value):
                yield BrokenRule(path=path, value=value, message=message)
        if isinstance(value, dict):
            for key, tree in self.properties.items():
                if key in value:
                    yield from tree.broken(value[key], (*path, key))
            if self.values is not None:
                for key in value.keys() - self.properties.keys():
                    yield from self.values.broken(value[key], (*path, key))
        elif isinstance(value, list) and self.items is not None:
            for index, below in enumerate(value):
                yield from self.items.broken(below, (*path, index))


def rule_tree(schema: Mapping[str, Any], left_out: list[str], path: str = "") -> RuleTree | None:
    """Compile the rules of a schema; those that only the API server can judge go to `left_out`, with their place."""
    groups = _groups(schema, left_out, path)
    branches = {
        name: tree
        for name, below in schema.get("properties", {}).items()
        if (tree := rule_tree(below, left_out, f"{path}.{name}" if path else name)) is not None
    }
    items = _branch(schema.get("items"), left_out, f"{path}[]")
    values = _branch(schema.get("additionalProperties"), left_out, f"{path}[*]")
    if not (groups or branches or items or values):
        return None
    return RuleTree(groups=groups, properties=branches, items=items, values=values)


def _groups(schema: Mapping[str, Any], left_out: list[str], path: str) -> tuple[Group, ...]:
    """The rules that need the whole value, and those that can do with a part of it."""
    whole, part, names = list[Any](), list[Any](), frozenset[str]()
    for rule in schema.get("x-kubernetes-validations", ()):
        program = _compile(rule["rule"])
        if program is None:
            left_out.append(f"{path or '(root)'}: {rule.get('message') or rule['rule']}")
            continue
        seen = names_seen(rule["rule"])
        compiled = (program, rule.get("message") or f"the rule {rule['rule']} holds")
        (whole if seen is None else part).append(compiled)
        names |= seen or frozenset()
    groups = (Group(whole, None) if whole else None, Group(part, view_of(schema, names)) if part else None)
    return tuple(group for group in groups if group)


def _branch(schema: Any, left_out: list[str], path: str) -> RuleTree | None:
    return rule_tree(schema, left_out, path) if isinstance(schema, Mapping) else None


def _compile(rule: str) -> Any:
    """Compile a rule, or return None where it needs the old object or functions that the library lacks."""
    if _ESCAPED_NAME.search(rule):
        return None
    try:
        program = cel.compile(rule)
    except ValueError:
        return None
    functions = {name for name in program.functions() if name.isidentifier() and not name.startswith("_")}
    return None if "oldSelf" in program.variables() or functions - _KNOWN_FUNCTIONS else program


def _holds(program: Any, value: Any) -> bool:
    try:
        return program.execute({"self": value}) is True
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError):
        # No such key, no such overload, out of range: the server refuses the object with the error's text.
        return False
