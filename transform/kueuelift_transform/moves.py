"""Which field paths a rewrite translates, derived from the conversions, which alone know them."""

from collections.abc import Iterable

from kueuelift.kinds import BY_PLURAL
from kueuelift_transform.conversion import conversion_for

Moves = dict[str, dict[str, list[list[str | None]]]]
"""By plural, then by old version: [from, to] field paths, to None where the field has no home."""


def moves_for(plurals: Iterable[str], version: str) -> Moves:
    """The moves of some kinds from one old version to v1beta2."""
    return {plural: {version: _moves(plural, version)} for plural in plurals}


def _moves(plural: str, version: str) -> list[list[str | None]]:
    conversion = conversion_for(BY_PLURAL[plural].name, version)
    if conversion is None:
        return []
    moved: dict[str, str | None] = {renamed.old: renamed.new for renamed in conversion.renamed}
    moved |= {field.path: None for field in conversion.lossy if field.homeless}
    return [[old, moved[old]] for old in sorted(moved)]
