"""How Helm keeps a release record in a Secret or ConfigMap: decoded within limits, encoded again; computed values."""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject

LARGEST_RECORD = 1 << 20
"""Bytes of an encoded record that an API server takes; helm cannot save a revision that is larger."""

MOST_BYTES = 32 << 20
"""A record that unpacks to more than this is not read: charts shrink to a tenth, and a record has a megabyte."""

MOST_VALUES = 1_000_000
"""Brackets and commas in a record, those in its texts too: what its values take in memory hangs on them."""

SECRET_TYPE = "helm.sh/release.v1"  # noqa: S105 - the type of a Secret
SECRETS, CONFIG_MAPS = "secret", "configmap"
"""The drivers, as HELM_DRIVER names them."""

_GZIP = b"\x1f\x8b\x08"
_KEY = re.compile(r"sh\.helm\.release\.v1\.(?P<release>.+)\.v(?P<revision>[1-9][0-9]*)")


class UnreadableError(RefusedError):
    """What holds no record that could be read."""

    def __init__(self, what: str, reason: str, found: bytes = b"") -> None:
        super().__init__(
            f"{what}: holds no readable Helm release record: {reason}; see with `helm history` what Helm makes of it"
        )
        self.reason = reason
        self.found = found
        """What could be unpacked before it broke off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Payload:
    """A record as Helm wrote it."""

    record: dict[str, Any]
    size: int
    """Bytes of the encoded record; see LARGEST_RECORD."""


def driver_of(obj: KubernetesObject) -> str:
    """Which of Helm's drivers an object belongs to."""
    return CONFIG_MAPS if obj.get("kind") == "ConfigMap" else SECRETS


def holder(obj: KubernetesObject) -> str:
    """The object's name for a person: `Secret kueue-system/sh.helm.release.v1.kueue.v1`."""
    found = metadata_of(obj)
    kind = "ConfigMap" if driver_of(obj) == CONFIG_MAPS else "Secret"
    return f"{kind} {found.get('namespace')}/{found.get('name')}"


def metadata_of(obj: KubernetesObject) -> Mapping[str, Any]:
    """The object's metadata; empty where it has none."""
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}


def is_record(obj: KubernetesObject) -> bool:
    """Whether Helm would take an object for one of its own: a Secret of its type, a ConfigMap with such a name."""
    if driver_of(obj) == SECRETS:
        return obj.get("type") == SECRET_TYPE
    return release_of(obj) is not None


def object_name(release: str, revision: int) -> str:
    """The name that Helm gives the object of a revision."""
    return f"sh.helm.release.v1.{release}.v{revision}"


def release_of(obj: KubernetesObject) -> str | None:
    """The release that the name of an object says it belongs to; None where Helm gave it no such name."""
    matched = _KEY.fullmatch(str(metadata_of(obj).get("name")))
    return matched["release"] if matched else None


def decode(obj: KubernetesObject) -> Payload:
    """The record in an object of either driver; UnreadableError says why there is none."""
    try:
        encoded = _encoded(obj)
        return Payload(record=_parsed(_unpacked(_from_base64(encoded))), size=len(encoded))
    except _BrokenError as broken:
        raise UnreadableError(holder(obj), broken.reason, broken.found) from None


def encode(obj: KubernetesObject, record: Mapping[str, Any]) -> KubernetesObject:
    """The object with another record in it and all else as it was."""
    # Level 9 and no time, as Helm packs it.
    packer = zlib.compressobj(level=9, wbits=31)
    text = base64.b64encode(packer.compress(orjson.dumps(record)) + packer.flush())
    kept = text if driver_of(obj) == CONFIG_MAPS else base64.b64encode(text)
    return obj | {"data": {**(obj.get("data") or {}), "release": kept.decode()}}


def computed_values(given: Mapping[str, Any], chart: Mapping[str, Any]) -> dict[str, Any]:
    """The values that `helm get values --all` prints: the stored chart's where the user gave none.

    A null of the user removes what the chart has; where the chart has nothing it stays, as it does in Helm 3.
    """
    return _coalesced(given, chart, removes_null=True)


def _coalesced(given: Mapping[str, Any], chart: Mapping[str, Any], *, removes_null: bool) -> dict[str, Any]:
    """Below the top level, Helm keeps the user's null where the chart has a null itself."""
    result = {key: value for key, value in chart.items() if key not in given}
    for key, value in given.items():
        default = chart.get(key)
        if value is None and key in chart and (removes_null or default is not None):
            continue
        if isinstance(value, dict) and isinstance(default, dict):
            result[key] = _coalesced(value, default, removes_null=False)
        else:
            result[key] = value
    return result


class _BrokenError(Exception):
    def __init__(self, reason: str, found: bytes = b"") -> None:
        super().__init__(reason)
        self.reason, self.found = reason, found


def _encoded(obj: KubernetesObject) -> bytes:
    """The record as Helm's own encoding has it: for a Secret, that of the API comes on top."""
    data = obj.get("data")
    text = data.get("release") if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise _BrokenError("no key `release` in its data")
    # A few times what an API server would take, for what comes from a file.
    if len(text) > 4 * LARGEST_RECORD:
        raise _BrokenError(f"{len(text)} characters, where an API server takes {LARGEST_RECORD} bytes")
    try:
        encoded = text.encode("ascii")
    except UnicodeEncodeError:
        raise _BrokenError("not base64") from None
    return encoded if driver_of(obj) == CONFIG_MAPS else _from_base64(encoded)


def _from_base64(content: bytes) -> bytes:
    try:
        # Line ends are passed over, as Go's decoder does.
        return base64.b64decode(content.translate(None, b"\r\n"), validate=True)
    except (binascii.Error, ValueError):
        raise _BrokenError("not base64") from None


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(_GZIP):  # Helm wrote records so before it packed them.
        return content
    unpacker = zlib.decompressobj(wbits=31)
    unpacked = b""
    try:
        unpacked = unpacker.decompress(content, MOST_BYTES + 1)
    except zlib.error:
        raise _BrokenError("its gzip stream is damaged", _readable_part(content)) from None
    if len(unpacked) > MOST_BYTES:
        raise _BrokenError(f"it unpacks to more than {MOST_BYTES >> 20} MiB", unpacked)
    if not unpacker.eof:
        raise _BrokenError("its gzip stream is truncated", unpacked)
    if unpacker.unused_data:
        raise _BrokenError("something follows its gzip stream", unpacked)
    return unpacked


def _readable_part(content: bytes) -> bytes:
    """What comes out of a damaged stream before the damage."""
    unpacker = zlib.decompressobj(wbits=31)
    found = bytearray()
    try:
        for start in range(0, len(content), 256):
            found += unpacker.decompress(content[start : start + 256], MOST_BYTES - len(found) + 1)
            if len(found) > MOST_BYTES:
                break
    except zlib.error:
        pass
    return bytes(found)


def _parsed(content: bytes) -> dict[str, Any]:
    if sum(map(content.count, (b"{", b"[", b","))) > MOST_VALUES:
        raise _BrokenError(f"it has more than {MOST_VALUES} values", content)
    try:
        record = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise _BrokenError("not JSON", content) from None
    if not isinstance(record, dict):
        raise _BrokenError("not a JSON object", content)
    return record
