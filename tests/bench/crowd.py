"""A cluster with many Workloads: some are created through the API server, the rest are copies of them laid into etcd.

The API server would take half an hour for 100,000 Workloads and their statuses; copies of what it has stored take it
seconds and are the same bytes but for name and uid.
"""

import base64
import http.client
import json
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from bed.api import ApiError
from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.scenario import write_workload
from bed.seed_objects import BETA, NAMESPACES
from bed.waiting import until
from bench.workloads import models
from kueuelift.crd import bundled

RELEASE = "0.12.2"
"""Its Workloads are stored at v1beta1."""

_ROOT = "/registry/kueue.x-k8s.io/workloads/"
_A_TRANSACTION = 100
_COUNT_SECONDS = 600


class Crowd:
    """The Workloads of one cluster, of which there can only be more."""

    def __init__(self, cluster: ControlPlane) -> None:
        """Installs the CRDs, without hooks, and creates the namespaces and the models."""
        self._api = cluster.api
        self._store = _Store(cluster.etcd)
        crds = {"apiVersion": "v1", "kind": "List", "items": list(bundled(RELEASE, service=None).values())}
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(crds))
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        for name in NAMESPACES:
            self._api.create(
                "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            )
        made = [write_workload(self._api, obj, status) for obj, status in models()]
        self._models = [_Model(obj, self._store.read(_key(obj["metadata"]))) for obj in made]
        self.count = len(made)

    @property
    def object_bytes(self) -> int:
        """How large an object is in etcd, on average."""
        return sum(len(model.stored) for model in self._models) // len(self._models)

    def grow(self, count: int) -> None:
        """Adds copies until there are `count`; returns when the API server shows as many."""
        numbers = range(self.count, count)
        for start in range(0, len(numbers), _A_TRANSACTION):
            batch = numbers[start : start + _A_TRANSACTION]
            self._store.write(self._models[number % len(self._models)].copy(number) for number in batch)
        self.count = max(self.count, count)
        if not until(self._shown, seconds=_COUNT_SECONDS):
            raise BedError(f"the API server does not show the {self.count} Workloads that are in etcd")

    def _shown(self) -> bool:
        """Whether the API server has all of them, in its own cache too: that is what answers for a second page."""
        path = f"/apis/{BETA}/workloads?limit=1"
        try:
            first = self._api.get(path)["metadata"]
            self._api.get(f"{path}&continue={first['continue']}")
        except ApiError:
            return False
        return 1 + int(first["remainingItemCount"]) == self.count


class _Model:
    """A stored Workload and where it lies."""

    def __init__(self, obj: dict[str, Any], stored: bytes) -> None:
        metadata = obj["metadata"]
        self.stored = stored
        self._key = _key(metadata)
        self._name, self._uid = (metadata[key].encode() for key in ("name", "uid"))

    def copy(self, number: int) -> tuple[bytes, bytes]:
        """Key and content of another Workload of the same making."""
        name = b"%s-%06d" % (self._name, number)
        content = self.stored.replace(b'"%s"' % self._name, b'"%s"' % name)
        return self._key + name[len(self._name) :], content.replace(self._uid, str(uuid.UUID(int=number)).encode())


class _Store:
    """etcd, by its JSON gateway."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)

    def read(self, key: bytes) -> bytes:
        """The content of a key that exists."""
        return base64.b64decode(self._call("range", {"key": _text(key)})["kvs"][0]["value"])

    def write(self, pairs: Iterator[tuple[bytes, bytes]]) -> None:
        """Puts keys and contents in one transaction."""
        puts = [{"requestPut": {"key": _text(key), "value": _text(content)}} for key, content in pairs]
        self._call("txn", {"success": puts})

    def _call(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        self._connection.request("POST", f"/v3/kv/{what}", body=json.dumps(body))
        response = self._connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise BedError(f"etcd answered {what} with {response.status}: {content[:300].decode(errors='replace')}")
        answer: dict[str, Any] = json.loads(content)
        return answer


def _key(metadata: dict[str, Any]) -> bytes:
    return f"{_ROOT}{metadata['namespace']}/{metadata['name']}".encode()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
