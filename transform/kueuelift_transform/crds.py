"""The CRDs of each hop: the target's, from its chart or the package's own, and the bridge's, made from both ends."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from kueuelift import crd
from kueuelift.crd import ServiceReference
from kueuelift.errors import RefusedError
from kueuelift.kinds import GROUP, KINDS, TARGET_VERSION
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release, profile
from kueuelift_transform.hops import ALPHA

_BRIDGE_LEVELS = 16
"""The most levels that any version of Topology allows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CrdSet:
    """All CRDs of one plan, by plural."""

    target: Mapping[str, KubernetesObject]
    origin: str
    """Where the target's come from: `chart kueue-0.17.0.tgz` or `bundled schemas of 0.17.0`."""
    bridge: Mapping[str, KubernetesObject] = field(default_factory=dict)
    """Of the kinds that cross the bridge only."""

    @property
    def hooked(self) -> list[str]:
        """The plurals of the kinds whose conversion a webhook answers at the target."""
        strategies = {
            plural: found["spec"].get("conversion", {}).get("strategy") for plural, found in self.target.items()
        }
        return [kind.plural for kind in KINDS if strategies.get(kind.plural) == "Webhook"]


def rendered_crds(manifest: Iterable[KubernetesObject], origin: str) -> dict[str, KubernetesObject]:
    """The eleven CRDs of a rendered chart, or none at all; RefusedError naming those that are missing."""
    found = {
        crd.plural(obj): _installable(obj)
        for obj in manifest
        if obj.get("kind") == "CustomResourceDefinition" and obj["spec"]["group"] == GROUP
    }
    missing = [kind.crd_name for kind in KINDS if kind.plural not in found]
    if found and missing:
        raise RefusedError(
            f"{origin}: the chart renders no {', '.join(missing)}; give the complete chart of the release"
        )
    return {kind.plural: found[kind.plural] for kind in KINDS if found}


def bundled_crds(release: Release, service: ServiceReference) -> dict[str, KubernetesObject]:
    """The package's own CRDs for a release; RefusedError where what it serves is not known without its chart."""
    if profile(str(release)).crds_from_chart_only:
        raise RefusedError(
            f"--to {release}: what this release serves is read from its chart only; give it with --chart "
            "and put helm on PATH"
        )
    return {plural: _installable(found) for plural, found in crd.bundled(str(release), service=service).items()}


def bridge_crd(captured: KubernetesObject, target: KubernetesObject) -> KubernetesObject:
    """A CRD that lists the captured v1alpha1 and the target's versions, stores v1beta2 and converts nothing.

    Each version accepts what any other holds, so that an object can be rewritten in place (seen on Kubernetes 1.35.4).
    """
    bridge = _installable(target)
    versions = [_bridged(version) for version in captured["spec"]["versions"] if version["name"] == ALPHA]
    versions += [_bridged(version) for version in bridge["spec"]["versions"]]
    bridge["spec"]["versions"] = versions
    bridge["spec"]["conversion"] = {"strategy": "None"}
    _share_fields(versions, crd.plural(target))
    return bridge


def _bridged(version: Mapping[str, Any]) -> dict[str, Any]:
    """A version as the bridge lists it: served, no warning to old clients, v1beta2 the stored one."""
    kept = {key: value for key, value in deepcopy(dict(version)).items() if not key.startswith("deprecat")}
    return {**kept, "served": True, "storage": version["name"] == TARGET_VERSION}


def _share_fields(versions: list[dict[str, Any]], plural: str) -> None:
    """Let every version hold the fields of all, and the looser of two bounds."""
    specs = [version["schema"]["openAPIV3Schema"]["properties"]["spec"] for version in versions]
    if plural == "cohorts":
        parents = {
            name: deepcopy(spec["properties"][name])
            for spec in specs
            for name in ("parent", "parentName")
            if name in spec["properties"]
        }
        for spec in specs:
            spec["properties"].update(deepcopy(parents))
    if plural == "topologies":
        for spec in specs:
            spec["properties"]["levels"]["maxItems"] = _BRIDGE_LEVELS
    for version in versions:
        _loosen(version["schema"]["openAPIV3Schema"], [v["schema"]["openAPIV3Schema"] for v in versions])


def _loosen(schema: dict[str, Any], others: list[dict[str, Any]]) -> None:
    """Give a schema the loosest of the upper bounds and required fields that its fellows have at the same place."""
    for bound in ("maxItems", "maxLength", "maxProperties"):
        if bound in schema and (bounds := [other.get(bound) for other in others]):
            if any(value is None for value in bounds):
                del schema[bound]
            else:
                schema[bound] = max(value for value in bounds if value is not None)
    if "required" in schema:
        everywhere = set(schema["required"]).intersection(*(other.get("required", ()) for other in others))
        schema["required"] = [name for name in schema["required"] if name in everywhere]
        if not schema["required"]:
            del schema["required"]
    for name, child in schema.get("properties", {}).items():
        _loosen(child, [other["properties"][name] for other in others if name in other.get("properties", {})])
    if isinstance(schema.get("items"), dict):
        _loosen(schema["items"], [other["items"] for other in others if isinstance(other.get("items"), dict)])


def _installable(found: KubernetesObject) -> KubernetesObject:
    """A CRD as a plan holds it: spec, name, labels and annotations; no status, nothing of a server's."""
    metadata = found["metadata"]
    kept = {key: metadata[key] for key in ("name", "labels", "annotations") if metadata.get(key)}
    return {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "metadata": deepcopy(kept),
        "spec": deepcopy(found["spec"]),
    }
