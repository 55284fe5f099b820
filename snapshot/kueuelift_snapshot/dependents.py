"""What Workloads own: ProvisioningRequests, and the PodTemplates that these refer to."""

from collections.abc import Collection, Iterator

from kueuelift.kinds import kind_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.resource import Resource

FOLDER = "dependents"
POD_TEMPLATES = Resource(group="", version="v1", plural="podtemplates")
PROVISIONING_REQUESTS = Resource(group="autoscaling.x-k8s.io", version="v1", plural="provisioningrequests")
"""A CRD defines it: the version that a cluster serves may be another one."""

RESOURCES = (POD_TEMPLATES, PROVISIONING_REQUESTS)


def capture_dependents(capture: Capture) -> None:
    """Whole, streamed by namespace; a PodTemplate may belong to a Workload or to a ProvisioningRequest of one."""
    requests: set[str] = set()

    def request(obj: KubernetesObject) -> KubernetesObject | None:
        if not belongs_to_workload(obj):
            return None
        requests.add(str(obj["metadata"].get("uid")))
        return obj

    def template(obj: KubernetesObject) -> KubernetesObject | None:
        return obj if belongs_to_workload(obj) or belongs_to_one(obj, requests) else None

    namespaces = capture.scope.namespaces
    for resource in capture.custom:
        if resource.name == PROVISIONING_REQUESTS.name:
            capture.part(FOLDER, resource, request, namespaces=namespaces, lines=True)
    capture.part(FOLDER, POD_TEMPLATES, template, namespaces=namespaces, lines=True)


def belongs_to_workload(obj: KubernetesObject) -> bool:
    """Whether a Workload of Kueue owns an object."""
    return any((kind := kind_of(owner)) is not None and kind.per_job for owner in _owners(obj))


def belongs_to_one(obj: KubernetesObject, uids: Collection[str]) -> bool:
    """Whether an object with one of these uids owns an object."""
    return any(str(owner.get("uid")) in uids for owner in _owners(obj))


def _owners(obj: KubernetesObject) -> Iterator[KubernetesObject]:
    yield from (obj.get("metadata") or {}).get("ownerReferences") or ()
