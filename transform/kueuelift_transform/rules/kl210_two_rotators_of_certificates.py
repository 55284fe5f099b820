"""Values that have cert-manager and Kueue itself write the same certificate."""

from collections.abc import Iterator

from kueuelift import yaml_text
from kueuelift.model import Severity
from kueuelift.release_profile import Release
from kueuelift_transform.installation import value_at
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View

_SETTLED_BY_CHART = (Release(major=0, minor=18, patch=3), Release(major=0, minor=19))
"""From these on the chart turns Kueue's own off by itself."""


def _check(view: View) -> Iterator[Verdict]:
    chart, values = view.profile.chart, view.installation.values
    settled = any(view.release >= first for first in _SETTLED_BY_CHART)
    if settled or view.settings.refusal or not view.first_step("helm"):
        return
    if value_at(values, chart.values["cert_manager"]) is not True:
        return
    text = value_at(view.values, chart.values["manager_config"])
    document = yaml_text.load(text, "helm/values.yaml") if isinstance(text, str) else {}
    own = (document or {}).get("internalCertManagement") or {}
    if own.get("enable") is not False:
        yield Verdict(
            detail=f"{chart.values['cert_manager']} is true, and internalCertManagement is not turned off in the "
            f"Configuration, which the chart of {view.release} leaves as it is"
        )


RULE = Rule(
    id="KL210",
    severity=Severity.BLOCKER,
    title="Two write the webhooks' certificate",
    why="Kueue runs its own rotation beside cert-manager's and does not come up",
    remedy="write internalCertManagement: {enable: false} in the Configuration of the release's values, then take a "
    "new snapshot",
    source="kueue charts/kueue/templates/manager/manager-config.yaml, v0.18.1 and v0.18.3; CHANGELOG-0.19",
    check=_check,
)
