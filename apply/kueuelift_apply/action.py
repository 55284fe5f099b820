"""What a step kind is: it asks the live cluster whether it is done, does, then proves; and what it works with."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kueuelift.errors import PartlyDoneError
from kueuelift.journal import BACKUPS, Journal
from kueuelift.model import Step
from kueuelift.plan_dir import Plan
from kueuelift.progress import Progress
from kueuelift_apply.helm_program import Helm
from kueuelift_apply.lease import Lease
from kueuelift_apply.live import Live

Detail = Mapping[str, Any]
"""What goes to the journal about a step: counts and names, never an object's content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """Whether nothing is left to do for a step, and why."""

    yes: bool
    why: str


@dataclass(kw_only=True, slots=True)
class Run:
    """One apply under way: what actions may use."""

    plan: Plan
    live: Live
    helm: Helm
    journal: Journal
    progress: Progress
    lease: Lease
    accepted_drift: tuple[str, ...]
    deadline: float
    """In seconds of `clock`."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    began: bool = False
    """Whether a step of this run has changed something: from then on a refusal leaves work done in part."""
    finished: set[str] = field(default_factory=set)
    """Ids of steps that this run or an earlier one of the journal has done."""

    @property
    def backups(self) -> Path:
        """Where things are saved before they are changed."""
        return self.journal.folder / BACKUPS

    def steps_of_kind(self, kind: str) -> list[Step]:
        """The plan's steps of one kind, in order."""
        return [step for step in self.plan.steps if step.kind == kind]

    def wait_until(self, what: str, ready: Callable[[], str | None], seconds: float | None = None) -> None:
        """Ask once a second until `ready` gives None; its last answer says what was missing at the end."""
        end = min(self.deadline, self.clock() + seconds) if seconds else self.deadline
        while (missing := ready()) is not None:
            if self.clock() >= end:
                raise PartlyDoneError(
                    f"{what}: waited to the end of the time given, and {missing}; mend it and run again"
                )
            self.lease.keep()
            self.sleep(1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One step kind."""

    kind: str
    done: Callable[[Run, Step], Done]
    do: Callable[[Run, Step], Detail]
    """Does the work; may be called again after a kill at any point of it."""
    prove: Callable[[Run, Step], Detail]
    """Reads the cluster afresh; raises where it is not as the step promises."""
    changes: bool = True
    """False for steps that only look and are not counted as work."""
