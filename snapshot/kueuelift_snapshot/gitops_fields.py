"""What is left of the objects of Flux, Argo CD and AKS: all that was written, what stays as it is of their status."""

from collections.abc import Iterator
from typing import Any

from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift_snapshot.marks import is_kueues_group

_GITOPS = (".fluxcd.io", "argoproj.io", "clusterconfig.azure.com", "helm.cattle.io")
"""Groups of objects that may in turn own Kueue's."""

_ARGO_STATUS = ("conditions", "controllerNamespace", "health", "sourceType", "sourceTypes")
_ARGO_PARTS = {"sync": ("status", "revision", "revisions"), "operationState": ("phase", "message")}
_PASSING = frozenset({"Reconciling"})
"""Types of conditions that come and go with every turn of a controller."""


def steady(obj: KubernetesObject) -> KubernetesObject:
    """The object without what changes each time its controller looks, and with the Kueue part of its inventory."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in {"managedFields", "resourceVersion"}}
    kept = {key: value for key, value in obj.items() if key not in {"metadata", "operation", "status"}}
    status = obj.get("status")
    if isinstance(status, dict) and status:
        told = _argo_status(status) if obj.get("kind") == "Application" else _flux_status(status)
        kept["status"] = _timeless(told)
    return kept | {"metadata": metadata}


def inventory(obj: KubernetesObject) -> Iterator[ObjectRef]:
    """The objects of Kueue that an owner's status says it has applied."""
    for entry in _listed(obj, "status", "inventory", "entries"):
        namespace, name, group, kind = _entry(entry)
        if is_kueues_group(group):
            yield ObjectRef(kind=kind, namespace=namespace, name=name)
    for resource in _listed(obj, "status", "resources"):
        if is_kueues_group(str(resource.get("group"))):
            yield ObjectRef.of({"kind": resource.get("kind"), "metadata": resource})


def _flux_status(status: dict[str, Any]) -> dict[str, Any]:
    kept = dict(status)
    if entries := _listed(status, "inventory", "entries"):
        kept["inventory"] = {"entries": [entry for entry in entries if _matters(*_entry(entry)[1:3])]}
    return kept


def _argo_status(status: dict[str, Any]) -> dict[str, Any]:
    kept = {key: status[key] for key in _ARGO_STATUS if status.get(key)}
    for place, wanted in _ARGO_PARTS.items():
        if isinstance(part := status.get(place), dict):
            kept[place] = {key: part[key] for key in wanted if part.get(key)}
    kept["resources"] = [
        resource
        for resource in _listed(status, "resources")
        if _matters(str(resource.get("name")), str(resource.get("group")))
    ]
    return kept


def _listed(value: Any, *path: str) -> list[dict[str, Any]]:
    """The mappings of a list at a path; of anything else none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _matters(name: str, group: str) -> bool:
    return is_kueues_group(group) or group.endswith(_GITOPS) or "kueue" in name


def _entry(entry: dict[str, Any]) -> tuple[str, str, str, str]:
    """Namespace, name, group and kind of `team-a_main_kueue.x-k8s.io_LocalQueue`; a colon in a name is written `__`."""
    namespace, _, rest = str(entry.get("id")).partition("_")
    rest, _, kind = rest.rpartition("_")
    name, _, group = rest.rpartition("_")
    return namespace, name.replace("__", ":"), group, kind


def _timeless(value: Any) -> Any:
    """A value without the moments in it."""
    if isinstance(value, list):
        return [_timeless(item) for item in value if not (isinstance(item, dict) and str(item.get("type")) in _PASSING)]
    if not isinstance(value, dict):
        return value
    return {key: _timeless(item) for key, item in value.items() if not _is_moment(key, item)}


def _is_moment(key: str, item: Any) -> bool:
    return isinstance(item, str) and key.endswith(("Time", "At", "Timestamp"))
