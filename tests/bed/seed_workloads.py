"""The Workloads of the 0.12.2 cluster: most finished, many admitted, a few pending because they ask for too much."""

from collections.abc import Iterator
from typing import Any

from bed.api import KubernetesObject
from bed.seed_objects import BETA, CHECK, IN_USE, LEVELS, PRIORITIES, SINCE

QUEUES = (("team-a", "research"), ("team-b", "training"), ("team-c", "inference"))
"""Namespace and LocalQueue, which is also the name of the ClusterQueue."""

PENDING = 6
"""Never more than this many wait, however many Workloads there are."""


def workloads(count: int) -> Iterator[tuple[KubernetesObject, dict[str, Any]]]:
    """Each Workload of no owner, and the status that its controller gave it; five finished for every three admitted."""
    for index in range(count):
        namespace, queue = QUEUES[index % len(QUEUES)]
        pending = index < min(PENDING, count // 10)
        obj = _workload(index, namespace, queue, cpu="1000000" if pending else "500m")
        if pending:
            yield obj, {"conditions": [condition("QuotaReserved", "Pending", status="False")]}
        else:
            yield obj, _reserved(obj, queue, index, finished=index % 8 < 5)


def owned(job: KubernetesObject, *, queue: str, cluster_queue: str) -> tuple[KubernetesObject, dict[str, Any]]:
    """The admitted Workload that Kueue makes for a Job, and its status; the Job is as the API server gave it back."""
    name, namespace, uid = (job["metadata"][key] for key in ("name", "namespace", "uid"))
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid}
    obj = {
        "apiVersion": BETA,
        "kind": "Workload",
        "metadata": {
            "name": f"job-{name}-{uid[:5]}",
            "namespace": namespace,
            "labels": {"kueue.x-k8s.io/job-uid": uid},
            "finalizers": [IN_USE],
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": {
            "active": True,
            "queueName": queue,
            "podSets": [{"name": "main", "count": job["spec"]["parallelism"], "template": _pod_template(job)}],
        },
    }
    return obj, admitted(obj, cluster_queue, "plain")


def admitted(obj: KubernetesObject, cluster_queue: str, flavor: str) -> dict[str, Any]:
    """The status of an admission to one flavor, with what the pod sets ask for in total."""
    assignments = []
    for pod_set in obj["spec"]["podSets"]:
        requests = pod_set["template"]["spec"]["containers"][0]["resources"]["requests"]
        usage = {name: _times(text, pod_set["count"]) for name, text in requests.items()}
        flavors = dict.fromkeys(requests, flavor)
        assignments.append(
            {"name": pod_set["name"], "count": pod_set["count"], "flavors": flavors, "resourceUsage": usage}
        )
    return {
        "admission": {"clusterQueue": cluster_queue, "podSetAssignments": assignments},
        "conditions": [condition("QuotaReserved", "QuotaReserved"), condition("Admitted", "Admitted")],
    }


def condition(kind: str, reason: str, *, status: str = "True") -> dict[str, Any]:
    """A condition as Kueue writes it."""
    told = {"message": f"{kind} is {status}", "observedGeneration": 1, "lastTransitionTime": SINCE}
    return {"type": kind, "status": status, "reason": reason, **told}


def _workload(index: int, namespace: str, queue: str, *, cpu: str) -> KubernetesObject:
    names = ("leader", "workers") if index % 10 == 7 else ("main",)
    spec: dict[str, Any] = {
        "active": True,
        "queueName": queue,
        "podSets": [_pod_set(name, queue, count=1 if name == "leader" else 2 + index % 3, cpu=cpu) for name in names],
    }
    if index % 4:
        name = "high" if index % 4 == 1 else "low"
        source = "kueue.x-k8s.io/workloadpriorityclass"
        spec |= {"priorityClassName": name, "priority": PRIORITIES[name], "priorityClassSource": source}
    metadata = {"name": f"run-{index:05d}", "namespace": namespace, "labels": {"run": str(index)}}
    return {"apiVersion": BETA, "kind": "Workload", "metadata": metadata, "spec": spec}


def _pod_set(name: str, queue: str, *, count: int, cpu: str) -> dict[str, Any]:
    resources = {"requests": {"cpu": cpu, "memory": "512Mi"}}
    container = {"name": "work", "image": "registry.example/work:1", "resources": resources}
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    request: dict[str, Any] = {"topologyRequest": {"required": LEVELS[0]}} if queue == "inference" else {}
    return {"name": name, "count": count, "template": template, **request}


def _reserved(obj: KubernetesObject, queue: str, index: int, *, finished: bool) -> dict[str, Any]:
    status = admitted(obj, queue, "racked" if queue == "inference" else "plain")
    if queue == "inference":
        for assignment in status["admission"]["podSetAssignments"]:
            assignment["topologyAssignment"] = _topology(assignment["count"], index)
    else:
        names = [{"name": pod_set["name"]} for pod_set in obj["spec"]["podSets"]]
        ready = {"name": CHECK, "state": "Ready", "message": "approved", "lastTransitionTime": SINCE}
        status["admissionChecks"] = [{**ready, "podSetUpdates": names}]
    if finished:
        status["conditions"].append(condition("Finished", "JobFinished"))
        # The field is spelt so in v1beta1.
        status["accumulatedPastExexcutionTimeSeconds"] = 60 + index % 60
    return status


def _topology(count: int, index: int) -> dict[str, Any]:
    """One pod on each of some hosts of a rack; every other assignment names the hosts alone, as newer ones do."""
    hosts = [f"node-{index % 7}-{number}" for number in range(count)]
    if index % 2:
        return {"levels": [LEVELS[-1]], "domains": [{"count": 1, "values": [host]} for host in hosts]}
    block, rack = f"block-{index % 2}", f"rack-{index % 7}"
    return {"levels": list(LEVELS), "domains": [{"count": 1, "values": [block, rack, host]} for host in hosts]}


def _pod_template(job: KubernetesObject) -> dict[str, Any]:
    """The Job's template without the labels that the Job's own controller puts there."""
    template = dict(job["spec"]["template"])
    labels = template.get("metadata", {}).get("labels", {})
    own = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")
    template["metadata"] = {"labels": {key: value for key, value in labels.items() if key not in own}}
    return template


def _times(quantity: str, count: int) -> str:
    """A request times the pods, in the spelling of the request's own unit."""
    digits = quantity.rstrip("Mim")
    return f"{int(digits) * count}{quantity[len(digits) :]}"
