"""A Helm release record, decoded and redacted: what one revision of one release installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from kueuelift.model import KubernetesObject
from kueuelift.object_shape import helm_name, shaped


@dataclass(frozen=True, kw_only=True, slots=True)
class HelmRecord:
    """One revision of one release."""

    namespace: str
    release: str
    revision: int
    status: str
    """Helm's word: deployed, superseded, failed, pending-upgrade, …"""
    chart_name: str
    chart_version: str
    app_version: str
    values: Mapping[str, Any]
    """The values that the user gave; foreign ones are tokens."""
    manifest: tuple[KubernetesObject, ...]
    """The rendered objects, redacted, in the chart's order."""

    @property
    def folder(self) -> tuple[str, str, str]:
        """Namespace, release and revision: the record's place below `helm/`."""
        return self.namespace, self.release, f"v{self.revision}"

    def info(self) -> dict[str, Any]:
        """All but values and manifest, as `release.json` has it."""
        return {
            "namespace": self.namespace,
            "release": self.release,
            "revision": self.revision,
            "status": self.status,
            "chart": {"name": self.chart_name, "version": self.chart_version, "appVersion": self.app_version},
        }

    @classmethod
    def from_parts(cls, info: Mapping[str, Any], values: Mapping[str, Any], manifest: list[KubernetesObject]) -> Self:
        """Put a record together from its three files."""
        where = f"Helm release {info['namespace']}/{info['release']} revision {info['revision']}"
        return cls(
            namespace=helm_name(info["namespace"], f"{where}: namespace"),
            release=helm_name(info["release"], f"{where}: name"),
            revision=info["revision"],
            status=info["status"],
            chart_name=str(info["chart"]["name"]),
            chart_version=str(info["chart"]["version"]),
            app_version=str(info["chart"]["appVersion"]),
            values=values,
            manifest=tuple(shaped(obj, f"{where}, object {n} of its manifest") for n, obj in enumerate(manifest, 1)),
        )

    def objects_of_kind(self, *kinds: str) -> list[KubernetesObject]:
        """The objects of the manifest with one of these kinds."""
        return [obj for obj in self.manifest if obj.get("kind") in kinds]
