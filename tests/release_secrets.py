"""Helm's release Secrets, made as Helm makes them."""

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


def release(
    *,
    name: str = "kueue",
    chart: str = "kueue",
    version: int = 1,
    config: Mapping[str, Any] | None = None,
    manifest: str = QUEUE_MANIFEST,
) -> dict[str, Any]:
    """A record as Helm keeps it, less what nobody reads."""
    return {
        "name": name,
        "namespace": "kueue-system",
        "version": version,
        "info": {"status": "deployed", "notes": "told once"},
        "chart": {"metadata": {"name": chart, "version": "0.12.2", "appVersion": "v0.12.2"}, "values": {}},
        "config": dict(config or {}),
        "manifest": manifest,
    }


def encoded(content: bytes) -> str:
    """Base64 twice over gzip, as a Secret's data has it."""
    return base64.b64encode(base64.b64encode(gzip.compress(content, mtime=0))).decode()


def secret(record: Mapping[str, Any] | None = None, *, data: str | None = None, name: str = "") -> KubernetesObject:
    """The Secret of a record, or one with other data."""
    record = record or release()
    return {
        "type": "helm.sh/release.v1",
        "metadata": {
            "name": name or f"sh.helm.release.v1.{record['name']}.v{record['version']}",
            "namespace": "kueue-system",
            "labels": {"owner": "helm", "name": record["name"], "version": str(record["version"])},
        },
        "data": {"release": data if data is not None else encoded(json.dumps(record).encode())},
    }
