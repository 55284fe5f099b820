"""What changed in the cluster since the snapshot that was not the plan's doing.

A configuration object is as expected where its content equals the original's, or the manifest's once a phase has
moved it. Workloads and status are churn and not compared here.
"""

from dataclasses import dataclass

from kueuelift import crd as crds
from kueuelift.difference import Edit, edits
from kueuelift.errors import RefusedError
from kueuelift.kinds import TARGET_VERSION, Kind, version_of
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.plan_dir import Plan
from kueuelift_apply.live import ApiError, Live, collection, crd_path

NO_CONTENT = frozenset({"apiVersion", "kind", "metadata", "status"})
"""What the user does not decide: type, metadata and status."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """One configuration object that is not as the plan knows it."""

    object: str
    """`ClusterQueue team-a`."""
    what: str
    """`changed: spec.x: 1 -> 2`, `added`, `removed`."""


def content(obj: KubernetesObject) -> KubernetesObject:
    """What the user decides: everything but type, metadata and status."""
    return {key: value for key, value in obj.items() if key not in NO_CONTENT}


class UnreadableError(RefusedError):
    """No version of a kind can be read, for want of somebody who converts it."""


def drifts(plan: Plan, live: Live, kind: Kind) -> list[Drift]:
    """Every object of a configuration kind that differs, is new, or is gone; by name."""
    originals = {ObjectRef.of(obj): obj for obj in plan.originals(kind)}
    manifests = {ObjectRef.of(obj): obj for obj in plan.manifests(kind)}
    crd = live.get(crd_path(kind))
    if crd is None:
        return [Drift(object=str(ref), what="removed, with its CustomResourceDefinition") for ref in sorted(originals)]
    before = {version_of(obj["apiVersion"]) for obj in originals.values()} or {crds.storage_version(crd)}
    found: dict[ObjectRef, list[Edit]] = {}
    for version, objects in _readable(live, kind, crd, sorted({*map(str, before), TARGET_VERSION})):
        expected = manifests if version == TARGET_VERSION else originals
        for obj in objects:
            ref = ObjectRef.of(obj)
            differing = edits(content(expected[ref]), content(obj)) if ref in expected else []
            if ref not in found or not differing:
                found[ref] = differing
    return [
        *(Drift(object=str(ref), what="removed") for ref in sorted(originals.keys() - found.keys())),
        *(Drift(object=str(ref), what="added") for ref in sorted(found.keys() - originals.keys())),
        *(
            Drift(object=str(ref), what=f"changed: {'; '.join(str(edit) for edit in found[ref][:5])}")
            for ref in sorted(found.keys() & originals.keys())
            if found[ref]
        ),
    ]


def _readable(
    live: Live, kind: Kind, crd: KubernetesObject, versions: list[str]
) -> list[tuple[str, list[KubernetesObject]]]:
    """All objects in each version that can be read: between two phases nobody may convert into some of them."""
    readable: list[tuple[str, list[KubernetesObject]]] = []
    failure = ""
    for version in versions:
        if version not in crds.served_versions(crd):
            continue
        try:
            pages = live.pages(collection(kind, version), patience=0)
            readable.append((version, [obj for page in pages for obj in page]))
        except ApiError as error:
            if error.status < 500:
                raise
            failure = error.message
    if failure and not readable:
        raise UnreadableError(
            f"{kind.plural}: cannot be read in any version ({failure}); see why no controller converts them"
        )
    return readable
