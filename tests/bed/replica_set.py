"""The ReplicaSet of a Deployment, which nothing but `helm --wait` looks at: it counts ready replicas there."""

from bed import deployment as deployments
from bed.api import Api, KubernetesObject

_HASH = "pod-template-hash"


def keep(api: Api, deployment: KubernetesObject, *, ready: int) -> None:
    """Makes the live ReplicaSet of the Deployment's template say what runs, and removes those of older templates."""
    collection = _collection(deployment)
    wanted = _wanted(deployment)
    name = wanted["metadata"]["name"]
    live = None
    for owned in _owned(api, deployment):
        if owned["metadata"]["name"] == name:
            live = owned
        else:
            api.delete(f"{collection}/{owned['metadata']['name']}")
    if live is None:
        live = api.create(collection, wanted, manager="node")
    elif live["spec"]["replicas"] != wanted["spec"]["replicas"]:
        live = api.merge(f"{collection}/{name}", {"spec": {"replicas": wanted["spec"]["replicas"]}}, manager="node")
    counts = {"replicas": wanted["spec"]["replicas"], "readyReplicas": ready, "availableReplicas": ready}
    status = {**counts, "observedGeneration": live["metadata"]["generation"]}
    api.merge(f"{collection}/{name}/status", {"status": status}, manager="node")


def remove(api: Api, deployment: KubernetesObject) -> None:
    """Removes what a Deployment that is gone has left; there is no garbage collector in the bed."""
    for owned in _owned(api, deployment):
        api.delete(f"{_collection(deployment)}/{owned['metadata']['name']}")


def _collection(deployment: KubernetesObject) -> str:
    return f"/apis/apps/v1/namespaces/{deployment['metadata']['namespace']}/replicasets"


def _owned(api: Api, deployment: KubernetesObject) -> list[KubernetesObject]:
    uid = deployment["metadata"]["uid"]
    found: list[KubernetesObject] = api.get(_collection(deployment))["items"]
    return [entry for entry in found if any(o["uid"] == uid for o in entry["metadata"].get("ownerReferences", []))]


def _wanted(deployment: KubernetesObject) -> KubernetesObject:
    metadata, spec = deployment["metadata"], deployment["spec"]
    key = {_HASH: deployments.template_hash(deployment)}
    template = spec["template"]
    labels = template["metadata"]["labels"] | key
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{metadata['name']}-{key[_HASH]}",
            "labels": labels,
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": {
            "replicas": deployments.replicas(deployment),
            "selector": {"matchLabels": spec["selector"]["matchLabels"] | key},
            "template": {**template, "metadata": {**template["metadata"], "labels": labels}},
        },
    }
