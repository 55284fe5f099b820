"""Helm's release records: decoded from Secrets within limits, redacted; an unreadable one is a failure."""

import base64
import binascii
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.helm_record import HelmRecord
from kueuelift.model import Failure, KubernetesObject
from kueuelift_snapshot.redaction import Redactor

PATH = "/api/v1/secrets"
QUERY = {"labelSelector": "owner=helm", "fieldSelector": "type=helm.sh/release.v1"}
SECRETS = 20
"""Release Secrets in the first page: each may have a megabyte."""

MOST_BYTES = 64 << 20
"""A record that unpacks to more than this is not read: a Secret holds one megabyte, and charts shrink to a tenth."""

_GZIP = b"\x1f\x8b\x08"


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A captured record, and how many tokens its files hold."""

    record: HelmRecord
    value_tokens: int
    manifest_tokens: int


class _UnreadableError(Exception):
    """Why a Secret holds no release record."""


def read_release(secret: KubernetesObject, redactor: Redactor) -> Release | Failure | None:
    """The record in a Secret; None where the release has nothing to do with Kueue."""
    try:
        payload = _decoded(secret)
        if not _touches_kueue(payload):
            return None
        return _release(payload, redactor)
    except _UnreadableError as error:
        metadata = secret.get("metadata") or {}
        return Failure(
            what=f"Secret {metadata.get('namespace')}/{metadata.get('name')}",
            reason=f"holds no readable Helm release record: {error}",
            remedy="see with `helm history` whether Helm can still read it; if it is not needed, remove the Secret",
        )


def _decoded(secret: KubernetesObject) -> dict[str, Any]:
    data = (secret.get("data") or {}).get("release")
    if not isinstance(data, str):
        raise _UnreadableError("no key `release` in its data")
    try:
        content = base64.b64decode(base64.b64decode(data, validate=True), validate=True)
    except (binascii.Error, ValueError):
        raise _UnreadableError("not base64 twice over") from None
    if content.startswith(_GZIP):
        content = _unpacked(content)
    try:
        payload = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise _UnreadableError("not JSON") from None
    if not isinstance(payload, dict):
        raise _UnreadableError("not a JSON object")
    return payload


def _unpacked(content: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(content, MOST_BYTES)
    except zlib.error:
        raise _UnreadableError("its gzip stream is damaged") from None
    if unpacker.unconsumed_tail:
        raise _UnreadableError(f"unpacks to more than {MOST_BYTES >> 20} MiB")
    if not unpacker.eof:
        raise _UnreadableError("its gzip stream is truncated")
    return unpacked


def _touches_kueue(payload: dict[str, Any]) -> bool:
    """Whether Kueue, a chart that bundles it, or a chart with objects for it was installed."""
    texts = (payload.get("manifest"), _chart_metadata(payload), payload.get("config"))
    return any(b"kueue" in orjson.dumps(text).lower() for text in texts)


def _chart_metadata(payload: dict[str, Any]) -> dict[str, Any]:
    chart = payload.get("chart")
    metadata = chart.get("metadata") if isinstance(chart, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _release(payload: dict[str, Any], redactor: Redactor) -> Release:
    chart = _chart_metadata(payload)
    chart_name = _text(chart, "name")
    values = payload.get("config") or {}
    if not isinstance(values, dict):
        raise _UnreadableError("its values are no mapping")
    hidden = redactor.of_release(
        values, list(_objects(payload.get("manifest"))), kueue_chart="kueue" in chart_name.lower()
    )
    info = payload.get("info")
    record = HelmRecord(
        namespace=_text(payload, "namespace"),
        release=_text(payload, "name"),
        revision=_revision(payload),
        status=_text(info if isinstance(info, dict) else {}, "status"),
        chart_name=chart_name,
        chart_version=_text(chart, "version"),
        app_version=str(chart.get("appVersion") or ""),
        values=hidden.values.value,
        manifest=tuple(hidden.manifest.value),
    )
    return Release(record=record, value_tokens=hidden.values.tokens, manifest_tokens=hidden.manifest.tokens)


def _objects(manifest: Any) -> Iterator[KubernetesObject]:
    if not isinstance(manifest, str):
        raise _UnreadableError("no manifest")
    try:
        for document in yaml_text.load_all(manifest, "its manifest"):
            if not isinstance(document, dict):
                raise _UnreadableError(f"its manifest holds a {type(document).__name__} where an object is wanted")
            yield document
    except RefusedError as error:
        raise _UnreadableError(str(error).partition(";")[0]) from None


def _text(mapping: dict[str, Any], key: str) -> str:
    found = mapping.get(key)
    if not isinstance(found, str) or not found:
        raise _UnreadableError(f"no `{key}` in it")
    return found


def _revision(payload: dict[str, Any]) -> int:
    found = payload.get("version")
    if not isinstance(found, int) or found < 1:
        raise _UnreadableError("no revision in it")
    return found
