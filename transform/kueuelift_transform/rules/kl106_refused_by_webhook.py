"""Objects that the target's CRDs accept and Kueue's own webhooks refuse."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.inadmissible import Inadmissible
from kueuelift_transform.loss_ledger import in_any_item
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    grouped: dict[tuple[bool, str, str, str], list[Inadmissible]] = {}
    for one in view.ledger.inadmissible:
        key = (one.broken.rewritable, one.broken.rule, in_any_item(one.broken.path), str(one.already))
        grouped.setdefault(key, []).append(one)
    for (rewritable, number, path, _), found in sorted(grouped.items()):
        first = found[0]
        detail = f"{path}: found {first.broken.found}, wanted {first.broken.wanted} ({number})"
        if first.already is not None:
            detail += f"; release {view.source} {'refuses' if first.already else 'accepts'} it"
        yield Verdict(
            detail=detail,
            objects=list(dict.fromkeys(str(one.ref) for one in found)),
            severity=Severity.ACTION if rewritable else Severity.BLOCKER,
            remedy=_remedy(first),
        )


def _remedy(found: Inadmissible) -> str | None:
    if found.broken.rewritable:
        return "the webhook lets this be while nobody changes it; mend it before the object is edited or created anew"
    if found.ref.kind == "Workload":
        return "a Workload is as its job and Kueue made it: let the job end, or delete it, then take a new snapshot"
    return None


RULE = Rule(
    id="KL106",
    severity=Severity.BLOCKER,
    title="Object refused by the target's webhook",
    why="Kueue judges the whole object at every update, so no later one goes through, not even the storage rewrite",
    remedy="change the object in the cluster so that it keeps the rule, then take a new snapshot",
    source="kueue pkg/webhooks at each release, the rule's number in brackets; judged by the webhooks of v0.17.0",
    check=_check,
)
