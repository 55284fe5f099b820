"""What the bed reads from the Deployment of a Kueue manager, and what it writes into its status."""

import hashlib
import json
from typing import Any

from bed.api import KubernetesObject
from bed.failure import BedError

NAME = "kueue-controller-manager"


def is_manager(deployment: KubernetesObject) -> bool:
    """Whether this is a Kueue manager; charts may put the release's name before `kueue-controller-manager`."""
    return str(deployment["metadata"]["name"]).endswith(NAME)


def path(deployment: KubernetesObject) -> str:
    """Where the Deployment is in the API."""
    metadata = deployment["metadata"]
    return f"/apis/apps/v1/namespaces/{metadata['namespace']}/deployments/{metadata['name']}"


def replicas(deployment: KubernetesObject) -> int:
    """How many replicas are wanted."""
    return int(deployment["spec"].get("replicas", 1))


def image_tag(deployment: KubernetesObject) -> str:
    """The tag of the manager's image, without a digest; empty where it has none."""
    image = str(container(deployment)["image"]).partition("@")[0]
    return image.rpartition("/")[2].partition(":")[2]


def container(deployment: KubernetesObject) -> dict[str, Any]:
    """The manager's container: the one so named, else the first."""
    containers: list[dict[str, Any]] = deployment["spec"]["template"]["spec"]["containers"]
    return next((entry for entry in containers if entry["name"] == "manager"), containers[0])


def volume_source(deployment: KubernetesObject, volume: str, kind: str, key: str) -> str:
    """The object that a volume of the pod template comes from."""
    for entry in deployment["spec"]["template"]["spec"].get("volumes", []):
        if entry["name"] == volume and kind in entry:
            return str(entry[kind][key])
    raise BedError(
        f"Deployment {deployment['metadata']['name']} has no {kind} volume {volume}, so its manager cannot start"
    )


def template_hash(deployment: KubernetesObject) -> str:
    """Changes exactly when the pods would be replaced."""
    text = json.dumps([deployment["metadata"]["uid"], deployment["spec"]["template"]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def status(deployment: KubernetesObject, *, running: int, ready: bool) -> dict[str, Any]:
    """The status as the Deployment controller writes it, without its times."""
    up = running if ready else 0
    available = up >= replicas(deployment)
    counts = {"replicas": running, "updatedReplicas": running, "readyReplicas": up, "availableReplicas": up}
    return {
        "observedGeneration": deployment["metadata"]["generation"],
        **counts,
        "unavailableReplicas": max(replicas(deployment) - up, 0),
        "conditions": [
            _condition("Available", available, "MinimumReplicasAvailable", "MinimumReplicasUnavailable"),
            _condition("Progressing", True, "NewReplicaSetAvailable" if available else "ReplicaSetUpdated"),
        ],
    }


def differs(deployment: KubernetesObject, wanted: dict[str, Any]) -> bool:
    """Whether the live status says something else; an absent count is zero."""
    live = deployment.get("status", {})
    counts = [key for key in wanted if key != "conditions"]
    conditions = {(entry["type"], entry["status"], entry["reason"]) for entry in live.get("conditions", [])}
    return any(live.get(key, 0) != wanted[key] for key in counts) or conditions != {
        (entry["type"], entry["status"], entry["reason"]) for entry in wanted["conditions"]
    }


def _condition(kind: str, holds: bool, reason: str, otherwise: str = "") -> dict[str, Any]:
    return {"type": kind, "status": str(holds), "reason": reason if holds else otherwise, "message": "by the test bed"}
