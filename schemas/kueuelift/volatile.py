"""Fields that differ between two looks at the same cluster although nobody decided anything."""

from dataclasses import dataclass
from typing import Any

from kueuelift.model import OWN_VERSION, KubernetesObject


@dataclass(frozen=True, slots=True)
class VolatileField:
    """One field that a comparison hides, and why."""

    path: str
    """`metadata.uid`; `status..x` is at any depth, `(owners) x` in the summary of owners that a snapshot has."""
    reason: str


VOLATILE = (
    VolatileField("metadata.resourceVersion", "changes with every write"),
    VolatileField("metadata.generation", "counts the writes of the spec, and starts again in another cluster"),
    VolatileField("metadata.uid", "given by the cluster; another one means that the object was deleted and made again"),
    VolatileField("metadata.creationTimestamp", "given by the cluster, with the uid"),
    VolatileField("metadata.selfLink", "given by the cluster, up to Kubernetes 1.23"),
    VolatileField("metadata.managedFields", "says who wrote a field and when, not what stands in it"),
    VolatileField(
        "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration",
        "a copy of what was applied last; the fields themselves are compared",
    ),
    VolatileField("metadata.annotations.deployment.kubernetes.io/revision", "counts the writes of a pod template"),
    VolatileField("metadata.ownerReferences[].uid", "given by the cluster to the owner"),
    VolatileField("status..lastTransitionTime", "when something came to be as it is"),
    VolatileField("status..lastUpdateTime", "as above"),
    VolatileField("status..lastProbeTime", "when somebody looked"),
    VolatileField("status..lastHeartbeatTime", "when somebody looked"),
    VolatileField("status..lastActiveTime", "when a remote cluster was last heard of"),
    VolatileField("status..lastChangeTime", "when something came to be as it is"),
    VolatileField("status..observedGeneration", "follows metadata.generation"),
    VolatileField("(owners) managers", "a snapshot's own summary of metadata.managedFields"),
)
"""What is hidden, and counted by field."""

FROM_A_CLUSTER = (
    VolatileField("status", "what a cluster says; manifests have none"),
    VolatileField("metadata.finalizers", "what controllers add; manifests have none"),
)
"""What is hidden where the other side was made from files and has nothing there."""

_SUMMARY = "(owners) "
_ANNOTATIONS = "metadata.annotations."
_OWNERS = "metadata.ownerReferences[]."
_DEEP = "status.."


def _named(prefix: str) -> dict[str, str]:
    """By the last name: the whole path of each volatile field below a prefix."""
    return {field.path.removeprefix(prefix): field.path for field in VOLATILE if field.path.startswith(prefix)}


_IN_ANNOTATIONS, _IN_OWNERS, _IN_STATUS = _named(_ANNOTATIONS), _named(_OWNERS), _named(_DEEP)
_IN_SUMMARY = _named(_SUMMARY)
_IN_METADATA = {
    name: path for name, path in _named("metadata.").items() if not path.startswith((_ANNOTATIONS, _OWNERS))
}


def split(obj: KubernetesObject) -> tuple[KubernetesObject, dict[str, Any]]:
    """An object without its volatile fields, and these by path, each with a value that can be compared."""
    taken: dict[str, Any] = {}
    summary = (obj.get("apiVersion"), obj.get("kind")) == (OWN_VERSION, "Owners")
    rest = _without(obj, _IN_SUMMARY, taken) if summary else dict(obj)
    metadata = rest.get("metadata")
    if isinstance(metadata, dict):
        metadata = _without(metadata, _IN_METADATA, taken)
        if isinstance(metadata.get("annotations"), dict):
            annotations = _without(metadata["annotations"], _IN_ANNOTATIONS, taken)
            # None at all, and none but volatile ones, are the same.
            others = {key: value for key, value in metadata.items() if key != "annotations"}
            metadata = others | ({"annotations": annotations} if annotations else {})
        if isinstance(metadata.get("ownerReferences"), list):
            metadata["ownerReferences"] = [_owner(owner, taken) for owner in metadata["ownerReferences"]]
        rest["metadata"] = metadata
    if isinstance(rest.get("status"), dict):
        rest["status"] = _deep(rest["status"], "", taken)
    return rest, taken


def _without(mapping: dict[str, Any], names: dict[str, str], taken: dict[str, Any]) -> dict[str, Any]:
    taken.update({path: mapping[name] for name, path in names.items() if mapping.get(name) is not None})
    return {key: value for key, value in mapping.items() if key not in names}


def _owner(owner: Any, taken: dict[str, Any]) -> Any:
    if not isinstance(owner, dict):
        return owner
    for name, path in _IN_OWNERS.items():
        taken.setdefault(path, []).append(owner.get(name))
    return _without(owner, _IN_OWNERS, {})


def _deep(value: Any, place: str, taken: dict[str, Any]) -> Any:
    """A status without these fields, which are kept with their places."""
    if isinstance(value, list):
        return [_deep(item, f"{place}[{index}]", taken) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    rest = {}
    for key, item in value.items():
        if key in _IN_STATUS and not isinstance(item, dict | list):
            taken.setdefault(_IN_STATUS[key], {})[place] = item
        else:
            rest[key] = _deep(item, f"{place}.{key}", taken)
    return rest
