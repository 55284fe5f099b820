"""A Helm release record, decoded and redacted: what one revision of one release installed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from kueuelift.errors import RefusedError
from kueuelift.helm_payload import CONFIG_MAPS, SECRETS
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import helm_name, shaped


@dataclass(frozen=True, kw_only=True, slots=True)
class HelmHook:
    """An object that Helm creates at certain moments and does not count among the release's own."""

    name: str
    kind: str
    path: str
    """Of its template in the chart."""
    events: tuple[str, ...]
    """`pre-install`, `post-upgrade`, `test`, …"""
    weight: int
    """Hooks of one event run in this order, the lightest first."""
    delete_policies: tuple[str, ...]
    last_run: Mapping[str, str]
    """`phase`, `startedAt` and `completedAt`, as far as Helm wrote them."""
    manifest: KubernetesObject
    """The rendered object, redacted."""

    def to_dict(self) -> dict[str, Any]:
        """The hook as `hooks.yaml` has it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "path": self.path,
            "events": list(self.events),
            "weight": self.weight,
            "deletePolicies": list(self.delete_policies),
            "lastRun": dict(self.last_run),
            "manifest": self.manifest,
        }

    @classmethod
    def from_dict(cls, data: Any, where: str) -> Self:
        """Read a hook of `hooks.yaml`; RefusedError says `where` and what is missing."""
        return cls(
            name=_typed(data, "name", str, where),
            kind=_typed(data, "kind", str, where),
            path=_typed(data, "path", str, where),
            events=tuple(map(str, _typed(data, "events", list, where))),
            weight=_typed(data, "weight", int, where),
            delete_policies=tuple(map(str, _typed(data, "deletePolicies", list, where))),
            last_run=_typed(data, "lastRun", dict, where),
            manifest=_typed(data, "manifest", dict, where),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class HelmRecord:
    """One revision of one release."""

    namespace: str
    """The release's own: what `helm -n` names, and where its objects go that name none."""
    storage_namespace: str
    """Where the record lies: the same as a rule, another where Flux installs into a `targetNamespace`."""
    release: str
    revision: int
    driver: str = SECRETS
    """Where Helm keeps it, as HELM_DRIVER says it: `secret` or `configmap`."""
    status: str
    """Helm's word: deployed, superseded, failed, pending-upgrade, …"""
    description: str = ""
    """Helm's sentence on what became of the revision, redacted."""
    first_deployed: str = ""
    """When the release was first deployed, as Helm wrote it."""
    last_deployed: str = ""
    """When this revision was deployed, as Helm wrote it."""
    chart_name: str
    chart_version: str
    app_version: str
    encoded_bytes: int = 0
    """The record's size as Helm stores it; `helm_payload.LARGEST_RECORD` is the most that an API server takes."""
    values: Mapping[str, Any]
    """The values that the user gave; foreign ones are tokens."""
    computed: Mapping[str, Any] = field(default_factory=dict)
    """The values that the chart was rendered with, its own defaults included; foreign ones are tokens."""
    manifest: tuple[KubernetesObject, ...]
    """The rendered objects, redacted, in the chart's order."""
    hooks: tuple[HelmHook, ...] = ()
    unparsed: tuple[str, ...] = ()
    """Documents that do not name Kueue and are left out of manifest and hooks, since they could not be read: why."""

    @property
    def folder(self) -> tuple[str, str, str]:
        """Storage namespace, release and revision: the record's place below `helm/`."""
        revision = f"v{self.revision}" if self.driver == SECRETS else f"v{self.revision}.{self.driver}"
        return self.storage_namespace, self.release, revision

    @property
    def full_name(self) -> str:
        """Namespace and release, and where its records lie unless that is where plain helm looks for them."""
        name = f"{self.namespace}/{self.release}"
        if self.driver == CONFIG_MAPS:
            return f"{name} (kept in ConfigMaps of {self.storage_namespace})"
        return name if self.storage_namespace == self.namespace else f"{name} (kept in {self.storage_namespace})"

    def without_content(self) -> Self:
        """The record without what makes it large: values, manifest and hooks."""
        return replace(self, values={}, computed={}, manifest=(), hooks=())

    def info(self) -> dict[str, Any]:
        """All but values, manifest and hooks, as `release.json` has it."""
        return {
            "namespace": self.namespace,
            "storageNamespace": self.storage_namespace,
            "release": self.release,
            "revision": self.revision,
            "driver": self.driver,
            "status": self.status,
            "description": self.description,
            "firstDeployed": self.first_deployed,
            "lastDeployed": self.last_deployed,
            "chart": {"name": self.chart_name, "version": self.chart_version, "appVersion": self.app_version},
            "encodedBytes": self.encoded_bytes,
            "unparsed": list(self.unparsed),
        }

    @classmethod
    def from_parts(
        cls, info: Any, *, values: Any, computed: Any, manifest: Sequence[Any], hooks: Sequence[Any], origin: str
    ) -> Self:
        """Put a record together from its five files; RefusedError says `origin` and what is wrong."""
        where = f"{origin}: release.json"
        chart = _typed(info, "chart", dict, where)
        namespace, storage, release = (
            helm_name(info.get(key), f"{where}: {key}") for key in ("namespace", "storageNamespace", "release")
        )
        revision = _typed(info, "revision", int, where)
        told = f"Helm release {namespace}/{release} revision {revision}"
        return cls(
            namespace=namespace,
            storage_namespace=storage,
            release=release,
            revision=revision,
            driver=_typed(info, "driver", str, where),
            status=_typed(info, "status", str, where),
            description=_typed(info, "description", str, where),
            first_deployed=_typed(info, "firstDeployed", str, where),
            last_deployed=_typed(info, "lastDeployed", str, where),
            chart_name=_typed(chart, "name", str, where),
            chart_version=_typed(chart, "version", str, where),
            app_version=_typed(chart, "appVersion", str, where),
            encoded_bytes=_typed(info, "encodedBytes", int, where),
            values=_mapping(values, f"{origin}: values.yaml"),
            computed=_mapping(computed, f"{origin}: computed.yaml"),
            manifest=tuple(shaped(obj, f"{told}, object {n} of its manifest") for n, obj in enumerate(manifest, 1)),
            hooks=tuple(HelmHook.from_dict(hook, f"{told}, hook {n}") for n, hook in enumerate(hooks, 1)),
            unparsed=tuple(map(str, _typed(info, "unparsed", list, where))),
        )


def _typed(data: Any, key: str, wanted: type, where: str) -> Any:
    found = _mapping(data, where).get(key)
    if not isinstance(found, wanted) or isinstance(found, bool):
        raise RefusedError(
            f"{where}: {key}: {type(found).__name__} found, {wanted.__name__} wanted; take the snapshot again"
        )
    return found


def _mapping(data: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise RefusedError(f"{where}: {type(data).__name__} found, a mapping wanted; take the snapshot again")
    return data
