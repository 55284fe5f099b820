"""Feature gates in the release's values that the target's manager refuses to start with."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.gate_set import conflicts, refusal_of, refusals
from kueuelift_transform.gates import gates_set, hidden_places
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    profile, installation = view.profile, view.installation
    for path in hidden_places(installation, profile.chart):
        detail = f"{path} is hidden in the snapshot, so its feature gates were not compared"
        yield Verdict(detail=detail, severity=Severity.ACTION, state=State.UNKNOWN)
    for detail in sorted(_refused(view)):
        yield _verdict(view, detail)


def _refused(view: View) -> Iterator[str]:
    found = gates_set(view.installation, view.profile.chart)
    places = {setting.where for setting in found}
    for setting in found:
        if why := refusal_of(setting.name, on=setting.enabled, release=view.release):
            yield f"{setting.name}={str(setting.enabled).lower()} in {setting.where}: {why}"
    if len(places) > 1:
        yield f"gates in {' and '.join(sorted(places))}: the manager takes them from one place only"
    yield from conflicts({setting.name: setting.enabled for setting in found}, view.release)


def _verdict(view: View, detail: str) -> Verdict:
    """Handled where the plan sets the gates so that the manager starts."""
    step = view.first_step("helm")
    if step and not view.settings.refusal and not refusals(view.settings.gates, view.release):
        remedy = "nothing to do: helm/values.yaml has a set that the manager starts with"
        return Verdict(detail=detail, state=State.HANDLED, handled_by=step, remedy=remedy)
    return Verdict(detail=detail)


RULE = Rule(
    id="KL401",
    severity=Severity.BLOCKER,
    title="Feature gate refused by the target",
    why="a manager that is given a gate it does not know, or another value for a locked one, ends at once",
    remedy="remove the gate from the release's values with the old release still running, then take a new snapshot",
    source="kueue pkg/features/kube_features.go at each release",
    check=_check,
)
