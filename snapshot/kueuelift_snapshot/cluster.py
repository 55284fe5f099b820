"""The snapshot's one way to a cluster: finds credentials as kubectl does, reads, says in one sentence what is wrong.

The only module of the stage that imports kubernetes.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import urllib3
from kubernetes import client, config

from kueuelift.errors import RefusedError
from kueuelift.kubeconfig import kubeconfig_files, log_without_secrets
from kueuelift.secret_text import without_secrets
from kueuelift_snapshot.api import NO_QUERY, AnswerError, UnauthorizedError, UnreachableError

CONNECT_SECONDS = 15.0
"""No server is waited for longer than this before it takes the connection."""

MOST_BYTES = 1 << 30
"""An answer that unpacks to more is refused: 500 objects of the 1.5 MiB that etcd takes are less."""

_PIECE = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """An open way to one API server, read only."""

    server: str
    """The URL."""
    _client: Any
    _timeout: tuple[float, float | None]

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """The body of a successful answer; UnreachableError, UnauthorizedError or AnswerError otherwise."""
        url = f"{self.server}{path}?{urlencode(query)}" if query else f"{self.server}{path}"
        # Packed, a list is a tenth of its size, and the network is what a snapshot waits for.
        headers: dict[str, str] = {"Accept": "application/json", "Accept-Encoding": "gzip"}
        try:
            self._client.update_params_for_auth(headers, [], ["BearerToken"], path, "GET", None)
            response = self._client.rest_client.request("GET", url, headers=headers, _request_timeout=self._timeout)
            content = _body(path, response)
        except (client.ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise self._no_answer(path, error) from None
        except ValueError:  # Its text repeats the header, which is the token.
            raise UnreachableError(
                f"{self._shown}: no request can be made, the address or a credential has characters that cannot be"
                " sent; mend the kubeconfig"
            ) from None
        if response.status == 200:
            return content
        raise self._other_answer(path, response, content)

    @property
    def _shown(self) -> str:
        return without_secrets(self.server)

    def _no_answer(self, path: str, error: Exception) -> RefusedError:
        """What it means that there is no answer: no connection at all, or one that broke off."""
        told = without_secrets(" ".join(str(getattr(error, "reason", None) or error).split()))
        if isinstance(error, client.ApiException) or "certificate" in told.lower():
            return UnreachableError(
                f"{self._shown}: no trusted connection ({told}); check the address and the certificate authority of"
                " the kubeconfig"
            )
        if isinstance(error, urllib3.exceptions.ReadTimeoutError):
            return AnswerError(path, status=0, message=f"nothing within {self._timeout[1]:g} s; see --request-timeout")
        if isinstance(error, urllib3.exceptions.ConnectTimeoutError | urllib3.exceptions.ProxyError):
            return self._unreachable(told)
        if isinstance(error, urllib3.exceptions.ProtocolError | urllib3.exceptions.DecodeError):
            return AnswerError(path, status=0, message=f"the connection was dropped ({told})")
        return self._unreachable(told)

    def _unreachable(self, told: str) -> UnreachableError:
        return UnreachableError(
            f"{self._shown}: the API server cannot be reached ({told}); check the address, the network and --context"
        )

    def _other_answer(self, path: str, response: Any, content: bytes) -> RefusedError:
        status = _status_object(content)
        message = str(status.get("message") or response.reason or "no reason given")
        if response.status == 401:
            return UnauthorizedError(
                f"{self._shown}: the credentials are not accepted (401 {without_secrets(message)}), they may have"
                " expired; log in again and run again"
            )
        return AnswerError(
            path,
            status=response.status,
            message=message,
            retry_after=_seconds(response.headers.get("Retry-After")),
            continue_token=_continue_token(status),
        )


def open_cluster(*, kubeconfig: Path | None, context: str | None, request_timeout: float | None) -> Cluster:
    """Find the credentials; no request is made yet. RefusedError where there are none, or they cannot be read."""
    log_without_secrets()
    configuration = _empty_configuration()
    files = kubeconfig_files(kubeconfig, os.environ)
    if context and not files:
        raise RefusedError(f"--context {context}: there is no kubeconfig to find it in; give --kubeconfig")
    load_file: Any = config.load_kube_config
    load_pod: Any = config.load_incluster_config
    where = ", ".join(map(str, files)) or "the service account of this pod"
    try:
        if files:
            joined = os.pathsep.join(map(str, files))
            load_file(config_file=joined, context=context, client_configuration=configuration, persist_config=False)
        else:
            load_pod(client_configuration=configuration)
    except Exception as error:  # noqa: BLE001 - whatever the client's YAML and credential plugins raise
        told = without_secrets(" ".join(str(error).split()))[:300]
        raise RefusedError(
            f"{where}: the credentials cannot be read ({told}); mend the kubeconfig or"
            " name another with --kubeconfig or --context"
        ) from None
    if not configuration.host:
        raise RefusedError(f"{where}: the cluster of the context has no server; mend the kubeconfig or give --context")
    connect = min(request_timeout, CONNECT_SECONDS) if request_timeout else CONNECT_SECONDS
    return Cluster(
        server=configuration.host.rstrip("/"),
        _client=client.ApiClient(configuration),
        _timeout=(connect, request_timeout),
    )


def _empty_configuration() -> Any:
    """A configuration that neither assumes a server on this machine nor tries again behind our back."""
    configuration = client.Configuration()
    configuration.host = ""
    configuration.retries = False
    # The kubeconfig says so, as it does to kubectl; one warning a request would drown everything else.
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return configuration


def _body(path: str, response: Any) -> bytes:
    """All of an answer, unpacked; AnswerError where it is more than any page."""
    pieces: list[bytes] = []
    left = MOST_BYTES
    raw = response.response
    while piece := raw.read(_PIECE, decode_content=True):
        left -= len(piece)
        if left < 0:
            raw.close()
            raise AnswerError(path, status=200, message=f"an answer of more than {MOST_BYTES >> 20} MiB")
        pieces.append(piece)
    return b"".join(pieces)


def _status_object(content: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _continue_token(status: dict[str, Any]) -> str:
    metadata = status.get("metadata")
    return str(metadata.get("continue") or "") if isinstance(metadata, dict) else ""


def _seconds(text: str | None) -> float | None:
    """A Retry-After in seconds; API servers send no dates."""
    return float(text) if text and text.isascii() and text.isdigit() else None
