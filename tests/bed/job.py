"""A Job for a queue, and the wait until the real controller has admitted it."""

from typing import Any

from bed.api import KubernetesObject
from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.waiting import until

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def submit_job(
    cluster: ControlPlane, *, name: str = "after-the-move", namespace: str = "team-a", queue: str = "free"
) -> KubernetesObject:
    """Creates a suspended batch/v1 Job of one pod with the queue's label."""
    return cluster.api.create(f"/apis/batch/v1/namespaces/{namespace}/jobs", job(name, queue=queue))


def job(name: str, *, queue: str, cpu: str = "100m", memory: str = "64Mi", pods: int = 1) -> KubernetesObject:
    """The Job as its user writes it."""
    resources = {"requests": {"cpu": cpu, "memory": memory}}
    container = {"name": "work", "image": "registry.example/work:1", "resources": resources}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec: dict[str, Any] = {"suspend": True, "parallelism": pods, "completions": pods, "template": template}
    metadata = {"name": name, "labels": {QUEUE_LABEL: queue}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def wait_admitted(cluster: ControlPlane, *, name: str, namespace: str, timeout: float = 60) -> KubernetesObject:
    """The Job's Workload, once it is admitted and the Job is no longer suspended."""
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
    uid = cluster.api.get(path)["metadata"]["uid"]

    def admitted() -> KubernetesObject | None:
        workload = _workload(cluster, namespace, uid)
        done = workload and _holds(workload, "Admitted") and not cluster.api.get(path)["spec"].get("suspend")
        return workload if done else None

    if found := until(admitted, seconds=timeout):
        return found
    told = (_workload(cluster, namespace, uid) or {}).get("status", "it has no Workload")
    raise BedError(f"Job {namespace}/{name} was not admitted within {timeout:.0f} s: {told}")


def _workload(cluster: ControlPlane, namespace: str, uid: str) -> KubernetesObject | None:
    found = cluster.api.get(f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{namespace}/workloads")["items"]
    owned = (w for w in found if any(owner["uid"] == uid for owner in w["metadata"].get("ownerReferences", [])))
    return next(owned, None)


def _holds(workload: KubernetesObject, condition: str) -> bool:
    conditions = workload.get("status", {}).get("conditions", [])
    return any(entry["type"] == condition and entry["status"] == "True" for entry in conditions)
