"""What transform knows of the cluster: the snapshot, with its small parts read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kueuelift import crd
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import KINDS
from kueuelift.model import KubernetesObject
from kueuelift.snapshot_dir import Snapshot

_MANAGER_LABEL = ("control-plane", "controller-manager")


@dataclass(frozen=True, kw_only=True)
class Captured:
    """One snapshot; objects are streamed from it, CRDs and Helm records are read once and kept."""

    snapshot: Snapshot

    @cached_property
    def crds(self) -> Mapping[str, KubernetesObject]:
        """The captured CRDs of the eleven kinds, by plural."""
        return self.snapshot.crds()

    @property
    def object_versions(self) -> Mapping[str, frozenset[str]]:
        """By plural: the versions that objects came in."""
        lists = self.snapshot.header["lists"]
        return {kind.plural: frozenset(lists[kind.plural]["versions"]) for kind in KINDS if kind.plural in lists}

    def crd_with(self, plural: str, version: str) -> KubernetesObject | None:
        """The captured CRD of a kind or, for want of it, the oldest bundled one that has the version; None: neither."""
        if plural in self.crds:
            return self.crds[plural]
        known = (crd.bundled(release, service=None)[plural] for release in crd.bundled_releases())
        return next((found for found in known if version in crd.versions(found)), None)

    @cached_property
    def helm_records(self) -> tuple[HelmRecord, ...]:
        """Every captured revision of every release."""
        return tuple(self.snapshot.helm_records())

    @cached_property
    def installed(self) -> bool:
        """Whether there is anything of Kueue: a CRD or an object."""
        return bool(self.crds) or any(self.snapshot.count(kind) for kind in KINDS)

    @property
    def from_files(self) -> bool:
        """Whether the snapshot was made from files: who installed Kueue, and whether at all, is not known then."""
        return bool(self.snapshot.header["origin"] == "files")

    @property
    def server_version(self) -> str:
        """The API server's gitVersion, such as `v1.35.4`; empty where the snapshot was made from files."""
        return str(self.snapshot.header["cluster"]["version"])

    @cached_property
    def kueue_records(self) -> tuple[HelmRecord, ...]:
        """The newest deployed revision of each release of the chart named kueue, by where it is kept and release."""
        newest: dict[tuple[str, str, str], HelmRecord] = {}
        for record in self.helm_records:
            if record.chart_name == "kueue" and record.status == "deployed":
                newest[record.storage_namespace, record.release, record.driver] = record
        return tuple(newest[key] for key in sorted(newest))


def manager_deployments(manifest: tuple[KubernetesObject, ...], name: str) -> list[KubernetesObject]:
    """The Deployments of a rendered chart that run a Kueue manager: labelled as one, or of the name given."""
    return [
        obj
        for obj in manifest
        if obj.get("kind") == "Deployment" and (_labelled(obj["metadata"]) or obj["metadata"]["name"] == name)
    ]


def image_of(deployment: KubernetesObject) -> str:
    """The image of the manager's container; empty where it cannot be told."""
    containers: list[dict[str, Any]] = (
        deployment.get("spec", {}).get("template", {}).get("spec", {}).get("containers") or []
    )
    named = [container for container in containers if container.get("name") == "manager"] or containers
    return str(named[0].get("image", "")) if named else ""


def _labelled(metadata: Mapping[str, Any]) -> bool:
    key, value = _MANAGER_LABEL
    return bool((metadata.get("labels") or {}).get(key) == value)
