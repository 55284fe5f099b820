"""Semantic comparison of Kubernetes objects; the only importer of deepdiff."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kueuelift.redaction import blanked, is_token

MISSING = object()
"""Stands for "no such field"; prints as a dash."""

_Unequal = tuple[tuple[Any, ...], Any, Any]
"""Where two values differ, and both of them."""


class ListKey(str):
    """What tells an item of a list from the others: `name=cpu`."""

    __slots__ = ()


class Keyed(dict[ListKey, Any]):
    """A list whose items are told apart by a key; where `ordered`, their order counts too."""

    def __init__(self, items: dict[ListKey, Any], *, ordered: bool = False) -> None:
        super().__init__(items)
        self.ordered = ordered

    def __eq__(self, other: object) -> bool:
        """Whether the items are equal, and their order where it counts."""
        return super().__eq__(other) and (not isinstance(other, Keyed) or self.orders(other) is None)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def orders(self, other: "Keyed") -> tuple[str, str] | None:
        """The order of the items that both have, where it counts and differs."""
        both = [[key for key in one if key in two] for one, two in ((self, other), (other, self))]
        if not (self.ordered and other.ordered) or both[0] == both[1]:
            return None
        return ", ".join(both[0]), ", ".join(both[1])


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One field that differs."""

    path: str
    """`spec.resourceGroups[0].flavors[name=large].resources[0].nominalQuota`."""
    before: Any
    after: Any

    def __str__(self) -> str:
        """`spec.cohort: "team" -> (none)`."""
        return f"{self.path}: {_shown(self.before)} -> {_shown(self.after)}"

    @property
    def general(self) -> str:
        """The path of the field in any item of its lists: `spec.flavors[].name`."""
        return re.sub(r"\[(?!')[^\]]*\]", "[]", self.path)


def edits(before: Any, after: Any, *, with_tokens: bool = False) -> list[Edit]:
    """Every field that differs, by path.

    Hidden values (tokens) are compared only where the caller knows that both sides were hidden with one key; else two
    values are equal where they differ in hidden text only, or where one of them is hidden as a whole.
    """
    found = [
        Edit(path=_dotted(keys), before=left, after=right)
        for keys, left, right in _unequal(before, after, (), with_tokens)
        if with_tokens or not _equal_but_for_tokens(left, right)
    ]
    return sorted(found, key=lambda edit: edit.path)


def _unequal(before: Any, after: Any, keys: tuple[Any, ...], with_tokens: bool) -> Iterator[_Unequal]:
    """Walk both and give each topmost part that is not the same, with its path."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            left, right = before.get(key, MISSING), after.get(key, MISSING)
            yield from _unequal(left, right, (*keys, key), with_tokens)
        if isinstance(before, Keyed) and isinstance(after, Keyed) and (orders := before.orders(after)):
            yield (*keys, ListKey("order")), *orders
    elif isinstance(before, list) and isinstance(after, list):
        if not with_tokens:
            before, after = blanked(before), blanked(after)
        compared = _unequal_items if _structured(before) and _structured(after) else _unequal_scalars
        yield from compared(before, after, keys, with_tokens)
    else:
        yield keys, before, after


def _structured(items: list[Any]) -> bool:
    return all(isinstance(item, dict | list) for item in items)


def _unequal_items(before: list[Any], after: list[Any], keys: tuple[Any, ...], with_tokens: bool) -> Iterator[_Unequal]:
    """What differs between lists of structures: by position, once what is equal at both ends is left aside."""
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    end = next((n for n in range(shorter - start) if before[-1 - n] != after[-1 - n]), shorter - start)
    lefts, rights = before[start : len(before) - end], after[start : len(after) - end]
    for index, (left, right) in enumerate(zip_longest(lefts, rights, fillvalue=MISSING), start):
        yield from _unequal(left, right, (*keys, index), with_tokens)


def _unequal_scalars(before: list[Any], after: list[Any], keys: tuple[Any, ...], _: bool) -> Iterator[_Unequal]:
    """What differs between lists without keys, where items may have come in between."""
    if before == after:
        return
    from deepdiff import DeepDiff  # noqa: PLC0415 - costs 100 ms, and most comparisons end above

    for levels in DeepDiff(before, after, view="tree", threshold_to_diff_deeper=0).values():
        for level in levels:
            yield (*keys, *level.path(output_format="list")), _side(level.t1), _side(level.t2)


def _equal_but_for_tokens(before: Any, after: Any) -> bool:
    if before is MISSING or after is MISSING:
        return False
    left, right = blanked(before), blanked(after)
    return bool(left == right) or is_token(left) or is_token(right)


def _side(value: Any) -> Any:
    return MISSING if type(value).__name__ == "NotPresent" or repr(value) == "not present" else value


def _dotted(keys: tuple[Any, ...]) -> str:
    text = ""
    for key in keys:
        if isinstance(key, int | ListKey):
            text += f"[{key}]"
        elif re.fullmatch(r"[A-Za-z0-9_-]+", str(key)):
            text += f".{key}" if text else str(key)
        else:
            text += f"[{key!r}]"
    return text


def _shown(value: Any) -> str:
    return "(none)" if value is MISSING else repr(value)
