"""Feature gates that nobody sets and whose default is another at the target, and set ones that are on their way out."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.gate_set import default_changes, deprecated
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    source, gates = view.source.release, view.settings.gates
    if source is None or not view.first_step("helm"):
        return
    turned: dict[str, list[str]] = {}
    for change in default_changes(gates, view.release, source):
        turned.setdefault(change.reason, []).append(change.name)
    for reason, names in sorted(turned.items()):
        yield Verdict(detail=f"{', '.join(names)}: {reason}")
    for name in deprecated(gates, view.release):
        yield Verdict(
            detail=f"{name} is set, and a later release will not know it any more",
            remedy="take it out of the release's values once the target runs",
        )


RULE = Rule(
    id="KL207",
    severity=Severity.NOTICE,
    title="Feature gates with another default",
    why="what the gates guard is turned on or off by the upgrade alone",
    remedy="set the gate in the release's values where the old behaviour is to stay",
    source="kueue pkg/features/kube_features.go at each release",
    check=_check,
)
