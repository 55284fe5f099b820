"""Whether a Kueue controller is up: its Deployment, its conversion webhooks, its admission hooks."""

from collections.abc import Sequence

from kueuelift import crd as crds
from kueuelift.errors import ToolError
from kueuelift.kinds import BY_PLURAL, TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject
from kueuelift_apply.live import Live, collection, crd_path, deployment_path

_PROBE = "kueuelift-probe"


def missing_deployment(live: Live, namespace: str, name: str) -> str | None:
    """What the Deployment lacks; None where every replica of its newest generation is available."""
    deployment = live.get(deployment_path(namespace, name))
    if deployment is None:
        return f"Deployment {namespace}/{name} does not exist"
    status, wanted = deployment.get("status") or {}, deployment["spec"].get("replicas", 1)
    if wanted < 1:
        return f"Deployment {namespace}/{name} is scaled to zero"
    if status.get("observedGeneration", 0) < deployment["metadata"]["generation"]:
        return f"Deployment {namespace}/{name} is not rolled out yet"
    available = min(status.get(field) or 0 for field in ("replicas", "updatedReplicas", "availableReplicas"))
    return (
        None if available >= wanted else f"Deployment {namespace}/{name} has {available} of {wanted} replicas available"
    )


def missing_conversion(live: Live, plurals: Sequence[str]) -> str | None:
    """Which kind's conversion does not answer; None where each can be read in every version that is served."""
    for plural in plurals:
        kind = BY_PLURAL[plural]
        crd = live.get(crd_path(kind))
        if crd is None:
            return f"CustomResourceDefinition {kind.crd_name} does not exist"
        for version in crds.served_versions(crd):
            try:
                next(live.pages(collection(kind, version), page=1, patience=0))
            except ToolError as error:
                return f"{plural} cannot be read at {version} ({error})"
    return None


def missing_admission(live: Live) -> str | None:
    """Why the admission hooks refuse; None where a ResourceFlavor passes them in a dry run."""
    probe: KubernetesObject = {
        "apiVersion": api_version(TARGET_VERSION),
        "kind": "ResourceFlavor",
        "metadata": {"generateName": f"{_PROBE}-"},
        "spec": {},
    }
    try:
        live.create(collection(BY_PLURAL["resourceflavors"], TARGET_VERSION), probe, dryRun="All")
    except ToolError as error:
        return f"the admission hooks do not answer ({error})"
    return None
