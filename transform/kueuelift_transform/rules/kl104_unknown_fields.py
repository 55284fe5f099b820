"""Fields that an object's own CRD does not know."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    for field, objects in sorted(view.ledger.unknown_fields.items()):
        yield Verdict(detail=f"{field} is no field of that kind", objects=objects)


RULE = Rule(
    id="KL104",
    severity=Severity.ACTION,
    title="Unknown field in an object",
    why="the API server drops it without a word, so whatever it was meant to do is not done, before and after",
    remedy="correct the spelling or the version at the object's source, or remove the field",
    source="Kubernetes 1.35.4, pruning of structural schemas",
    check=_check,
)
