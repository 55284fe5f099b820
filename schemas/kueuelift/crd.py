"""CustomResourceDefinitions of the eleven kinds: the bundled ones, made complete, and readers for any of them."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from kueuelift.errors import RefusedError
from kueuelift.kinds import GROUP, KINDS, Kind
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release, profile


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceReference:
    """The Service that a conversion webhook is reached through."""

    namespace: str
    name: str


@cache
def bundled_releases() -> tuple[str, ...]:
    """Name the releases whose CRD schemas come with the package, oldest first."""
    return tuple(sorted((entry.name for entry in _folder().iterdir() if entry.is_dir()), key=Release.parse))


def bundled_for(release: str) -> str:
    """Choose the bundled release that stands for this one: itself, or the newest of the same minor.

    A pre-release stands for nothing but itself.
    """
    wanted = Release.parse(release)
    bundled_here = [Release.parse(name) for name in bundled_releases()]
    same_minor = [known for known in bundled_here if known.line == wanted.line and not known.label]
    chosen = wanted if wanted in bundled_here else max(same_minor, default=None)
    if chosen is None:
        raise RefusedError(
            f"no CRD schemas of release {release} are bundled, only those of {', '.join(bundled_releases())}:"
            " give its chart with --chart"
        )
    return str(chosen)


def bundled(release: str, *, service: ServiceReference | None) -> dict[str, KubernetesObject]:
    """Build the complete CRDs of a release by plural, as fresh copies.

    With a service, the kinds that the release's profile names carry the conversion webhook (no caBundle: the manager or
    cert-manager fills it in); without one, every conversion is `None`.
    """
    chosen = bundled_for(release)
    hooked = profile(chosen).webhook_kinds if service else ()
    return {
        kind.plural: _complete(kind, _load(f"{chosen}/{kind.plural}.json"), service if kind.plural in hooked else None)
        for kind in KINDS
    }


def plural(crd: KubernetesObject) -> str:
    """Name the resource: `clusterqueues`."""
    return str(crd["spec"]["names"]["plural"])


def versions(crd: KubernetesObject) -> tuple[str, ...]:
    """List the versions in the order of the CRD."""
    return tuple(version["name"] for version in crd["spec"]["versions"])


def served_versions(crd: KubernetesObject) -> tuple[str, ...]:
    """List the versions that clients can use, in the order of the CRD."""
    return tuple(version["name"] for version in crd["spec"]["versions"] if version["served"])


def storage_version(crd: KubernetesObject) -> str:
    """Name the version that objects are written to etcd in."""
    stored = [version["name"] for version in crd["spec"]["versions"] if version["storage"]]
    if len(stored) != 1:
        raise RefusedError(
            f"CustomResourceDefinition {crd['metadata']['name']} has spec.versions[].storage set for"
            f" {stored or 'no version'} where one version is wanted: repair the CRD"
        )
    return str(stored[0])


def stored_versions(crd: KubernetesObject) -> tuple[str, ...]:
    """List `status.storedVersions`: the versions that objects may still lie in etcd in; none without a status."""
    return tuple(crd.get("status", {}).get("storedVersions") or ())


def schema(crd: KubernetesObject, version: str) -> KubernetesObject:
    """Return the structural schema of a version: the CRD's own object, not to be changed."""
    for known in crd["spec"]["versions"]:
        if known["name"] == version:
            found: KubernetesObject = known["schema"]["openAPIV3Schema"]
            return found
    raise RefusedError(
        f"CustomResourceDefinition {crd['metadata']['name']} has no version {version}, only {', '.join(versions(crd))}:"
        " name one of these"
    )


def _complete(kind: Kind, data: dict[str, Any], service: ServiceReference | None) -> KubernetesObject:
    names: dict[str, Any] = {
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural,
        "singular": kind.name.lower(),
    }
    if data["short_names"]:
        names["shortNames"] = list(data["short_names"])
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.crd_name},
        "spec": {
            "conversion": _conversion(service),
            "group": GROUP,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [_version(kind, version) for version in data["versions"]],
        },
    }


def _conversion(service: ServiceReference | None) -> dict[str, Any]:
    if service is None:
        return {"strategy": "None"}
    client = {"service": {"name": service.name, "namespace": service.namespace, "path": "/convert"}}
    return {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}


def _version(kind: Kind, data: dict[str, Any]) -> dict[str, Any]:
    complete = {
        "name": data["name"],
        "served": data["served"],
        "storage": data["storage"],
        "schema": {"openAPIV3Schema": _schema_with_messages(data["schema"])},
    }
    if data["deprecated"]:
        complete["deprecated"] = True
    if data["status_subresource"]:
        complete["subresources"] = {"status": {}}
    if columns := _load("printer_columns.json").get(kind.plural, {}).get(data["name"]):
        complete["additionalPrinterColumns"] = deepcopy(columns)
    if fields := data.get("selectable_fields"):
        complete["selectableFields"] = [{"jsonPath": path} for path in fields]
    return complete


def _schema_with_messages(bare: dict[str, Any]) -> dict[str, Any]:
    messages = _load("rule_messages.json")
    own = deepcopy(bare)
    for rule in _rules(own):
        rule["message"] = messages[rule["rule"]]
    return own


def _rules(node: Any) -> Iterator[dict[str, Any]]:
    """Walk a schema for its CEL rules; a property may be called anything, so only lists of rules count."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "x-kubernetes-validations" and isinstance(value, list):
                yield from value
            else:
                yield from _rules(value)
    elif isinstance(node, list):
        for value in node:
            yield from _rules(value)


def _folder() -> Any:
    return files("kueuelift").joinpath("crds")


@cache
def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(_folder().joinpath(*name.split("/")).read_text(encoding="utf-8"))
    return loaded
