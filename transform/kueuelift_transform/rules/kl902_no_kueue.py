"""The cluster has no Kueue."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    if not view.captured.installed:
        place = f"{view.installation.namespace}/{view.installation.release}"
        yield Verdict(detail=f"there is nothing to move; the plan installs release {view.release} afresh as {place}")


RULE = Rule(
    id="KL902",
    severity=Severity.NOTICE,
    title="Cluster without Kueue",
    why="a plan for the wrong cluster looks like this too",
    remedy="make sure that the snapshot is of the cluster that you mean",
    source="the snapshot format, schemas/README.md",
    check=_check,
)
