"""The user's values pin the manager's image tag, which the plan sets to the new release."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.installation import value_at
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    path = view.profile.chart.values["image_tag"]
    pinned, planned = value_at(view.installation.values, path), value_at(view.values, path)
    if planned and (helm := view.first_step("helm")):
        yield Verdict(
            detail=f"{path} is {pinned} in the release's values; the plan sets it to {planned}",
            state=State.HANDLED,
            handled_by=helm,
        )


RULE = Rule(
    id="KL404",
    severity=Severity.ACTION,
    title="Image tag pinned by the release's values",
    why="left as it is, the new chart would run the old manager",
    remedy="make sure that the registry which the cluster pulls from has the image under the new tag (images.txt)",
    source="kueue charts/kueue/templates/manager/manager.yaml at each release",
    check=_check,
)
