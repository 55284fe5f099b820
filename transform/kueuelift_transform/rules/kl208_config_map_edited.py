"""A Configuration that runs and is not the one in the release's values."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    settings = view.settings
    if settings.edited and view.first_step("helm"):
        yield Verdict(
            detail=f"{settings.config_map} is not what the values say, which the upgrade writes: "
            f"{', '.join(settings.edited)}",
            objects=[settings.config_map],
        )


RULE = Rule(
    id="KL208",
    severity=Severity.ACTION,
    title="Configuration edited beside Helm",
    why="the upgrade puts the values back, and what was edited by hand is gone",
    remedy="take the edit over into the release's values, then take a new snapshot",
    source="kueue charts/kueue/templates/manager/manager-config.yaml at each release",
    check=_check,
)
