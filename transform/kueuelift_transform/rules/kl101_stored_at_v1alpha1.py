"""Kinds whose objects lie in etcd at v1alpha1, which no release beside theirs knows."""

from collections.abc import Iterator

from kueuelift.model import Severity, State
from kueuelift_transform.hops import alpha_kinds
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    for plural in alpha_kinds(view.captured.crds):
        count = sum(many for (of, _), many in view.ledger.versions.items() if of == plural)
        yield Verdict(
            detail=f"{plural} stored at v1alpha1: {count}; they keep their names, uids and finalizers on the way",
            state=State.HANDLED,
            handled_by=view.first_step("bridge-crds"),
        )


RULE = Rule(
    id="KL101",
    severity=Severity.ACTION,
    title="Objects stored at v1alpha1",
    why="no release serves v1alpha1 together with a newer version, so the API server refuses the newer CRD",
    remedy="nothing by hand for the objects: the bridge carries them over in place while Kueue stands still",
    source="CRDs of kueue v0.12.2 to v0.14.0; the bridge was seen on Kubernetes 1.35.4",
    check=_check,
)
