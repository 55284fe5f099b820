"""What converting a Configuration changes, as data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kueuelift.model import Severity


class Category(StrEnum):
    """What happens to a setting, or to what it means."""

    DROPPED = "dropped"
    MOVED = "moved"
    MERGED = "merged"
    DEFAULTED = "defaulted"
    """Written down now, since it would mean something else if it were left out."""
    EFFECT = "effect"
    """Nothing is written, and the new manager works otherwise than the old one."""
    COMMENT = "comment"
    """A comment that stood in what is gone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One change, and why."""

    path: str
    """`waitForPodsReady.blockAdmission`."""
    category: Category
    reason: str
    before: Any = None
    after: Any = None
    severity: Severity = Severity.NOTICE
    """How much it matters to whoever runs the manager; a blocker needs a decision that no tool can make."""
    meaning_kept: bool = True
    """Whether the new manager does what the old one did."""
