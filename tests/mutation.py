"""Spoils one place of an object, or a few, as people and programs do: for what reads and judges objects."""

from copy import deepcopy
from random import Random
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1.0, 2**31, 2**63, "", "x", "Not A Name", "a\n", "-1", "1Gi", "5.5.5", "\u017f",
    "2024-02-29T12:00:00Z", "2026-02-30T12:00:00Z", "2026-01-31T12:00:00.5+02:00", [], {}, [None], [{}], ["x", "x"],
    {"x": 1},
)  # fmt: skip


def spoiled(obj: dict[str, Any], random: Random, *, times: int = 1) -> dict[str, Any]:
    """A copy with some places below the metadata changed: another value, gone, doubled, or a field too many."""
    own = deepcopy(obj)
    for _ in range(times):
        places = _places({key: value for key, value in own.items() if key not in {"apiVersion", "kind", "metadata"}})
        holder, key = random.choice([*places, (own, "spec")])
        _spoil(holder, key, random)
    return own


def _spoil(holder: Any, key: Any, random: Random) -> None:
    match random.randrange(8):
        case 0 if isinstance(holder, dict):
            holder.pop(key, None)
        case 1 if isinstance(holder, dict):
            holder["colour"] = deepcopy(random.choice(ODD_VALUES))
        case 2 | 3 if isinstance(holder, list):
            holder.append(deepcopy(holder[key]))
        case 4 if isinstance(holder, list):
            del holder[key]
        case _:
            holder[key] = deepcopy(random.choice(ODD_VALUES))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a value: what holds it, and its key or index."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, Any]] = []
    for key, inner in list(below):
        found += [(value, key), *_places(inner)]
    return found
