"""A version that the source serves and the target does not: manifests and clients left at it fail from then on."""

from collections import defaultdict
from collections.abc import Iterator

from kueuelift import crd
from kueuelift.model import Severity
from kueuelift_transform.rule import Rule, Verdict
from kueuelift_transform.view import View


def _check(view: View) -> Iterator[Verdict]:
    gone: dict[str, list[str]] = defaultdict(list)
    for plural, before in sorted(view.captured.crds.items()):
        after = view.crds.target.get(plural)
        for version in crd.served_versions(before):
            if after is not None and version not in crd.served_versions(after):
                gone[version].append(plural)
    for version, plurals in sorted(gone.items()):
        yield Verdict(
            detail=f"from step {view.first_step('replace-crds')} on, {version} of {' and '.join(plurals)} is refused; "
            "manifests in Git, Helm charts and scripts that still say so fail, while the objects themselves live on"
        )


RULE = Rule(
    id="KL105",
    severity=Severity.ACTION,
    title="A version is served no more",
    why="a GitOps controller or pipeline that applies the old version fails from then on",
    remedy="change these manifests to v1beta2 together with the change, and pause what applies them until then",
    source="CRDs of the source in the snapshot, and of the target",
    check=_check,
)
