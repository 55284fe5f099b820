"""Cohorts that are their own ancestors."""

from collections.abc import Iterator

from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    references = view.ledger.references
    for ring in references.cycles():
        queues = references.queues_below(ring)
        idle = f"admitting nothing: {', '.join(queues)}" if queues else "no ClusterQueue is below them"
        yield Verdict(
            detail=f"parentName goes round in a circle: {' -> '.join([*ring, ring[0]])}; {idle}",
            objects=[*(f"Cohort {name}" for name in ring), *queues],
        )


RULE = Rule(
    id="KL107",
    severity=Severity.ACTION,
    title="Cohorts in a circle",
    why="no webhook refuses it, and every ClusterQueue of the tree is inactive until the circle is broken",
    remedy="give one of the Cohorts another parentName, or none",
    source="kueue v0.17.0, pkg/cache/hierarchy/cycle.go",
    check=_check,
)
