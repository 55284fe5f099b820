"""The few HTTP calls that the bed makes to its own API server, over kept-alive connections, one per thread.

Not the client under test, on purpose: the bed must not share a fault with what it judges.
"""

import contextlib
import http.client
import json
import ssl
import threading
import time
from typing import Any
from urllib.parse import quote, urlencode

from bed.failure import BedError

KubernetesObject = dict[str, Any]
"""A Kubernetes object as JSON has it."""

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"

_PATIENCE = 20


class ApiError(BedError):
    """An answer that is not a success."""

    def __init__(self, call: str, status: int, message: str) -> None:
        super().__init__(f"{call} answered {status}: {message}")
        self.status = status


class Api:
    """One user's view of an API server on loopback."""

    def __init__(self, *, port: int, certificate: str, token: str) -> None:
        self._port = port
        self._token = token
        self._tls = ssl.create_default_context(cadata=certificate)
        self._local = threading.local()
        self._opened: list[http.client.HTTPSConnection] = []

    def close(self) -> None:
        """Closes the connections of every thread; a later call opens a new one."""
        while self._opened:
            self._opened.pop().close()

    def get(self, path: str) -> KubernetesObject:
        """Reads an object or a list."""
        return self.request("GET", path)

    def find(self, path: str) -> KubernetesObject | None:
        """Reads an object that may be missing."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, path: str, obj: KubernetesObject, *, manager: str = "bed") -> KubernetesObject:
        """Posts an object to its collection."""
        return self.request("POST", path, obj, query={"fieldManager": manager})

    def replace(self, path: str, obj: KubernetesObject, *, manager: str = "bed") -> KubernetesObject:
        """Puts an object, or its status where the path ends so."""
        return self.request("PUT", path, obj, query={"fieldManager": manager})

    def merge(self, path: str, patch: KubernetesObject, *, manager: str = "bed") -> KubernetesObject:
        """Sends a JSON merge patch."""
        return self.request("PATCH", path, patch, content_type=MERGE, query={"fieldManager": manager})

    def apply(self, path: str, obj: KubernetesObject, *, manager: str) -> KubernetesObject:
        """Applies an object server-side."""
        return self.request("PATCH", path, obj, content_type=APPLY, query={"fieldManager": manager, "force": "true"})

    def delete(self, path: str) -> KubernetesObject:
        """Deletes an object."""
        return self.request("DELETE", path)

    def request(
        self,
        method: str,
        path: str,
        body: KubernetesObject | None = None,
        *,
        content_type: str = "application/json",
        query: dict[str, str] | None = None,
    ) -> KubernetesObject:
        """Makes one call and reads its JSON; raises ApiError on any other answer than success."""
        target = quote(path, safe="/?&=%")
        if query:
            target += ("&" if "?" in path else "?") + urlencode(query)
        content = json.dumps(body).encode() if body is not None else None
        status, text = self.raw(method, target, content, content_type)
        for _ in range(_PATIENCE):
            # A changed CRD answers so while its storage starts anew.
            if status != 429:
                break
            time.sleep(1)
            status, text = self.raw(method, target, content, content_type)
        answer = _parse(text)
        if not 200 <= status < 300:
            raise ApiError(f"{method} {path}", status, str(answer.get("message", text[:300])))
        return answer

    def raw(
        self, method: str, target: str, body: bytes | None = None, content_type: str = "application/json"
    ) -> tuple[int, bytes]:
        """Makes one call; the status and the bytes of the answer."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", "Content-Type": content_type}
        kept: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if kept:
            # A server may close an idle connection at any time; only a fresh one proves that it is gone.
            with contextlib.suppress(http.client.HTTPException, OSError):
                return self._send(kept, method, target, body, headers)
            self._drop(kept)
        fresh = self._connect()
        try:
            return self._send(fresh, method, target, body, headers)
        except (http.client.HTTPException, OSError):
            self._drop(fresh)
            raise

    def _connect(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=60)
        self._opened.append(connection)
        return connection

    def _drop(self, connection: http.client.HTTPSConnection) -> None:
        self._local.connection = None
        self._opened.remove(connection)
        connection.close()

    def _send(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        target: str,
        body: bytes | None,
        headers: dict[str, str],
    ) -> tuple[int, bytes]:
        connection.request(method, target, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read()
        self._local.connection = connection
        return response.status, text


def _parse(text: bytes) -> KubernetesObject:
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
