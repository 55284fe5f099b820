"""What Kueue and its users leave on an object: labels, annotations, finalizers, scheduling gates."""

from collections.abc import Callable
from typing import Any

from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject

QUEUE_NAME = f"{GROUP}/queue-name"
_OF_THE_INSTALLATION = frozenset({f"charts.{GROUP}", f"rbac.{GROUP}"})
"""Domains of what the chart writes on its own objects: `charts.kueue.x-k8s.io/config-checksum` (chart 0.17.0)."""

_UNSEARCHED = frozenset({"args", "command", "containers", "env", "ephemeralContainers", "initContainers", "volumes"})
"""Long, and no place of a mark."""
_DEEPEST = 30


def is_kueues_group(group: str) -> bool:
    """Whether an API group, or the part of a label before its slash, is Kueue's: `visibility.kueue.x-k8s.io` too."""
    return group == GROUP or group.endswith(f".{GROUP}")


def names_kueue(*values: Any) -> bool:
    """Whether a text in some values, the names of fields among them, says Kueue, in whatever case."""
    left = list(values)
    while left:
        value = left.pop()
        if isinstance(value, str):
            if "kueue" in value.lower():
                return True
        elif isinstance(value, dict):
            left += (*value, *value.values())
        elif isinstance(value, list):
            left += value
    return False


def is_marked(obj: KubernetesObject) -> bool:
    """Whether Kueue has to do with an object: by its own marks, or those of a template in it."""
    metadata = obj.get("metadata") or {}
    spec = obj.get("spec")
    if any(is_mark(metadata.get(field)) for field, is_mark in _OF_METADATA.items()):
        return True
    if obj.get("kind") == "Pod":
        # What there is most of, and it has no templates.
        return isinstance(spec, dict) and _gates(spec.get("schedulingGates"))
    return _marked_below(spec, 0)


def is_executor(obj: KubernetesObject) -> bool:
    """Whether a Pod was made by a Spark driver that is a Pod too: it starts outside quota when it has no marks."""
    metadata = obj.get("metadata") or {}
    return (
        obj.get("kind") == "Pod"
        and (metadata.get("labels") or {}).get("spark-role") == "executor"
        and any(owner.get("kind") == "Pod" for owner in metadata.get("ownerReferences") or ())
    )


def _marked_below(value: Any, depth: int) -> bool:
    """One pass over a part of a `spec`: nearly every job of a cluster comes by here."""
    if isinstance(value, list):
        return depth < _DEEPEST and any(_marked_below(item, depth + 1) for item in value)
    if not isinstance(value, dict):
        return False
    for key, item in value.items():
        if key in _PLACES:
            found = _PLACES[key](item)
        else:
            searched = isinstance(item, dict | list) and key not in _UNSEARCHED and depth < _DEEPEST
            found = searched and _marked_below(item, depth + 1)
        if found:
            return True
    return False


def _kueues(names: Any) -> bool:
    """Whether one of some names, `kueue.x-k8s.io/managed`, is Kueue's."""
    if not isinstance(names, dict | list):
        return False
    return any(f"{GROUP}/" in name and _is_of_jobs(name.partition("/")[0]) for name in names if _is_text(name))


def _is_of_jobs(domain: str) -> bool:
    return is_kueues_group(domain) and domain not in _OF_THE_INSTALLATION


def _gates(gates: Any) -> bool:
    return isinstance(gates, list) and _kueues([gate.get("name") for gate in gates if isinstance(gate, dict)])


def _manager(name: Any) -> bool:
    return _kueues([name])


def _spark(settings: Any) -> bool:
    """Settings such as `spark.kubernetes.driver.label.kueue.x-k8s.io/queue-name`."""
    return isinstance(settings, dict) and any(f"{GROUP}/" in name for name in settings)


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


_OF_METADATA: dict[str, Callable[[Any], bool]] = dict.fromkeys(("labels", "annotations", "finalizers"), _kueues)
_PLACES = _OF_METADATA | {"managedBy": _manager, "schedulingGates": _gates, "sparkConf": _spark}
"""By field: whether what stands there is a mark."""
