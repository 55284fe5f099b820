"""A Configuration that the user never set: the old chart's own, which the new chart would replace with another."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    settings, step = view.settings, view.first_step("helm")
    path = view.profile.chart.values["manager_config"]
    if not step or not view.installation.record or settings.refusal:
        return
    if settings.pinned:
        yield Verdict(
            detail=f"{path} was never set, and the chart of {view.release} would put another Configuration in effect; "
            f"helm/values.yaml writes down what {settings.origin} has now",
            state=State.HANDLED,
            handled_by=step,
            severity=Severity.NOTICE,
            remedy="take it out of the values later, to follow the chart's own from then on",
        )
    elif not settings.known:
        yield Verdict(
            detail=f"{path} is not set and the snapshot has no {settings.config_map}: whether "
            f"the chart of {view.release} changes what is in effect was not judged",
            state=State.UNKNOWN,
        )


RULE = Rule(
    id="KL209",
    severity=Severity.ACTION,
    title="The chart's own Configuration changes",
    why="its default frameworks and limits grow from release to release, so jobs can be taken that were left alone",
    remedy="compare the two charts' values.yaml, or take a snapshot with the right to read ConfigMaps",
    source="kueue charts/kueue/values.yaml, v0.12.2 to v0.19.2",
    check=_check,
)
