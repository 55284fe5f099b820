"""What the plan writes otherwise in the manager's Configuration, the meaning kept."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View

_WORDS = {
    Category.DROPPED: "left out",
    Category.MOVED: "moved",
    Category.MERGED: "taken in",
    Category.DEFAULTED: "written down as {after}",
    Category.COMMENT: "comment left out: {before}",
}


def _check(view: View) -> Iterator[Verdict]:
    step = view.first_step("helm")
    for change in view.settings.changes:
        if step and change.meaning_kept and change.category in _WORDS and not change.path.startswith("featureGates"):
            after = str(change.after).lower() if isinstance(change.after, bool) else change.after
            word = _WORDS[change.category].format(before=change.before, after=after)
            yield Verdict(
                detail=f"{change.path}: {word}; {change.reason}",
                objects=[view.settings.config_map],
                state=State.HANDLED,
                handled_by=step,
            )


RULE = Rule(
    id="KL202",
    severity=Severity.NOTICE,
    title="Configuration rewritten for the target",
    why="the target's version fills in other defaults, and has no place for what the old one had",
    remedy="nothing to do: helm/values.yaml has the new text",
    source="kueue v0.17.0, apis/config/v1beta1/configuration_conversion.go",
    check=_check,
)
