"""The CEL rules of a structural schema, compiled once, and run where an object has the fields that they stand on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import cel

Part = str | int

_KNOWN_FUNCTIONS = frozenset(
    {
        "all", "bool", "bytes", "contains", "double", "duration", "endsWith", "exists", "exists_one", "filter", "has",
        "int", "map", "matches", "size", "startsWith", "string", "timestamp", "uint",
    }
)  # fmt: skip
"""What the library has of standard CEL; Kubernetes' own additions (quantity, url, optional fields, …) it has not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenRule:
    """A rule that an object does not keep."""

    path: tuple[Part, ...]
    value: Any
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleTree:
    """The rules at one place of a schema and below; branches without rules are left out."""

    rules: tuple[tuple[Any, str], ...] = ()
    """Compiled program and what it demands, in words."""
    properties: Mapping[str, "RuleTree"] = field(default_factory=dict)
    items: "RuleTree | None" = None
    values: "RuleTree | None" = None
    """For maps with `additionalProperties`."""

    def broken(self, value: Any, path: tuple[Part, ...] = ()) -> Iterator[BrokenRule]:
        """Yield the rules that a value breaks; one that fails to evaluate counts as broken, as for the API server."""
        for program, message in self.rules:
            if not _holds(program, value):
                yield BrokenRule(path=path, value=value, message=message)
        if isinstance(value, dict):
            for key, below in value.items():
                tree = self.properties.get(key, self.values)
                if tree is not None:
                    yield from tree.broken(below, (*path, key))
        elif isinstance(value, list) and self.items is not None:
            for index, below in enumerate(value):
                yield from self.items.broken(below, (*path, index))


def rule_tree(schema: Mapping[str, Any], left_out: list[str], path: str = "") -> RuleTree | None:
    """Compile the rules of a schema; those that only the API server can judge go to `left_out`, with their place."""
    rules = []
    for rule in schema.get("x-kubernetes-validations", ()):
        program = _compile(rule["rule"])
        if program is None:
            left_out.append(f"{path or '(root)'}: {rule.get('message') or rule['rule']}")
        else:
            rules.append((program, rule.get("message") or f"the rule {rule['rule']} holds"))
    branches = {
        name: tree
        for name, below in schema.get("properties", {}).items()
        if (tree := rule_tree(below, left_out, f"{path}.{name}" if path else name)) is not None
    }
    items = _branch(schema.get("items"), left_out, f"{path}[]")
    values = _branch(schema.get("additionalProperties"), left_out, f"{path}[*]")
    if not (rules or branches or items or values):
        return None
    return RuleTree(rules=tuple(rules), properties=branches, items=items, values=values)


def _branch(schema: Any, left_out: list[str], path: str) -> RuleTree | None:
    return rule_tree(schema, left_out, path) if isinstance(schema, Mapping) else None


def _compile(rule: str) -> Any:
    """Compile a rule, or return None where it needs the old object or functions that the library lacks."""
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
