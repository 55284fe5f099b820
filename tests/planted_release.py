"""A Helm release with secrets at every place of its record; each `take()` is another secret."""

import json
from typing import Any

from kueuelift import yaml_text
from kueuelift.model import KubernetesObject
from planted_objects import LAST_APPLIED, Take, b64, kubeconfig, pod_spec
from release_secrets import hook, release


def planted_release(take: Take) -> KubernetesObject:
    """Values, chart, manifest, hooks, description and notes."""
    repeated = take()
    values = {
        "database": {"password": repeated, "host": take(), "port": 5432, "replicas": [take(), {"deep": take()}]},
        "controllerManager": {"replicas": 2, "sidecar": {"authToken": take()}},
        "kueueViz": {"backend": {"env": [{"name": "A", "value": take()}]}},
        "metrics": {"remoteWrite": f"https://u:{take()}@prometheus/write", "kubeconfig": kubeconfig(take())},
        "managerConfig": {
            "controllerManagerConfigYaml": "apiVersion: config.kueue.x-k8s.io/v1beta1\n"
            f"kind: Configuration\n# https://u:{take()}@wiki/\nx: {{password: {take()}}}\n"
        },
        "users": {"admins": {"passwords": {take(): "admin"}}},
    }
    defaults = {"global": {"licence": take()}, "kueueViz": {"password": take()}}
    config = values | {"imageCredentials": {"registry": "r", "username": take(), "password": take()}}
    told = f'Upgrade "kueue" failed: cannot reach https://u:{take()}@charts, {repeated} refused'
    test = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "hook"}}
    record = release(
        config=config,
        manifest=planted_manifest(take, repeated),
        info={"status": "failed", "description": told, "notes": f"log in with {take()}"},
        hooks=[hook(yaml_text.dump(test | {"spec": {"template": {"spec": pod_spec(take)}}}))],
    )
    record["chart"] |= {
        "values": defaults,
        "templates": [{"name": "templates/a.yaml", "data": b64(take())}],
        "files": [{"name": "secret.txt", "data": b64(take())}],
    }
    return record


def planted_manifest(take: Take, repeated: str) -> str:
    """Rendered objects, each behind a comment with a secret of its own."""
    pod: dict[str, Any] = pod_spec(take)
    pod["containers"][0]["args"] = [
        "--config=/controller_manager_config.yaml",
        f"--db={repeated}",
        f"--b={b64(repeated)}",
    ]
    annotation = json.dumps({"kind": "Secret", "stringData": {"c": take()}})
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"a": b64(take())}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "b"}, "stringData": {"tls.key": take()}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"x.ini": f"pw = {take()}"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "k"}, "binaryData": {"x": b64(take())}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "kueue", "annotations": {LAST_APPLIED: annotation}},
            "spec": {"template": {"spec": pod}},
        },
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "n"}, "data": {"a": b64(take())}}],
        },
    ]
    return "".join(f"---\n# {take()}\n{yaml_text.dump(obj)}" for obj in objects)
