"""Feature gates that the plan sets otherwise, so that the target's manager starts."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View

_PLACE = "featureGates."


def _check(view: View) -> Iterator[Verdict]:
    step = view.first_step("helm")
    grouped: dict[tuple[str, bool, str], list[str]] = {}
    for name, word, reason, in_effect in _changes(view) if step else ():
        grouped.setdefault((word, in_effect, reason), []).append(name)
    for (word, in_effect, reason), names in sorted(grouped.items()):
        yield Verdict(
            detail=f"{', '.join(names)} {word}: {reason}",
            severity=Severity.ACTION if in_effect else Severity.NOTICE,
            state=State.HANDLED,
            handled_by=step,
            remedy="decide whether the other behaviour is wanted" if in_effect else None,
        )


def _changes(view: View) -> Iterator[tuple[str, str, str, bool]]:
    """Name, what is done with it, reason, and whether the manager works otherwise by it."""
    for change in view.settings.changes:
        if change.path.startswith(_PLACE):
            merged = change.category is Category.MERGED
            word = "moved into the Configuration" if merged else _word(change.after)
            yield change.path.removeprefix(_PLACE), word, change.reason, not change.meaning_kept
    for gate in view.settings.gate_changes:
        yield gate.name, _word(gate.after), gate.reason, gate.in_effect


def _word(after: bool | None) -> str:
    return "taken out" if after is None else f"set to {str(after).lower()}"


RULE = Rule(
    id="KL206",
    severity=Severity.ACTION,
    title="Feature gates changed for the target",
    why="the manager does not start with a gate that it does not know, or with one that is on without what it needs",
    remedy="nothing to do: helm/values.yaml has the new set",
    source="kueue pkg/features/kube_features.go and pkg/config/validation.go at each release",
    check=_check,
)
