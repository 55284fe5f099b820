"""What a target is: who owns the Kueue installation, and how it is changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift.catalogue import discover
from kueuelift.errors import UsageError
from kueuelift.model import Phase, Step
from kueuelift.release_profile import Release
from kueuelift_transform import targets
from kueuelift_transform.captured import Captured
from kueuelift_transform.installation import Installation
from kueuelift_transform.manager_settings import ManagerSettings
from kueuelift_transform.view import View


@dataclass(frozen=True, kw_only=True, slots=True)
class Detection:
    """Whether a snapshot looks as if a target owned its Kueue, and what says so."""

    found: bool
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """One item of the catalogue `targets/`."""

    id: str
    title: str
    needs_chart: bool
    detect: Callable[[Captured], Detection]
    installation: Callable[[Captured], Installation]
    """The installation to change, or to make where there is none; RefusedError where this target does not own it."""
    values: Callable[[Installation, Release, ManagerSettings], Mapping[str, Any]]
    """The chart's values that this plan sets, and no others."""
    steps: Callable[[View], tuple[tuple[Phase, ...], tuple[Step, ...]]]


def all_targets() -> dict[str, Target]:
    """Every target, by id."""
    return {target.id: target for target in discover(targets, "TARGET", Target)}


def target_named(name: str) -> Target:
    """The target that --target names."""
    known = all_targets()
    if name not in known:
        raise UsageError(f"--target {name}: no such target; name one of {', '.join(sorted(known))}")
    return known[name]
