"""Objects that name others which are not there."""

from collections.abc import Iterator

from kueuelift.kinds import KINDS
from kueuelift.model import Severity, State
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    captured = view.captured
    listed = captured.snapshot.header["lists"]
    known = [kind.name for kind in KINDS if kind.plural in listed]
    where = "these files" if captured.from_files else "the cluster"
    for dangling in view.ledger.references.dangling(known):
        yield Verdict(
            detail=f"{dangling.kind} {dangling.name} is not in {where}: {dangling.consequence}",
            objects=dangling.objects,
            state=State.UNKNOWN if captured.from_files else State.OPEN,
        )


RULE = Rule(
    id="KL108",
    severity=Severity.NOTICE,
    title="Reference to an object that is not there",
    why="neither CRD nor webhook asks, before and after the move, so it shows only in what is not admitted",
    remedy="create what is named, or correct the name",
    source="kueue v0.17.0, pkg/cache/scheduler/clusterqueue.go and pkg/controller/admissionchecks",
    check=_check,
)
