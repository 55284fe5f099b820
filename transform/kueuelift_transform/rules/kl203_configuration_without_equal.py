"""Settings of the manager that have no equal at the target."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    for change in view.settings.changes if view.first_step("helm") else ():
        dropped = change.category is Category.DROPPED and not change.path.startswith("featureGates")
        if dropped and not change.meaning_kept:
            yield Verdict(
                detail=f"{change.path}: {change.reason}",
                objects=[view.settings.config_map],
                severity=change.severity,
            )


RULE = Rule(
    id="KL203",
    severity=Severity.BLOCKER,
    title="Setting of the manager without an equal",
    why="what it did is not done any more from the upgrade on, and jobs can be taken that were left alone before",
    remedy="decide what takes its place, change the release's values with the old release still running, then take a "
    "new snapshot",
    source="kueue v0.14.8 and v0.15.0, cmd/kueue/main.go; CHANGELOG-0.14 and CHANGELOG-0.15",
    check=_check,
)
