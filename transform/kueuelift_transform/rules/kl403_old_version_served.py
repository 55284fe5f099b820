"""The target still serves v1beta1, which its clients should leave."""

from collections.abc import Iterator

from kueuelift import crd
from kueuelift.kinds import TARGET_VERSION
from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    served = {name for found in view.crds.target.values() for name in crd.served_versions(found)}
    for version in sorted(served - {TARGET_VERSION}):
        yield Verdict(
            detail=f"release {view.release} goes on serving {version}; manifests, scripts and controllers that use it "
            "work, with a warning, until a later release drops it"
        )


RULE = Rule(
    id="KL403",
    severity=Severity.NOTICE,
    title="An old version stays served",
    why="clients left at it break when a later release drops it, and write managedFields entries at it until then",
    remedy="move manifests in Git and clients to v1beta2 after the change",
    source="CRDs of kueue v0.16.0 to v0.19.2",
    check=_check,
)
