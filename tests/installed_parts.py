"""Parts of an installation of Kueue, by another name than the chart gives."""

from collections.abc import Mapping
from typing import Any

from fake_cluster import FakeCluster
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import installation, surroundings
from part_recorder import obj


def deployment(
    name: str, image: str, namespace: str = "batch-system", pods: Mapping[str, str] | None = None, **metadata: Any
) -> KubernetesObject:
    spec = {
        "serviceAccountName": "boss",
        "containers": [{"name": "manager", "image": image, "env": [{"name": "TOKEN", "value": "s3cret-value"}]}],
        "volumes": [{"name": "c", "configMap": {"name": "settings"}}, {"name": "s", "secret": {"secretName": "cert"}}],
    }
    template = {"metadata": {"labels": dict(pods or {"app": "x"})}, "spec": spec}
    return obj("apps/v1", "Deployment", name, namespace, spec={"template": template}, **metadata)


def put(cluster: FakeCluster, **objects: list[KubernetesObject]) -> None:
    named = {resource.plural: resource for resource in (*installation.RESOURCES, *surroundings.RESOURCES)}
    for plural, found in objects.items():
        cluster.lists[named[plural].path()] = found
