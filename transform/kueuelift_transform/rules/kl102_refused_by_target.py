"""Objects that the target's CRDs refuse."""

import re
from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.objects import Refusal
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View

_RATCHETS_FROM = (1, 30)


def _check(view: View) -> Iterator[Verdict]:
    grouped: dict[tuple[bool, str, str], list[Refusal]] = {}
    for refusal in view.ledger.refusals:
        lenient = refusal.inherited and _ratchets(view.captured.server_version)
        wanted = refusal.wanted or refusal.found
        grouped.setdefault((lenient, re.sub(r"\[\d+\]", "[]", refusal.path), wanted), []).append(refusal)
    for (lenient, path, wanted), refusals in sorted(grouped.items()):
        first = refusals[0]
        what = f"{path or 'the object'}: found {first.found}, wanted {wanted}" if first.wanted else first.found
        yield Verdict(
            detail=what,
            objects=list(dict.fromkeys(str(refusal.ref) for refusal in refusals)),
            severity=Severity.ACTION if lenient else Severity.BLOCKER,
            remedy=_LENIENT if lenient else None,
        )


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
