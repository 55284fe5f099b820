"""Helm's release records, made as Helm makes them: a Secret or a ConfigMap each."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from kueuelift.model import KubernetesObject

QUEUE_MANIFEST = """---
# Source: kueue/templates/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: main
  namespace: team-a
spec:
  clusterQueue: shared
"""
HOOK_MANIFEST = """apiVersion: batch/v1
kind: Job
metadata:
  name: kueue-setup
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "-5"
"""
FOREIGN_MANIFEST = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n"


def release(
    *,
    name: str = "kueue",
    chart: str = "kueue",
    version: int = 1,
    config: Mapping[str, Any] | None = None,
    manifest: str = QUEUE_MANIFEST,
    namespace: str = "kueue-system",
    **more: Any,
) -> dict[str, Any]:
    """A record as Helm keeps it, less what nobody reads."""
    return {
        "name": name,
        "namespace": namespace,
        "version": version,
        "info": {
            "status": "deployed",
            "notes": "told once",
            "first_deployed": "2026-01-05T08:00:00.123456789Z",
            "last_deployed": "2026-02-06T09:00:00Z",
            "deleted": "",
            "description": "Install complete",
        },
        "chart": {"metadata": {"name": chart, "version": "0.12.2", "appVersion": "v0.12.2"}, "values": {}},
        "config": dict(config or {}),
        "manifest": manifest,
        **more,
    }


def hook(manifest: str = HOOK_MANIFEST, **more: Any) -> dict[str, Any]:
    """A hook as a record has it."""
    return {
        "name": "kueue-setup",
        "kind": "Job",
        "path": "kueue/templates/setup.yaml",
        "manifest": manifest,
        "events": ["pre-install", "pre-upgrade"],
        "last_run": {"started_at": "2026-01-05T08:00:01Z", "completed_at": "", "phase": "Succeeded"},
        "weight": -5,
        "delete_policies": ["before-hook-creation"],
        **more,
    }


def foreign(*, name: str = "web", version: int = 1, **more: Any) -> dict[str, Any]:
    """The record of a release that has nothing to do with Kueue."""
    return release(name=name, version=version, **{"chart": "nginx", "manifest": FOREIGN_MANIFEST, **more})


def encoded(content: bytes) -> str:
    """Base64 twice over gzip, as a Secret's data has it."""
    return base64.b64encode(base64.b64encode(gzip.compress(content, mtime=0))).decode()


def secret(
    record: Mapping[str, Any] | None = None, *, data: str | None = None, name: str = "", namespace: str = "kueue-system"
) -> KubernetesObject:
    """The Secret of a record, or one with other data."""
    record = record or release()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "helm.sh/release.v1",
        "metadata": _metadata(record, name) | {"namespace": namespace},
        "data": {"release": data if data is not None else encoded(json.dumps(record).encode())},
    }


def config_map(record: Mapping[str, Any] | None = None, *, data: str | None = None, name: str = "") -> KubernetesObject:
    """The ConfigMap of a record, as HELM_DRIVER=configmap leaves it, or one with other data."""
    record = record or release()
    packed = base64.b64encode(gzip.compress(json.dumps(record).encode(), mtime=0)).decode()
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(record, name),
        "data": {"release": data if data is not None else packed},
    }


def _metadata(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {
        "name": name or f"sh.helm.release.v1.{record['name']}.v{record['version']}",
        "namespace": "kueue-system",
        "labels": {"owner": "helm", "name": record["name"], "version": str(record["version"])},
    }
