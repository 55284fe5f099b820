"""Objects that the target's CRDs refuse."""

import re
from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.loss_ledger import in_any_item
from kueuelift_transform.objects import Refusal
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View

_RATCHETS_FROM = (1, 30)


def _check(view: View) -> Iterator[Verdict]:
    grouped: dict[tuple[bool, bool, str, str], list[Refusal]] = {}
    for refusal in view.ledger.refusals:
        lenient = refusal.inherited and _ratchets(view.captured.server_version)
        wanted = refusal.wanted or refusal.found
        key = (refusal.fixed, lenient, in_any_item(refusal.path), wanted)
        grouped.setdefault(key, []).append(refusal)
    for (fixed, lenient, path, wanted), refusals in sorted(grouped.items()):
        first = refusals[0]
        what = f"{path or 'the object'}: found {first.found}, wanted {wanted}" if first.wanted else first.found
        what += f" ({first.rule})" if first.rule else ""
        yield Verdict(
            detail=what,
            objects=list(dict.fromkeys(str(refusal.ref) for refusal in refusals)),
            severity=Severity.ACTION if lenient or fixed else Severity.BLOCKER,
            state=State.HANDLED if fixed else State.OPEN,
            handled_by=view.first_step("restore-objects") if fixed else "",
            remedy=_remedy(first, lenient=lenient),
        )


def _remedy(refusal: Refusal, *, lenient: bool) -> str | None:
    """The exact fix where it is known, and when it has to be made."""
    if not refusal.remedy:
        return _LENIENT if lenient else None
    if refusal.fixed:
        return f"done: {refusal.remedy}; do the same in Git"
    offer = " (transform --fix plans it)" if refusal.fixable else ""
    when = "the API server lets it be until the object's next edit" if lenient else "do it before the change"
    return f"{refusal.remedy}{offer}; {when}"


def _ratchets(server_version: str) -> bool:
    """Whether the API server lets a broken field be while it does not change."""
    found = re.match(r"v?(\d+)\.(\d+)", server_version)
    return bool(found and (int(found[1]), int(found[2])) >= _RATCHETS_FROM)


_LENIENT = "the API server lets this field be while nobody changes it; mend it before the next edit of the object"

RULE = Rule(
    id="KL102",
    severity=Severity.BLOCKER,
    title="Object refused by the target's CRDs",
    why="the object cannot be written at v1beta2; where only an unchanged field is wrong, later edits of it fail",
    remedy="change the object in the cluster so that it fits, then take a new snapshot",
    source="CRDs of the target; ratcheting was seen on Kubernetes 1.35.4",
    check=_check,
)
