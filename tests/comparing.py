"""Compares two made-up snapshots, and what these are made of."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kueuelift import format_schema
from kueuelift.model import KubernetesObject
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.comparison import compare
from kueuelift_snapshot.comparison_result import Comparison, Side
from kueuelift_snapshot.comparison_text import text, to_dict
from snapshot_maker import Cluster, make_snapshot

KEYS = TokenKey(b"1" * 32), TokenKey(b"2" * 32)


def compared(folder: Path, before: Cluster, after: Cluster, **options: Any) -> Comparison:
    """Compare two clusters as options say; what is told of it is fit for its format."""
    sides = []
    for name, cluster in (("A", before), ("B", after)):
        place = folder / f"{name}{len(list(folder.iterdir()))}"
        make_snapshot(place, cluster)
        sides.append(Side(name=name, snapshot=Snapshot.open(place)))
    found = compare(sides[0], sides[1], **options)
    format_schema.check("comparison", to_dict(found))
    assert "\n".join(text(found, lambda _, line: line))
    return found


def told(found: Comparison) -> list[str]:
    """Each change as the text has it, and each edit of it."""
    lines = "\n".join(text(found, lambda _, line: line)).split("\n\n")
    return [line.strip() for block in lines for line in block.splitlines() if line.strip()[0] in "~+-"][2:]


def queue(name: str = "a", **spec: Any) -> KubernetesObject:
    """A ClusterQueue."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"namespaceSelector": {}, **spec},
    }


def local(namespace: str, name: str = "main", **labels: str) -> KubernetesObject:
    """A LocalQueue."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "LocalQueue",
        "metadata": {"namespace": namespace, "name": name} | ({"labels": labels} if labels else {}),
        "spec": {"clusterQueue": "a"},
    }


def workload(name: str, namespace: str = "team-a", **spec: Any) -> KubernetesObject:
    """A Workload."""
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": []}}}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"queueName": "main", "podSets": [pods], **spec},
    }


def groups(quota: Any) -> list[KubernetesObject]:
    """Resource groups with one quota of cpu."""
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    return [{"coveredResources": ["cpu"], "flavors": [flavor]}]


def bare(objects: Sequence[KubernetesObject]) -> Cluster:
    """Objects as they are given, without the CRDs that take long to read."""
    cluster = Cluster(objects=objects, raw=True, records=())
    cluster.release = ""
    return cluster
