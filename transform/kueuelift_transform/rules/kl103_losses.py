"""Fields that have no home at v1beta2, or mean something else there."""

from collections.abc import Iterator

from kueuelift.manager_config import KIND
from kueuelift.model import Severity
from kueuelift_transform.loss_ledger import in_any_item
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for loss in view.ledger.losses.entries():
        # Those of the manager's Configuration have rules of their own.
        if not loss.meaning_kept and loss.kind != KIND:
            grouped.setdefault((loss.kind, in_any_item(loss.path), loss.reason), []).extend(loss.objects)
    for (kind, path, reason), names in sorted(grouped.items()):
        written_by_kueue = path.startswith("status")
        yield Verdict(
            detail=f"{kind} {path}: {reason}",
            objects=[f"{kind} {name}" for name in sorted(set(names))],
            severity=Severity.NOTICE if written_by_kueue else Severity.ACTION,
            remedy="nothing to do: Kueue writes the status itself" if written_by_kueue else None,
        )


RULE = Rule(
    id="KL103",
    severity=Severity.ACTION,
    title="Fields lost on the way to v1beta2",
    why="what these fields asked for no longer happens, and going back does not bring them back",
    remedy="read losses.json, decide whether the field is missed, and note the decision in the ticket",
    source="kueue v0.17.0, apis/kueue/v1beta1",
    check=_check,
)
