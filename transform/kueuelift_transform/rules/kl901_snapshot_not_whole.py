"""The snapshot lacks something, by failure or by choice."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    snapshot = view.captured.snapshot
    for failure in (failure for failure in snapshot.failures if not failure.foreign):
        yield Verdict(
            detail=f"{failure.what} could not be read: {failure.reason}",
            state=State.UNKNOWN,
            remedy=failure.remedy or None,
        )
    for option in snapshot.header["narrowed"]:
        yield Verdict(detail=f"the snapshot was narrowed with {option}", state=State.UNKNOWN)
    if not (snapshot.whole or snapshot.failures or snapshot.header["narrowed"]):
        yield Verdict(detail="the snapshot says of itself that it is not complete", state=State.UNKNOWN)


RULE = Rule(
    id="KL901",
    severity=Severity.ACTION,
    title="Snapshot not whole",
    why="what is missing was not judged, and the plan can be read but not applied",
    remedy="take a whole snapshot and transform again",
    source="the snapshot format, schemas/README.md",
    check=_check,
)
