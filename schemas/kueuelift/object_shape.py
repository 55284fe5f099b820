"""The least that every Kubernetes object has, so that nothing behind this gate meets a surprise."""

import re
from typing import Any

from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject

_HELM_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_LONGEST = 253


def at(value: Any, *keys: str) -> Any:
    """What lies below a value; None where there is nothing, or something else than an object on the way."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def shaped(value: Any, origin: str, *, namespaced: bool = False) -> KubernetesObject:
    """The object, top-level nulls left out as the API server does; RefusedError names `origin` and what is missing."""
    if not isinstance(value, dict):
        raise _refusal(origin, "the document", type(value).__name__, "an object")
    obj = with_metadata({key: below for key, below in value.items() if below is not None}, origin)
    if namespaced:
        _text(obj["metadata"], "namespace", origin, "metadata.namespace")
    for owner in obj["metadata"].get("ownerReferences") or []:
        for field in ("apiVersion", "kind", "name"):
            _text(owner, field, origin, f"metadata.ownerReferences[].{field}")
    for field in ("spec", "status"):
        if field in obj:
            _mapping(obj, field, origin)
    return obj


def with_metadata(value: Any, origin: str) -> KubernetesObject:
    """An object of any kind with a type, a name and whole metadata; what is below is nobody's promise."""
    if not isinstance(value, dict):
        raise _refusal(origin, "the document", type(value).__name__, "an object")
    for field in ("apiVersion", "kind"):
        _text(value, field, origin, field)
    metadata = _mapping(value, "metadata", origin)
    _text(metadata, "name", origin, "metadata.name")
    for field in ("labels", "annotations"):
        if metadata.get(field) is not None:
            _mapping(metadata, field, origin, "metadata.")
    owners = metadata.get("ownerReferences") or []
    if not isinstance(owners, list) or not all(isinstance(owner, dict) for owner in owners):
        raise _refusal(origin, "metadata.ownerReferences", "something else", "a list of objects")
    return value


def shaped_crd(value: Any, origin: str, *, schemas: bool = False) -> KubernetesObject:
    """A CustomResourceDefinition with its plural and versions, one of them stored, as every API server keeps it.

    With `schemas` each version has its own, as all have since CustomResourceDefinitions are v1.
    """
    crd = shaped(value, origin)
    spec = _mapping(crd, "spec", origin)
    _text(_mapping(spec, "names", origin, "spec."), "plural", origin, "spec.names.plural")
    versions = spec.get("versions")
    if not isinstance(versions, list) or not all(isinstance(version, dict) for version in versions):
        raise _refusal(origin, "spec.versions", "something else", "a list of objects")
    for version in versions:
        _text(version, "name", origin, "spec.versions[].name")
        for field in ("served", "storage"):
            if not isinstance(version.get(field), bool):
                raise _refusal(origin, f"spec.versions[].{field}", _told(version.get(field)), "true or false")
        if schemas or version.get("schema") is not None:
            schema = _mapping(version, "schema", origin, "spec.versions[].")
            if schemas:
                _mapping(schema, "openAPIV3Schema", origin, "spec.versions[].schema.")
    if sum(version["storage"] for version in versions) != 1:
        raise _refusal(origin, "spec.versions", "no version or several", "one that is stored")
    stored = crd.get("status", {}).get("storedVersions") or []
    if not isinstance(stored, list) or not all(isinstance(name, str) for name in stored):
        raise _refusal(origin, "status.storedVersions", "something else", "a list of texts")
    return crd


def helm_name(text: Any, origin: str) -> str:
    """A release's or namespace's name, fit to be an argument of helm: an option is never taken for one."""
    if not isinstance(text, str) or len(text) > _LONGEST or not _HELM_NAME.fullmatch(text):
        raise RefusedError(
            f"{origin}: {str(text)[:80]!r} found, a name of lower-case letters, digits and hyphens wanted; "
            "see who wrote this Helm record, and take a new snapshot without it"
        )
    return text


def _text(holder: KubernetesObject, field: str, origin: str, path: str) -> None:
    if not isinstance(holder.get(field), str) or not holder[field]:
        raise _refusal(origin, path, _told(holder.get(field)), "a text")


def _mapping(holder: KubernetesObject, field: str, origin: str, prefix: str = "") -> KubernetesObject:
    found = holder.get(field)
    if not isinstance(found, dict):
        raise _refusal(origin, prefix + field, type(found).__name__, "an object")
    return found


def _told(value: Any) -> str:
    """A value in a message: what an object, list or text holds could be secret."""
    return type(value).__name__ if value and isinstance(value, dict | list | str) else repr(value)[:80]


def _refusal(origin: str, path: str, found: str, wanted: str) -> RefusedError:
    return RefusedError(f"{origin}: {path}: {found} found, {wanted} wanted; mend or leave out this object")
