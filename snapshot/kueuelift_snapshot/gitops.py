"""Who owns the installation and its queues: Flux, Argo CD, the extension of AKS, and what marks on objects say."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from kueuelift.helm_record import HelmRecord
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.discovery import ServedResource
from kueuelift_snapshot.gitops_fields import inventory, steady
from kueuelift_snapshot.marks import names_kueue
from kueuelift_snapshot.owner_marks import APPLICATION, HELM_RELEASE, KUSTOMIZATION, OWNER, Owner, claims
from kueuelift_snapshot.ownership import Ownership
from kueuelift_snapshot.resource import Resource

FOLDER = "gitops"
OWNERS = "owners"
"""Where the summary of all owners is: `gitops/owners/owners.yaml`."""

_KINDS = (
    (
        "argoproj.io",
        "v1alpha1",
        {"Application": "applications", "ApplicationSet": "applicationsets", "AppProject": "appprojects"},
    ),
    ("aks.clusterconfig.azure.com", "v1beta1", {"ExtensionConfig": "extensionconfigs"}),
    ("clusterconfig.azure.com", "v1beta1", {"ExtensionConfig": "extensionconfigs"}),
    ("helm.cattle.io", "v1", {"HelmChartConfig": "helmchartconfigs", "HelmChart": "helmcharts"}),
    ("helm.toolkit.fluxcd.io", "v2", {"HelmRelease": "helmreleases"}),
    ("kustomize.toolkit.fluxcd.io", "v1", {"Kustomization": "kustomizations"}),
    (
        "source.toolkit.fluxcd.io",
        "v1",
        {
            "Bucket": "buckets",
            "GitRepository": "gitrepositories",
            "HelmChart": "helmcharts",
            "HelmRepository": "helmrepositories",
            "OCIRepository": "ocirepositories",
        },
    ),
)
"""Groups, versions, and kinds with their plurals.

AKS has a group of its own for what Azure Arc calls `clusterconfig.azure.com`.
"""

BY_KIND = {
    (group, kind): Resource(group=group, version=version, plural=plural)
    for group, version, kinds in _KINDS
    for kind, plural in kinds.items()
}
"""By group and kind."""

RESOURCES = tuple(BY_KIND.values())
"""All of them custom kinds: a cluster may have them in other versions, or not at all."""

_TOOLS = {"Application": APPLICATION, "HelmRelease": HELM_RELEASE, "Kustomization": KUSTOMIZATION}
_PLACES = frozenset({"GitRepository", "Bucket", "HelmChart", "HelmRepository", "OCIRepository", "AppProject"})
"""Where owners take things from, or what limits them: kept only where an owner names them."""

_THIS_SERVER = (None, "", "https://kubernetes.default.svc")
_THIS_NAME = (None, "", "in-cluster")
"""How an Application of Argo CD says that it is for the cluster that it is in."""

_Key = tuple[str, str, str]
"""Kind, namespace and name."""


@dataclass(kw_only=True, slots=True)
class Held:
    """All objects of these kinds, reduced: which of them matter is known when all have been seen."""

    objects: dict[_Key, tuple[str, KubernetesObject]] = field(default_factory=dict)
    """Each with the name of its resource."""

    def hold(self, resource: str, obj: KubernetesObject) -> None:
        """One more, or the same again."""
        self.objects[_key(obj)] = resource, steady(obj)

    def forget(self, resource: str) -> None:
        """Nothing of a resource whose list begins again, or failed."""
        self.objects = {key: it for key, it in self.objects.items() if it[0] != resource}

    def chosen(self, ownership: Ownership, releases: Iterable[HelmRecord]) -> list[_Key]:
        """Those that own what was captured, what owns these, and where they take it from; sorted."""
        names = {(record.storage_namespace, record.release) for record in releases}
        found: set[_Key] = set()
        new = {key for key, (_, obj) in self.objects.items() if _owns(obj, ownership, names)}
        while new:
            found |= new
            new = {key for it in new for key in self._named(self.objects[it][1])} - found
        return sorted(found)

    def _named(self, obj: KubernetesObject) -> Iterator[_Key]:
        """What an object refers to or is owned by, as far as it is there."""
        for kind, namespace, name in references(obj):
            if namespace:
                if (kind, namespace, name) in self.objects:
                    yield kind, namespace, name
            else:
                yield from (key for key in self.objects if (key[0], key[2]) == (kind, name))


def served(custom: Iterable[ServedResource]) -> list[Resource]:
    """Those of RESOURCES that a cluster has, in the version to read."""
    wanted = {resource.name for resource in RESOURCES}
    return sorted((it for it in custom if it.name in wanted), key=lambda it: it.name)


def capture_gitops(capture: Capture, ownership: Ownership, releases: Iterable[HelmRecord]) -> None:
    """The owners of all that `ownership` has seen by now, or of one of the Helm `releases`, and the summary of owners.

    Read in all namespaces, whatever the operator narrowed: a Git owner lives elsewhere than what it owns.
    """
    held = Held()
    for resource in served(capture.custom):
        name = resource.name
        capture.look(resource, partial(held.hold, name), forget=partial(held.forget, name))
    for resource_name, obj in settled(held, ownership, releases):
        capture.add(FOLDER, resource_name, obj)


def settled(held: Held, ownership: Ownership, releases: Iterable[HelmRecord]) -> Iterator[tuple[str, KubernetesObject]]:
    """What of these is kept, each with the name of its resource, and last the summary of owners; to be asked once."""
    for key in held.chosen(ownership, releases):
        resource_name, obj = held.objects[key]
        yield resource_name, obj
        if (tool := _TOOLS.get(key[0])) and not is_remote(obj):
            by = "status.resources" if tool == APPLICATION else "status.inventory"
            ownership.add(_owner(tool, key, ownership), by, inventory(obj))
    yield OWNERS, ownership.summary()


def references(obj: KubernetesObject) -> Iterator[_Key]:
    """What an owner takes things from, is limited or owned by; an empty namespace is any."""
    metadata, spec = obj["metadata"], obj.get("spec") or {}
    own = str(metadata.get("namespace") or "")
    chart = (spec.get("chart") or {}) if isinstance(spec.get("chart"), dict) else {}
    for source in (spec.get("sourceRef"), spec.get("chartRef"), (chart.get("spec") or {}).get("sourceRef")):
        if isinstance(source, dict) and source.get("kind"):
            yield str(source["kind"]), str(source.get("namespace") or own), str(source.get("name"))
    if obj.get("kind") == "HelmRelease" and (source := (chart.get("spec") or {}).get("sourceRef")):
        # The name that the controller gives to the HelmChart that it makes of `chart`.
        yield "HelmChart", str(source.get("namespace") or own), f"{own}-{metadata['name']}"
    if obj.get("kind") == "Application" and spec.get("project"):
        yield "AppProject", "", str(spec["project"])
    tools = {tool: kind for kind, tool in _TOOLS.items()}
    for owner, _ in claims(obj):
        if owner.tool in tools:
            yield tools[owner.tool], owner.namespace, owner.name
        elif owner.tool == OWNER:
            kind, _, name = owner.name.partition(" ")
            yield kind, owner.namespace, name


def installs(release: KubernetesObject, names: set[tuple[str, str]]) -> bool:
    """Whether a HelmRelease is behind one of some Helm releases, told by storage namespace and name."""
    metadata, spec = release["metadata"], release.get("spec") or {}
    namespace, target = str(metadata.get("namespace")), spec.get("targetNamespace")
    default = f"{target}-{metadata['name']}" if target else metadata["name"]
    return (str(spec.get("storageNamespace") or namespace), str(spec.get("releaseName") or default)) in names


def is_remote(obj: KubernetesObject) -> bool:
    """Whether an owner says that it applies to another cluster; by an outer address it may mean this one as well."""
    spec = obj.get("spec") or {}
    destination = spec.get("destination") or {}
    return bool(spec.get("kubeConfig")) or not (
        destination.get("server") in _THIS_SERVER and destination.get("name") in _THIS_NAME
    )


def look_at(obj: KubernetesObject) -> None:
    """Whatever is asked of an owner, asked once: an object that no server has had raises here, and nowhere later."""
    for _ in (*references(obj), *inventory(obj)):
        pass
    is_remote(obj)
    installs(obj, set())
    steady(obj)


def _owns(obj: KubernetesObject, ownership: Ownership, releases: set[tuple[str, str]]) -> bool:
    kind, namespace, name = _key(obj)
    if kind in _PLACES and not _is_rancher(obj):
        return False
    tool = _TOOLS.get(kind)
    return (
        (tool is not None and ownership.names(tool, namespace, name))
        or (kind == "HelmRelease" and installs(obj, releases))
        or any(True for _ in inventory(obj))
        or names_kueue(name, obj.get("spec"))
    )


def _is_rancher(obj: KubernetesObject) -> bool:
    """A HelmChart of k3s is an owner; one of Flux is a source."""
    return str(obj.get("apiVersion")).startswith("helm.cattle.io/")


def _owner(tool: str, key: _Key, ownership: Ownership) -> Owner:
    """The owner as marks name it: those of Argo CD leave out its own namespace."""
    _, namespace, name = key
    short = Owner(tool=tool, name=name)
    return short if short in ownership.claimed else Owner(tool=tool, namespace=namespace, name=name)


def _key(obj: KubernetesObject) -> _Key:
    metadata: Mapping[str, Any] = obj["metadata"]
    return str(obj.get("kind")), str(metadata.get("namespace") or ""), str(metadata["name"])
