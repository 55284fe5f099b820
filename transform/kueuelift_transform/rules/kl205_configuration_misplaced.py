"""A Configuration in a place of the values where Kueue's chart does not look."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.manager_settings import MISPLACED
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    if view.settings.misplaced:
        right = view.profile.chart.values["manager_config"]
        detail = f"{MISPLACED} does nothing: the chart reads {right} only; if it were moved, {view.settings.misplaced}"
        yield Verdict(detail=detail)


RULE = Rule(
    id="KL205",
    severity=Severity.ACTION,
    title="Configuration where the chart ignores it",
    why="whoever wrote it takes it for being in effect, and it never was",
    remedy="take it out of the release's values, or move it to the top level after reading what that would change",
    source="kueue charts/kueue/templates/manager/manager-config.yaml, v0.12.2 to v0.19.2",
    check=_check,
)
