"""The configuration of the 0.12.2 cluster that the journey moves: objects as different hands wrote them."""

from dataclasses import dataclass
from typing import Any

from bed.api import KubernetesObject

NAMESPACES = ("team-a", "team-b", "team-c")
ALPHA = "kueue.x-k8s.io/v1alpha1"
BETA = "kueue.x-k8s.io/v1beta1"
IN_USE = "kueue.x-k8s.io/resource-in-use"
LEVELS = ("cloud.provider.com/block", "cloud.provider.com/rack", "kubernetes.io/hostname")
CHECK = "budget"
PRIORITIES = {"high": 1000, "low": 10}
SINCE = "2026-01-05T08:00:00Z"
"""When everything in the cluster last changed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seed:
    """One object, who writes it, and how: `create`, server-side `apply`, or kubectl's own `client` side apply."""

    plural: str
    obj: KubernetesObject
    manager: str = "kubectl-create"
    way: str = "create"

    @property
    def collection(self) -> str:
        """Where the API server keeps its kind."""
        namespace = self.obj["metadata"].get("namespace")
        inner = f"/namespaces/{namespace}" if namespace else ""
        return f"/apis/{self.obj['apiVersion']}{inner}/{self.plural}"


def configuration(*, cpu: int) -> list[Seed]:
    """Every object but the Workloads, referenced ones first; a ClusterQueue has `cpu` cores and as many gibibytes."""
    return [*_cluster(), *_cohorts(cpu), *_cluster_queues(cpu), *_local_queues()]


def _object(api_version: str, kind: str, name: str, *, finalizer: bool = False, **body: Any) -> KubernetesObject:
    metadata = {"name": name} | ({"finalizers": [IN_USE]} if finalizer else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def _cluster() -> list[Seed]:
    racked = {"nodeLabels": {"pool": "gpu"}, "topologyName": "racks"}
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": "autoscale"}
    check = {"controllerName": "budget.example.com/approval", "parameters": parameters, "retryDelayMinutes": 15}
    provisioning = {
        "provisioningClassName": "check-capacity.autoscaling.x-k8s.io",
        "managedResources": ["nvidia.com/gpu"],
        "retryStrategy": {"backoffLimitCount": 2, "backoffBaseSeconds": 60, "backoffMaxSeconds": 1800},
    }
    worker = {"kubeConfig": {"locationType": "Secret", "location": "worker-1-kubeconfig"}}
    levels = {"levels": [{"nodeLabel": label} for label in LEVELS]}
    flavors: dict[str, dict[str, Any]] = {"plain": {}, "racked": racked}
    return [
        Seed(plural="topologies", obj=_object(ALPHA, "Topology", "racks", finalizer=True, spec=levels)),
        *(
            Seed(plural="resourceflavors", obj=_object(BETA, "ResourceFlavor", name, finalizer=True, spec=spec))
            for name, spec in flavors.items()
        ),
        Seed(
            plural="provisioningrequestconfigs",
            obj=_object(BETA, "ProvisioningRequestConfig", "autoscale", spec=provisioning),
        ),
        Seed(plural="multikueueclusters", obj=_object(BETA, "MultiKueueCluster", "worker-1", spec=worker)),
        Seed(
            plural="multikueueconfigs",
            obj=_object(BETA, "MultiKueueConfig", "workers", spec={"clusters": ["worker-1"]}),
        ),
        Seed(plural="admissionchecks", obj=_object(BETA, "AdmissionCheck", CHECK, finalizer=True, spec=check)),
        *(
            Seed(
                plural="workloadpriorityclasses",
                obj=_object(BETA, "WorkloadPriorityClass", name, value=value, description=f"{name} priority"),
            )
            for name, value in PRIORITIES.items()
        ),
    ]


def _cohorts(cpu: int) -> list[Seed]:
    specs: dict[str, dict[str, Any]] = {
        "company": {"resourceGroups": [_group("plain", cpu=f"{cpu * 1000}m", memory=f"{cpu * 1024}Mi")]},
        "science": {"parent": "company", "fairSharing": {"weight": "2"}},
        "serving": {"parent": "company"},
    }
    return [
        Seed(plural="cohorts", obj=_object(ALPHA, "Cohort", name, spec=spec), manager="argocd-controller", way="apply")
        for name, spec in specs.items()
    ]


def _cluster_queues(cpu: int) -> list[Seed]:
    wide = {"cpu": f"{cpu * 1000}m", "memory": f"{cpu * 1024}Mi"}
    borrowing = _group("plain", **wide)
    borrowing["flavors"][0]["resources"][0] |= {"borrowingLimit": "1000m", "lendingLimit": "0.5"}
    borrowing["flavors"][0]["resources"][1] |= {"borrowingLimit": "1024Mi"}
    rule = {"name": CHECK, "onFlavors": ["plain"]}
    specs: dict[str, dict[str, Any]] = {
        "research": {
            "cohort": "science",
            "resourceGroups": [borrowing],
            "admissionChecks": [CHECK],
            "flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        },
        "training": {
            "cohort": "science",
            "resourceGroups": [_group("plain", **wide)],
            "admissionChecksStrategy": {"admissionChecks": [rule]},
            "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "Preempt"},
        },
        "inference": {
            "cohort": "serving",
            "resourceGroups": [_group("racked", **wide)],
            "flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "TryNextFlavor"},
        },
        "shared": {"resourceGroups": [_group("plain", cpu="16", memory="64Gi")], "queueingStrategy": "BestEffortFIFO"},
    }
    # Two are kept by a GitOps controller, so that their paths are owned; two were created by hand.
    hands = {"research": ("argocd-controller", "apply"), "inference": ("kustomize-controller", "apply")}
    return [
        Seed(
            plural="clusterqueues",
            obj=_object(BETA, "ClusterQueue", name, finalizer=True, spec={"namespaceSelector": {}, **spec}),
            manager=hands.get(name, ("kubectl-create", "create"))[0],
            way=hands.get(name, ("kubectl-create", "create"))[1],
        )
        for name, spec in specs.items()
    ]


def _local_queues() -> list[Seed]:
    places = (
        ("team-a", "research", "research"),
        ("team-a", "free", "shared"),
        ("team-b", "training", "training"),
        ("team-c", "inference", "inference"),
    )
    seeds = []
    for namespace, name, queue in places:
        obj = _object(BETA, "LocalQueue", name, spec={"clusterQueue": queue})
        obj["metadata"]["namespace"] = namespace
        seeds.append(Seed(plural="localqueues", obj=obj, way="client"))
    return seeds


def _group(flavor: str, *, cpu: str, memory: str) -> dict[str, Any]:
    resources = [{"name": "cpu", "nominalQuota": cpu}, {"name": "memory", "nominalQuota": memory}]
    return {"coveredResources": ["cpu", "memory"], "flavors": [{"name": flavor, "resources": resources}]}
