"""Feature gates in the release's values that the target's manager refuses to start with."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.gates import gates_set, hidden_places
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    profile, installation = view.profile, view.installation
    for path in hidden_places(installation, profile.chart):
        detail = f"{path} is hidden in the snapshot, so its feature gates were not compared"
        yield Verdict(detail=detail, severity=Severity.ACTION, state=State.UNKNOWN)
    for setting in gates_set(installation, profile.chart):
        gate = profile.gates.get(setting.name)
        said = f"{setting.name}={str(setting.enabled).lower()} in {setting.where}"
        if gate is None:
            yield Verdict(detail=f"{said}: release {view.release} knows no such gate")
        elif gate.locked and setting.enabled != gate.default:
            yield Verdict(detail=f"{said}: release {view.release} has it locked to {str(gate.default).lower()}")


RULE = Rule(
    id="KL401",
    severity=Severity.BLOCKER,
    title="Feature gate refused by the target",
    why="a manager that is given a gate it does not know, or another value for a locked one, ends at once",
    remedy="remove the gate from the release's values with the old release still running, then take a new snapshot",
    source="kueue pkg/features/kube_features.go at each release",
    check=_check,
)
