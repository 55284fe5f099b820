"""Workloads as batch jobs make them: about 3 kB each as they lie in etcd, managed fields and all."""

from collections.abc import Iterator
from typing import Any

from bed import seed_workloads
from bed.api import KubernetesObject

MODELS = 24
"""Enough for each namespace to have pending, admitted and finished ones, with one pod set and with two."""


def models() -> Iterator[tuple[KubernetesObject, dict[str, Any]]]:
    """Each Workload that the others are made after, and its status."""
    for obj, status in seed_workloads.workloads(MODELS):
        index = obj["metadata"]["labels"].pop("run")
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": f"train-{index}", "controller": True}
        uid = f"6f1d2c3b-0000-4000-8000-{int(index):012d}"
        obj["metadata"] |= {
            "labels": {"kueue.x-k8s.io/job-uid": uid},
            "finalizers": ["kueue.x-k8s.io/resource-in-use"],
            "ownerReferences": [{**owner, "uid": uid, "blockOwnerDeletion": True}],
        }
        for pod_set in obj["spec"]["podSets"]:
            _dress(pod_set["template"], index)
        yield obj, status


def _dress(template: dict[str, Any], index: str) -> None:
    """What a training job's template has beside its image and its requests."""
    template["spec"]["containers"][0] |= {
        "args": ["--epochs=20", f"--run={index}", "--data=s3://bucket.example/sets/2026"],
        "env": [{"name": "WANDB_API_KEY", "value": f"key-of-{index}"}, {"name": "NCCL_DEBUG", "value": "INFO"}],
    }
    template["spec"]["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
