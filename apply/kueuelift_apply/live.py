"""The cluster adapter of this stage: raw JSON over the kubernetes client's transport, errors as types.

The only importer of `kubernetes` here. Reads and writes go through as bytes, parsed with orjson.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

import orjson
import urllib3
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config

from kueuelift.errors import RefusedError, ToolError
from kueuelift.kinds import GROUP, Kind
from kueuelift.kubeconfig import kubeconfig_files, log_without_secrets
from kueuelift.model import KubernetesObject
from kueuelift.secret_text import without_secrets

PAGE = 500
_THROTTLED = 60.0
"""Seconds for which 429 is waited for at the most: a CRD just replaced answers so while its storage starts."""
WRITERS = 6
"""Four to eight writers saturate an API server (seen on Kubernetes 1.35)."""

IN_CLUSTER = "in-cluster"
"""Stands for a context where the pod's own credentials are used."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_TRANSIENT = {429, 500, 502, 503, 504}
PATIENCE = 60.0
"""Seconds for which a request that fails in passing is tried again, unless told otherwise."""


class ApiError(ToolError):
    """The API server answered with an error that no retry mends."""

    exit_code = 1

    def __init__(self, status: int, method: str, path: str, message: str) -> None:
        super().__init__(f"{method} {path}: the API server answered {status}: {message}")
        self.status = status
        self.message = message


class UnreachableError(RefusedError):
    """The API server cannot be reached, or does not know us."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """How to reach the cluster, as kubectl's flags say it."""

    kubeconfig: Path | None = None
    context: str | None = None
    request_timeout: float = 60.0
    """Seconds; 0 for no limit."""


@dataclass(frozen=True, kw_only=True)
class Live:
    """One cluster; safe to use from several threads."""

    server: str
    """As it may be told: without a password that stands in it."""
    context: str
    access: Access
    """With the context that was found: helm and the backup must never go to another one."""
    _client: Any
    _url: str
    _sleep: Callable[[float], None] = time.sleep
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def connect(cls, access: Access) -> Self:
        """Find credentials as kubectl does: flag, KUBECONFIG, ~/.kube/config, then the pod's own."""
        log_without_secrets()
        configuration = kubernetes_client.Configuration()
        context = _load(access, configuration)
        configuration.retries = False
        configuration.connection_pool_maxsize = 2 * WRITERS
        return cls(
            server=without_secrets(str(configuration.host)),
            _url=str(configuration.host),
            context=context,
            access=access if context == IN_CLUSTER else replace(access, context=context),
            _client=kubernetes_client.ApiClient(configuration),
        )

    def get(self, path: str, **query: str) -> KubernetesObject | None:
        """An object, or None where there is none."""
        try:
            return self.request("GET", path, query=query)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def put(self, path: str, body: KubernetesObject, **query: str) -> KubernetesObject:
        """Replace an object under its resourceVersion."""
        return self.request("PUT", path, body=body, query=query)

    def create(self, path: str, body: KubernetesObject, **query: str) -> KubernetesObject:
        """Create an object in a collection."""
        return self.request("POST", path, body=body, query=query)

    def merge(self, path: str, patch: KubernetesObject) -> KubernetesObject:
        """JSON merge patch."""
        return self.request("PATCH", path, body=patch, content_type="application/merge-patch+json")

    def delete(self, path: str, *, uid: str) -> None:
        """Delete the object with this uid; one that is gone already is what was wanted."""
        try:
            self.request("DELETE", path, body={"preconditions": {"uid": uid}})
        except ApiError as error:
            if error.status != 404:
                raise

    def pages(
        self, path: str, *, metadata_only: bool = False, page: int = PAGE, patience: float = PATIENCE
    ) -> Iterator[list[KubernetesObject]]:
        """The items of a list, page by page."""
        token = ""
        accept = "application/json"
        if metadata_only:
            accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        while True:
            query = {"limit": str(page), **({"continue": token} if token else {})}
            answer = self.request("GET", path, query=query, accept=accept, patience=patience)
            yield answer.get("items") or []
            token = (answer.get("metadata") or {}).get("continue") or ""
            if not token:
                return

    def items(self, path: str) -> list[KubernetesObject]:
        """All items of a list that is known to be short."""
        return [item for page in self.pages(path) for item in page]

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        patience: float = PATIENCE,
    ) -> KubernetesObject:
        """One request; what fails in passing (429, 5xx, a dropped connection) is tried again for `patience` seconds."""
        url = f"{self._url}{path}" + (f"?{urlencode(query)}" if query else "")
        content = None if body is None else orjson.dumps(body)
        waited, pause = 0.0, 0.5
        while True:
            try:
                response = self._send(method, url, content, {"Accept": accept, "Content-Type": content_type})
                status, retry_after = response.status, response.headers.get("Retry-After", "")
                if status < 300:
                    answer: KubernetesObject = orjson.loads(response.data) if response.data else {}
                    return answer
                failure: ToolError = _refusal(status, method, path, response.data, self.server)
            except urllib3.exceptions.HTTPError as error:
                status, retry_after = 503, ""
                failure = UnreachableError(
                    f"{self.server}: cannot be reached ({_cause(error)}); check server and network, then run again"
                )
            limit = _THROTTLED if status == 429 else min(patience, _patience(failure))
            if status not in _TRANSIENT or waited >= limit:
                raise failure
            rest = min(float(retry_after), _THROTTLED) if retry_after.isdigit() else pause
            self._sleep(rest)
            waited, pause = waited + rest, min(pause * 2, 8.0)

    def _send(self, method: str, url: str, content: bytes | None, headers: dict[str, str]) -> Any:
        with self._lock:  # a token may be refreshed in here
            for setting in self._client.configuration.auth_settings().values():
                if setting["in"] == "header":
                    headers[setting["key"]] = setting["value"]
        try:
            return self._client.rest_client.pool_manager.request(
                method,
                url,
                body=content,
                headers={"User-Agent": "kueuelift", **headers},
                timeout=urllib3.Timeout(connect=10, read=self.access.request_timeout or None),
                retries=False,
                redirect=False,
            )
        except urllib3.exceptions.HTTPError:
            raise
        except ValueError:  # Its text repeats the header, which is the token.
            raise UnreachableError(
                f"{self.server}: no request can be made, the address or a credential has characters that cannot be"
                " sent; mend the kubeconfig"
            ) from None


def collection(kind: Kind, version: str) -> str:
    """The path of all objects of a Kueue kind, over all namespaces."""
    return f"/apis/{GROUP}/{version}/{kind.plural}"


def object_path(kind: Kind, version: str, namespace: str, name: str) -> str:
    """The path of one object of a Kueue kind."""
    middle = f"namespaces/{quote(namespace)}/" if kind.namespaced else ""
    return f"/apis/{GROUP}/{version}/{middle}{kind.plural}/{quote(name)}"


def crd_path(kind: Kind) -> str:
    """The path of a kind's CustomResourceDefinition."""
    return f"{CRDS}/{kind.crd_name}"


def deployment_path(namespace: str, name: str) -> str:
    """The path of a Deployment."""
    return f"/apis/apps/v1/namespaces/{quote(namespace)}/deployments/{quote(name)}"


def _load(access: Access, configuration: Any) -> str:
    """Fill in the client's configuration; returns the context's name."""
    files = kubeconfig_files(access.kubeconfig, os.environ)
    load_file: Any = kubernetes_config.load_kube_config
    load_pod: Any = kubernetes_config.load_incluster_config
    joined = os.pathsep.join(map(str, files))
    try:
        if not files:
            load_pod(client_configuration=configuration)
            return IN_CLUSTER
        load_file(config_file=joined, context=access.context, client_configuration=configuration, persist_config=False)
        contexts: Any = kubernetes_config.list_kube_config_contexts
        return access.context or str(contexts(config_file=joined)[1]["name"])
    except Exception as error:  # noqa: BLE001 - the client parses the files itself and raises whatever it meets
        raise RefusedError(
            f"kubeconfig {joined or 'of this pod'}: the credentials cannot be read ({_one_line(error)}); "
            "mend it, or name another with --kubeconfig or --context"
        ) from None


def _refusal(status: int, method: str, path: str, body: bytes, server: str) -> ToolError:
    try:
        message = str(orjson.loads(body).get("message") or "")
    except (orjson.JSONDecodeError, AttributeError):
        message = body[:200].decode(errors="replace").strip()
    if status == 401:
        return UnreachableError(f"{server}: the credentials were refused (401); log in again, then run again")
    return ApiError(status, method, path, without_secrets(message) or "no reason given")


def _patience(failure: ToolError) -> float:
    """How long to go on: a server that was never there is not waited for long."""
    return 5.0 if isinstance(failure, UnreachableError) else PATIENCE


def _cause(error: Exception) -> str:
    return _one_line(getattr(error, "reason", None) or error).rpartition(": ")[2]


def _one_line(error: object) -> str:
    return without_secrets(" ".join(str(error).split()))[:200]
