"""Semantic comparison of Kubernetes objects; the only importer of deepdiff."""

import re
from dataclasses import dataclass
from typing import Any

from kueuelift.redaction import is_token

MISSING = object()
"""Stands for "no such field"; prints as a dash."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One field that differs."""

    path: str
    """`spec.resourceGroups[0].flavors[1].name`."""
    before: Any
    after: Any

    def __str__(self) -> str:
        """`spec.cohort: "team" -> (none)`."""
        return f"{self.path}: {_shown(self.before)} -> {_shown(self.after)}"


def edits(before: Any, after: Any) -> list[Edit]:
    """Every field that differs, by path; hidden values (tokens) on either side are not compared."""
    if before == after:
        return []
    from deepdiff import DeepDiff  # noqa: PLC0415 - costs 100 ms, and most comparisons end above

    found = DeepDiff(before, after, view="tree", threshold_to_diff_deeper=0)
    listed = [
        Edit(path=_dotted(level.path(output_format="list")), before=_side(level.t1), after=_side(level.t2))
        for levels in found.values()
        for level in levels
        if not (is_token(level.t1) or is_token(level.t2))
    ]
    return sorted(listed, key=lambda edit: edit.path)


def _side(value: Any) -> Any:
    return MISSING if type(value).__name__ == "NotPresent" or repr(value) == "not present" else value


def _dotted(keys: list[Any]) -> str:
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        elif re.fullmatch(r"[A-Za-z0-9_-]+", str(key)):
            text += f".{key}" if text else str(key)
        else:
            text += f"[{key!r}]"
    return text


def _shown(value: Any) -> str:
    return "(none)" if value is MISSING else repr(value)
