"""Which parts of a value a CEL rule can tell apart: the rest need not be handed to it, nor make it run again.

A rule reaches into an object by field names that stand in its text. What it cannot name it can still compare, so that
only rules whose comparisons are all of plain values are given less than everything.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

View = Callable[[Any], Any]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"[^"\\\n]*"|'[^'\\\n]*')
    | (?P<number>\d+(?:\.\d+)?u?)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<mark>==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()\[\]{}])
    )""",
    re.VERBOSE | re.ASCII,
)
_PLAIN_WORDS = frozenset({"true", "false", "null"})
_PLAIN_CALLS = frozenset(
    {
        "all", "bool", "contains", "double", "endsWith", "exists", "exists_one", "has", "int", "matches", "size",
        "startsWith", "string",
    }
)  # fmt: skip
"""Functions and macros whose answer is no object and no list."""

_Token = tuple[str, str]


def names_seen(rule: str) -> frozenset[str] | None:
    """Every field name that a rule may ask for, and some words more; None where it may compare whole objects."""
    tokens = _tokens(rule)
    if tokens is None or not all(_plain_comparison(tokens, at) for at, token in enumerate(tokens) if _compares(token)):
        return None
    return frozenset(text.strip("'\"") for kind, text in tokens if kind in {"name", "text"})


def view_of(schema: Mapping[str, Any], names: frozenset[str]) -> View | None:
    """Make what cuts a value of a schema down to the fields with these names; None where there is nothing to cut.

    Fields of objects are cut, as are fields that the schema does not know, which a server has pruned before; keys of
    maps (`additionalProperties`) are not: a rule sees all keys of a map. What is left is shared with the value.
    """
    if schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("x-kubernetes-embedded-resource"):
        return None
    properties = schema.get("properties")
    if properties and "additionalProperties" not in schema:
        below = [(name, view_of(properties[name], names)) for name in properties if name in names]
        return None if len(below) == len(properties) and not any(view for _, view in below) else _object_view(below)
    items = schema.get("items")
    inner = view_of(items, names) if isinstance(items, Mapping) else None
    return None if inner is None else _list_view(inner)


def _object_view(fields: list[tuple[str, View | None]]) -> View:
    if not fields:
        return lambda value: {} if isinstance(value, dict) else value

    def view(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: value[name] if below is None else below(value[name]) for name, below in fields if name in value}

    return view


def _list_view(item: View) -> View:
    def view(value: Any) -> Any:
        return [item(one) for one in value] if isinstance(value, list) else value

    return view


def _tokens(rule: str) -> list[_Token] | None:
    """Split a rule; None where it has something that is not known here."""
    found: list[_Token] = []
    place, end = 0, len(rule.rstrip())
    while place < end:
        token = _TOKEN.match(rule, place)
        if token is None or token.lastgroup is None:
            return None
        found.append((token.lastgroup, token[token.lastgroup]))
        place = token.end()
    return found


def _compares(token: _Token) -> bool:
    return token in {("mark", "=="), ("mark", "!="), ("name", "in")}


def _plain_comparison(tokens: list[_Token], at: int) -> bool:
    """Whether one side is surely no object and no list of objects: then the fields of the other do not matter."""
    before, after = tokens[:at], tokens[at + 1 :]
    if before and _is_plain(before[-1]):
        return True
    if before and before[-1] == ("mark", ")") and _called(before) in _PLAIN_CALLS:
        return True
    if tokens[at][1] == "in":
        return _starts_with_plain_list(after)
    called = len(after) > 1 and after[0][1] in _PLAIN_CALLS and after[1] == ("mark", "(")
    return bool(after) and (_is_plain(after[0]) or called)


def _is_plain(token: _Token) -> bool:
    return token[0] in {"text", "number"} or (token[0] == "name" and token[1] in _PLAIN_WORDS)


def _called(tokens: list[_Token]) -> str:
    """The name before the parenthesis that the last token closes."""
    depth = 0
    for at in range(len(tokens) - 1, 0, -1):
        depth += {("mark", ")"): 1, ("mark", "("): -1}.get(tokens[at], 0)
        if depth == 0:
            return tokens[at - 1][1]
    return ""


def _starts_with_plain_list(tokens: list[_Token]) -> bool:
    if not tokens or tokens[0] != ("mark", "["):
        return False
    for token in tokens[1:]:
        if token == ("mark", "]"):
            return True
        if token != ("mark", ",") and not _is_plain(token):
            return False
    return False
