"""Jobs and pods of a user, with secrets where a reduced object may have none."""

from typing import Any

from kueuelift.model import KubernetesObject
from part_recorder import obj

QUEUE = {"kueue.x-k8s.io/queue-name": "main"}


def pod_spec(**spec: Any) -> dict[str, Any]:
    container = {
        "name": "work",
        "image": "registry.example/work:1",
        "args": ["--password=hunter22"],
        "env": [{"name": "TOKEN", "value": "hunter22"}],
        "resources": {"requests": {"cpu": "2", "example.com/gpu": "1"}, "claims": [{"name": "gpu"}]},
    }
    return {
        "containers": [container],
        "volumes": [{"name": "v", "secret": {"secretName": "hunter22"}}],
        "nodeSelector": {"pool": "hunter22"},
        **spec,
    }


KEPT_POD = {
    "containers": [
        {
            "name": "work",
            "image": "registry.example/work:1",
            "resources": {"requests": {"cpu": "2", "example.com/gpu": "1"}, "claims": [{"name": "gpu"}]},
        }
    ]
}


def pod(name: str = "p", **body: Any) -> KubernetesObject:
    return obj("v1", "Pod", name, "team-a", **({"spec": pod_spec()} | body))


def job(name: str = "j", template: dict[str, Any] | None = None, **body: Any) -> KubernetesObject:
    spec = {"suspend": True, "template": {"metadata": template or {}, "spec": pod_spec()}}
    return obj("batch/v1", "Job", name, "team-a", **({"spec": spec} | body))
