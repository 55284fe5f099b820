"""Decides what becomes of each key of a mapping and each item of a list when its value becomes another one."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from kueuelift.yaml_layout import same
from kueuelift.yaml_source import Node


@dataclass(slots=True)
class Fates:
    """Of a mapping's entries, by their number."""

    keys: list[str | None]
    """The key that an entry has from now on; None where it goes."""
    moved: set[int] = field(default_factory=set)
    """Those whose old value is a part of the new one, or is it."""
    replaced: set[int] = field(default_factory=set)
    """Those that make room for another key and value."""
    inserted: dict[int, list[str]] = field(default_factory=dict)
    """New keys, by the entry after which they come."""


def of_mapping(node: Node, wanted: dict[str, Any], anchors: Mapping[str, Any]) -> Fates:
    """Find them; `anchors` is what each anchor before the mapping stands for from now on."""
    fates = Fates([None] * len(node.pairs))
    place: dict[str, int] = {}
    own = {key.value for key, _ in node.pairs if not key.is_merge and key.value in wanted}
    for number, (key, value) in enumerate(node.pairs):
        if not key.is_merge:
            fates.keys[number] = key.value if key.value in own else None
            place |= {key.value: number} if key.value in own else {}
        elif (brought := _brought(value, anchors)) and _still_wanted(brought, own, wanted):
            fates.keys[number] = "<<"
            place |= {name: number for name in brought if name not in own}
    _give_new_names(fates, node, wanted, place)
    first = next((number for number, name in enumerate(fates.keys) if name is not None), 0)
    before = first
    for name in wanted:
        if name not in place:
            fates.inserted.setdefault(before, []).append(name)
        else:
            before = place[name]
    return fates


def of_list(old: list[Any], wanted: list[Any]) -> list[tuple[int | None, int | None]]:
    """Pair old items with wanted ones, by number and in order; None where one has no partner."""
    if len(old) == len(wanted):
        return [(number, number) for number in range(len(old))]
    pairs: list[tuple[int | None, int | None]] = []
    matcher = SequenceMatcher(None, [*map(_name, old)], [*map(_name, wanted)], autojunk=False)
    for word, start, end, new_start, new_end in matcher.get_opcodes():
        left, right = range(start, end), range(new_start, new_end)
        both = min(len(left), len(right)) if word in {"equal", "replace"} else 0
        pairs += zip(left[:both], right[:both], strict=True)
        pairs += [(number, None) for number in left[both:]]
        pairs += [(None, number) for number in right[both:]]
    return pairs


def _brought(value: Node, anchors: Mapping[str, Any]) -> dict[str, Any]:
    """What a merge brings from now on; empty where that cannot be told."""
    brought: dict[str, Any] = {}
    for source in reversed(value.items or [value]):
        found = anchors.get(source.alias) if source.alias else None
        if not isinstance(found, dict):
            return {}
        brought |= found
    return brought


def _still_wanted(brought: dict[str, Any], own: set[str], wanted: dict[str, Any]) -> bool:
    return all(name in own or (name in wanted and same(wanted[name], value)) for name, value in brought.items())


def _give_new_names(fates: Fates, node: Node, wanted: dict[str, Any], place: dict[str, int]) -> None:
    """Let new keys take the places of those that go: of the same value, of a part of it, or where they would stand."""
    tests: tuple[Callable[[int, str], bool], ...] = (
        lambda number, name: same(node.pairs[number][1].value, wanted[name]),
        lambda number, name: _related(node.pairs[number][1].value, wanted[name]),
        lambda number, name: _before(fates.keys, number) == _placed_before(wanted, name, place, fates.keys),
    )
    for rank, fits in enumerate(tests):
        for name in (name for name in wanted if name not in place):
            for number, (key, _) in enumerate(node.pairs):
                if fates.keys[number] is None and not (key.is_merge and rank < 2) and fits(number, name):
                    fates.keys[number], place[name] = name, number
                    fates.moved |= {number} if rank < 2 else set()
                    fates.replaced |= {number} if rank else set()
                    break


def _before(keys: list[str | None], number: int) -> str | None:
    return next((name for name in reversed(keys[:number]) if name is not None), None)


def _placed_before(wanted: dict[str, Any], name: str, place: dict[str, int], keys: list[str | None]) -> str | None:
    found = None
    for other in wanted:
        if other == name:
            return found
        if other in place:
            found = keys[place[other]]
    return found


def _related(old: Any, new: Any) -> bool:
    return _holds(new, old) or _holds(old, new)


def _holds(whole: Any, part: Any) -> bool:
    if isinstance(part, list):
        return bool(part) and all(_holds(whole, item) for item in part)
    if part in (None, "", {}) or isinstance(part, bool):
        return False
    return any(same(found, part) for found in _values(whole))


def _values(value: Any) -> Iterator[Any]:
    yield value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values(below)


def _name(item: Any) -> str:
    """By what an item is known again: its name, or all of it."""
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        return str(item["name"])
    return json.dumps(item, sort_keys=True)
