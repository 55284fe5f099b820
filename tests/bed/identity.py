"""The small files that an API server of the bed is started with: who may talk to it, and how it reaches services."""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class IdentityFiles:
    """Where the files lie."""

    key: Path
    tokens: Path
    egress: Path


def write(
    directory: Path, *, tokens: Mapping[str, str], groups: Mapping[str, Sequence[str]], socket: Path
) -> IdentityFiles:
    """Writes a fresh service account key, the token file and the egress configuration."""
    files = IdentityFiles(
        key=directory / "service-account.key", tokens=directory / "tokens.csv", egress=directory / "egress.json"
    )
    files.key.write_text(service_account_key(), encoding="utf-8")
    lines = [f'{token},{user},{user},"{",".join(groups[user])}"' for user, token in sorted(tokens.items())]
    files.tokens.write_text("\n".join(lines) + "\n", encoding="utf-8")
    files.egress.write_text(json.dumps(egress(socket)), encoding="utf-8")
    return files


def service_account_key() -> str:
    """A new P-256 private key as PEM; the public half is derived by its reader, so no library is needed."""
    # 31 random bytes are below the order of the curve, whatever they are.
    secret = b"\x00" + secrets.token_bytes(31)
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    der = b"\x30\x31\x02\x01\x01\x04\x20" + secret + curve
    return f"-----BEGIN EC PRIVATE KEY-----\n{base64.encodebytes(der).decode()}-----END EC PRIVATE KEY-----\n"


def egress(socket: Path) -> dict[str, Any]:
    """Sends what the API server says to services through a CONNECT proxy on a unix socket."""
    transport = {"uds": {"udsName": str(socket)}}
    connection = {"proxyProtocol": "HTTPConnect", "transport": transport}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": connection}],
    }


def kubeconfig(server: str, certificate: str, *, user: str, token: str) -> dict[str, Any]:
    """A kubeconfig with one context, named `bed`."""
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(certificate.encode()).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bed", "cluster": cluster}],
        "users": [{"name": user, "user": {"token": token}}],
        "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": user}}],
        "current-context": "bed",
    }
