"""A quick yes for Workloads that surely keep every rule, of whatever release and with whatever gates.

There are as many of them as there are jobs, and nearly all are fine. Anything that is not plain is denied, which only
means that the rules are asked one by one.
"""

from collections.abc import Mapping
from typing import Any

from kueuelift.admission.workload_spec import SPEAKING_ANNOTATIONS
from kueuelift.admission.workload_status import counted
from kueuelift.label_syntax import is_label_key, is_label_value
from kueuelift.model import KubernetesObject

_SHORT = 8192
"""A text of so many characters has at most four times as many bytes, which every limit allows."""


def surely_fine(obj: KubernetesObject) -> bool:
    """Tell whether an object certainly breaks no rule."""
    try:
        counts = _plain_pod_sets(obj)
        return counts is not None and _plain_status(obj.get("status") or {}, counts)
    except (AttributeError, KeyError, TypeError, ValueError):
        # Some part is of another type than it should be.
        return False


def _plain_pod_sets(obj: KubernetesObject) -> dict[str, Any] | None:
    """The counts of the pod sets by name; None where something about the spec is to be looked at."""
    annotations = obj["metadata"].get("annotations")
    if annotations and not SPEAKING_ANNOTATIONS.isdisjoint(annotations):
        return None
    variable, counts = 0, dict[str, Any]()
    for pod_set in obj["spec"]["podSets"]:
        counts[pod_set["name"]] = pod_set.get("count")
        variable += "minCount" in pod_set
        request = pod_set.get("topologyRequest")
        if request and any("Slice" in field for field in request):
            return None
        if not _is_plain_template(pod_set["template"]):
            return None
    return counts if variable <= 1 else None


def _is_plain_template(template: Mapping[str, Any]) -> bool:
    metadata, spec = template.get("metadata"), template["spec"]
    if metadata:
        if metadata.get("annotations"):
            return False
        for key, value in (metadata.get("labels") or {}).items():
            if not (is_label_key(key) and is_label_value(value)):
                return False
    if spec.get("resources"):
        return False
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        resources = container.get("resources")
        if resources:
            for field in ("requests", "limits"):
                for name, value in (resources.get(field) or {}).items():
                    if name == "pods" or (value[:1] == "-" if isinstance(value, str) else value < 0):
                        return False
    return True


def _plain_status(status: Mapping[str, Any], counts: Mapping[str, Any]) -> bool:
    reserved = False
    for condition in status.get("conditions") or ():
        kind = condition["type"]
        reserved = reserved or (kind == "QuotaReserved" and condition["status"] == "True")
        long = len(condition.get("message") or "") > _SHORT
        if long or not is_label_key(kind) or condition["lastTransitionTime"].startswith("0001"):
            return False
    if reserved and not _is_plain_admission(status["admission"], counts):
        return False
    for entry in status.get("reclaimablePods") or ():
        if entry["count"] > counts[entry["name"]]:
            return False
    for check in status.get("admissionChecks") or ():
        for update in check.get("podSetUpdates") or ():
            if len(update) > 1 or update["name"] not in counts:
                return False
    return True


def _is_plain_admission(admission: Mapping[str, Any], counts: Mapping[str, Any]) -> bool:
    for assignment in admission.get("podSetAssignments") or ():
        if assignment["name"] not in counts:
            return False
        count = assignment.get("count") or 0
        for name, value in (assignment.get("resourceUsage") or {}).items():
            if count > 0:
                whole = counted(name, value)
                if whole is None or whole % count:
                    return False
    return True
