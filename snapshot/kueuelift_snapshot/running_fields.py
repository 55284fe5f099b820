"""What is left of a running job: the fields that later judgement needs, at their own paths, and no values of users."""

from typing import Any

from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject

_METADATA = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "labels",
    "finalizers",
    "ownerReferences",
)
_ANNOTATIONS = (
    "argoproj.io",
    "codeflare.dev",
    "fluxcd.io",
    "helm.sh",
    "karpenter.sh",
    "kubeflow.org",
    "kubernetes.io",
    "leaderworkerset.sigs.k8s.io",
    "jobset.sigs.k8s.io",
    "ray.io",
    "sparkoperator.k8s.io",
    "x-k8s.io",
)
"""Domains of annotations that say something of queueing, scaling or ownership; a domain's subdomains count."""

_NO_ANNOTATIONS = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})

_SETTINGS = frozenset(
    {
        # Of all kinds.
        "apiVersion", "kind", "name", "replicas", "suspend", "managedBy", "priorityClassName", "priorityClass",
        # Job, CronJob, JobSet, Kubeflow, LeaderWorkerSet, AppWrapper.
        "backoffLimit", "completionMode", "completions", "concurrencyPolicy", "groupName", "minAvailable", "numNodes",
        "numProcPerNode", "parallelism", "path", "queue", "size", "slotsPerWorker", "startupPolicy",
        "ttlSecondsAfterFinished",
        # Ray.
        "enableInTreeAutoscaling", "maxReplicas", "minReplicas", "numOfHosts", "shutdownAfterJobFinishes",
        "submissionMode",
        # Spark.
        "coreLimit", "coreRequest", "cores", "instances", "memory", "memoryOverhead", "mode", "sparkVersion", "type",
    }
)  # fmt: skip
"""Values that are kept wherever they stand below `spec`."""

_MAPPINGS = frozenset(
    {
        "clusterSelector",
        "dynamicAllocation",
        "gpu",
        "labels",
        "resources",
        "resourcesPerNode",
        "schedulingPolicy",
    }
)
"""Small mappings that are kept whole."""

_PRESENT = frozenset({"gcsFaultToleranceOptions"})
"""Kept as an empty mapping: that it is there counts, and a password of Redis is in it."""

_POD = (
    "overhead",
    "priority",
    "priorityClassName",
    "resourceClaims",
    "resources",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "schedulingGates",
)
_CONTAINERS = ("containers", "initContainers")
_CONTAINER = ("name", "image", "resources", "restartPolicy")
_LEFT_OUT = frozenset({"args", "command", "data", "env", "envFrom", "volumeMounts", "volumes"})
_SPARK_SETTINGS = ("spark.dynamicAllocation.", "spark.executor.instances")
_STATUS = (
    "active",
    "availableReplicas",
    "currentReplicas",
    "failed",
    "jobDeploymentStatus",
    "jobStatus",
    "phase",
    "ready",
    "readyReplicas",
    "replicas",
    "serviceStatus",
    "state",
    "succeeded",
    "suspended",
    "terminating",
    "updatedReplicas",
)
_ENDS = frozenset(
    {
        "Complete", "Completed", "Failed", "FailureTarget", "Finished", "JobFailed", "JobSucceeded", "Succeeded",
        "SuccessCriteriaMet", "Suspended",
    }
)  # fmt: skip
"""Types of conditions that say whether a job has ended or waits."""

_DEEPEST = 40


def reduced(obj: KubernetesObject) -> KubernetesObject:
    """The object with its identity, owners, marks, templates without values, and how far it is."""
    spec, status = obj.get("spec"), _status(obj.get("status"))
    kept: KubernetesObject = {
        "apiVersion": obj.get("apiVersion"),
        "kind": obj.get("kind"),
        "metadata": _metadata(obj.get("metadata")),
        "spec": _below(spec, 0) if isinstance(spec, dict) else None,
        "status": status,
    }
    return {key: value for key, value in kept.items() if value}


def _metadata(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict):
        return {}
    kept = {key: metadata[key] for key in _METADATA if metadata.get(key)}
    annotations = _annotations(metadata.get("annotations"))
    return kept | ({"annotations": annotations} if annotations else {})


def _annotations(annotations: Any) -> dict[str, Any]:
    if not isinstance(annotations, dict):
        return {}
    return {name: text for name, text in annotations.items() if _tells(name) and name not in _NO_ANNOTATIONS}


def _tells(name: str) -> bool:
    domain = name.rpartition("/")[0]
    return any(domain == known or domain.endswith(f".{known}") for known in _ANNOTATIONS)


def _below(value: Any, depth: int) -> Any:
    """What is kept of a part of a `spec`; nothing empty."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return [below for item in value if isinstance(item, dict | list) and (below := _below(item, depth + 1))]
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("containers"), list):
        return _pod(value)
    kept: dict[str, Any] = {}
    for key, item in value.items():
        if key in _LEFT_OUT:
            continue
        if key in _PRESENT:
            kept[key] = {}
        elif found := _field(key, item, depth):
            kept[key] = found
        elif key in _SETTINGS and item in (False, 0):
            kept[key] = item
    return kept


def _field(key: str, item: Any, depth: int) -> Any:
    if key == "annotations":
        return _annotations(item)
    if key == "metadata":
        return _metadata(item)
    if key == "sparkConf":
        return _spark(item)
    if key in _MAPPINGS and isinstance(item, dict):
        return item
    if isinstance(item, dict | list):
        return _below(item, depth + 1)
    return item if key in _SETTINGS else None


def _pod(spec: dict[str, Any]) -> dict[str, Any]:
    kept = {key: spec[key] for key in _POD if spec.get(key) is not None}
    for place in _CONTAINERS:
        containers = spec.get(place)
        if isinstance(containers, list) and containers:
            kept[place] = [
                {key: container[key] for key in _CONTAINER if container.get(key)}
                for container in containers
                if isinstance(container, dict)
            ]
    return kept


def _spark(settings: Any) -> dict[str, Any]:
    if not isinstance(settings, dict):
        return {}
    return {name: text for name, text in settings.items() if name.startswith(_SPARK_SETTINGS) or f"{GROUP}/" in name}


def _status(status: Any) -> dict[str, Any]:
    if not isinstance(status, dict):
        return {}
    kept = {key: status[key] for key in _STATUS if isinstance(status.get(key), str | int | bool) and status[key]}
    application = status.get("applicationState")
    if isinstance(application, dict) and application.get("state"):
        kept["applicationState"] = {"state": application["state"]}
    conditions = status.get("conditions")
    ends = [
        {key: condition[key] for key in ("type", "status", "reason") if condition.get(key)}
        for condition in (conditions if isinstance(conditions, list) else ())
        if isinstance(condition, dict) and str(condition.get("type")) in _ENDS
    ]
    return kept | ({"conditions": ends} if ends else {})
