"""A Configuration of the manager that the target's would not start with, or that cannot be carried over."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    settings = view.settings
    if not settings.refusal or not view.first_step("helm"):
        return
    if settings.hidden:
        yield Verdict(
            detail=f"{settings.refusal}; whether release {view.release} takes it was not judged",
            severity=Severity.ACTION,
            state=State.UNKNOWN,
            remedy="compare it with the target's fields by hand, or take a snapshot that keeps it in clear",
        )
    else:
        yield Verdict(detail=settings.refusal)


RULE = Rule(
    id="KL201",
    severity=Severity.BLOCKER,
    title="Configuration refused by the target's manager",
    why="the manager reads it strictly and ends at once where it finds something wrong",
    remedy="mend the release's values with the old release still running, then take a new snapshot",
    source="kueue pkg/config/config.go and validation.go at each release",
    check=_check,
)
