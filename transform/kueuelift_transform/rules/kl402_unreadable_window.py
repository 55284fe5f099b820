"""From when to when the webhook kinds can be read in one version only."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    begin, end = view.first_step("replace-crds"), view.first_step("await")
    if begin and end and view.captured.crds and view.crds.hooked:
        yield Verdict(
            detail=f"from step {begin} until step {end} is done, {', '.join(view.crds.hooked)} can be read only in "
            "the version that each object is stored in; clients of another version get errors",
            state=State.HANDLED,
            handled_by=end,
        )


RULE = Rule(
    id="KL402",
    severity=Severity.NOTICE,
    title="Kinds unreadable in other versions for a while",
    why="their CRDs name a conversion webhook that nobody answers until the new manager is up",
    remedy="expect errors of dashboards, GitOps controllers and kubectl in this window; they end with it",
    source="seen on Kubernetes 1.35.4 with Kueue 0.17.0",
    check=_check,
)
