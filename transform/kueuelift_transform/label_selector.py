"""Selectors of labels: what is wrong with one, and what it selects."""

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelift import label_syntax

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def selector_problems(selector: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a selector: path below it, what was found, what is wanted."""
    for key, value in (selector.get("matchLabels") or {}).items():
        if not label_syntax.is_label_key(key):
            yield "matchLabels", repr(key), "a label key"
        if not label_syntax.is_label_value(value or ""):
            yield f"matchLabels[{key}]", repr(value), "a label value"
    for index, given in enumerate(selector.get("matchExpressions") or []):
        wanted = given or {}
        place, values = f"matchExpressions[{index}]", wanted.get("values") or []
        operator = wanted.get("operator", "")
        if operator not in _OPERATORS:
            yield f"{place}.operator", repr(operator), f"one of {', '.join(_OPERATORS)}"
        elif bool(values) != (operator in ("In", "NotIn")):
            yield f"{place}.values", f"{len(values)} values", f"{'some' if not values else 'none'} for {operator}"
        if not label_syntax.is_label_key(wanted.get("key", "")):
            yield f"{place}.key", repr(wanted.get("key", "")), "a label key"
        for number, value in enumerate(values):
            if not label_syntax.is_label_value(value or ""):
                yield f"{place}.values[{number}]", repr(value), "a label value"


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a selector without problems selects what has these labels."""
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_meets(wanted, labels) for wanted in selector.get("matchExpressions") or [])


def _meets(wanted: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = wanted["key"], wanted.get("values") or []
    match wanted["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels
