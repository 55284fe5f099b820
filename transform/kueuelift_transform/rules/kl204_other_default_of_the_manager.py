"""Settings that nobody wrote down and that the target's manager takes otherwise."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    for change in view.settings.changes if view.first_step("helm") else ():
        if change.category is Category.EFFECT:
            values = f" ({change.before} before, {change.after} from then on)" if change.before != change.after else ""
            yield Verdict(
                detail=f"{change.path}: {change.reason}{values}",
                objects=[view.settings.config_map],
                severity=change.severity,
            )


RULE = Rule(
    id="KL204",
    severity=Severity.ACTION,
    title="The manager works otherwise where nothing is said",
    why="the same text means something else to the new manager",
    remedy="write the old value down in the release's values if it is to stay",
    source="kueue apis/config/v1beta1/defaults.go and v1beta2/defaults.go at each release; CHANGELOG-0.19",
    check=_check,
)
