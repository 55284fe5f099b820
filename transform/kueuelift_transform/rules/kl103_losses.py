"""Fields that have no home at v1beta2, or mean something else there."""

from collections.abc import Iterator

from kueuelift.model import Loss, ObjectRef, Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    grouped: dict[tuple[str, str, str], list[Loss]] = {}
    for loss in view.ledger.losses:
        grouped.setdefault((loss.kind, _field(loss.path), loss.reason), []).append(loss)
    for (kind, path, reason), losses in sorted(grouped.items()):
        names = [str(ObjectRef(kind=kind, namespace=loss.namespace, name=loss.name)) for loss in losses]
        written_by_kueue = path.startswith("status")
        yield Verdict(
            detail=f"{kind} {path}: {reason}",
            objects=list(dict.fromkeys(names)),
            severity=Severity.NOTICE if written_by_kueue else Severity.ACTION,
            remedy="nothing to do: Kueue writes the status itself" if written_by_kueue else None,
        )


def _field(path: str) -> str:
    """The path without the places in lists, which differ from object to object."""
    head, *rest = path.split("[")
    return head + "".join(f"[]{part.partition(']')[2]}" for part in rest)


RULE = Rule(
    id="KL103",
    severity=Severity.ACTION,
    title="Fields lost on the way to v1beta2",
    why="what these fields asked for no longer happens, and going back does not bring them back",
    remedy="read losses.json, decide whether the field is missed, and note the decision in the ticket",
    source="kueue v0.17.0, apis/kueue/v1beta1",
    check=_check,
)
