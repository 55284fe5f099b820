"""A LocalQueue with quota of its own, for a Job to be admitted by."""

from bed.api import KubernetesObject
from bed.control_plane import ControlPlane

API_VERSION = "kueue.x-k8s.io/v1beta2"


def queue_with_quota(cluster: ControlPlane, *, namespace: str, name: str, cpu: str = "4", memory: str = "4Gi") -> None:
    """Creates the namespace, a flavor, a ClusterQueue and a LocalQueue, the last three of one name."""
    quota = [{"name": "cpu", "nominalQuota": cpu}, {"name": "memory", "nominalQuota": memory}]
    group = {"coveredResources": ["cpu", "memory"], "flavors": [{"name": name, "resources": quota}]}
    api, root = cluster.api, f"/apis/{API_VERSION}"
    api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    api.create(f"{root}/resourceflavors", _object("ResourceFlavor", name, {}))
    api.create(
        f"{root}/clusterqueues", _object("ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": [group]})
    )
    api.create(f"{root}/namespaces/{namespace}/localqueues", _object("LocalQueue", name, {"clusterQueue": name}))


def _object(kind: str, name: str, spec: KubernetesObject) -> KubernetesObject:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
