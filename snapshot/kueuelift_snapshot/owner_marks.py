"""How tools that keep objects in a cluster mark them as their own: the one place that names those marks."""

from collections.abc import Iterator
from dataclasses import dataclass

from kueuelift.kinds import group_of
from kueuelift.model import KubernetesObject

APPLICATION, HELM_RELEASE, KUSTOMIZATION = "argocd-application", "flux-helmrelease", "flux-kustomization"
HELM, AKS, OWNER = "helm", "aks", "owner-reference"
TRACKING = "argocd.argoproj.io/tracking-id"
INSTANCE = "argocd.argoproj.io/instance"


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Owner:
    """Something that keeps an object as it wants it."""

    tool: str
    namespace: str = ""
    """Empty where the mark does not say."""
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A label or annotation that names an owner."""

    tool: str
    place: str
    """`labels` or `annotations`."""
    name: str
    namespace: str = ""
    """The one that names the owner's namespace, where there is one."""


MARKS = (
    Mark(
        tool=HELM,
        place="annotations",
        name="meta.helm.sh/release-name",
        namespace="meta.helm.sh/release-namespace",
    ),
    Mark(
        tool=HELM_RELEASE,
        place="labels",
        name="helm.toolkit.fluxcd.io/name",
        namespace="helm.toolkit.fluxcd.io/namespace",
    ),
    Mark(
        tool=KUSTOMIZATION,
        place="labels",
        name="kustomize.toolkit.fluxcd.io/name",
        namespace="kustomize.toolkit.fluxcd.io/namespace",
    ),
    Mark(tool="addon-manager", place="labels", name="addonmanager.kubernetes.io/mode"),
    Mark(tool=AKS, place="labels", name="kubernetes.azure.com/managedby"),
    Mark(tool="config-sync", place="annotations", name="configsync.gke.io/resource-id"),
    Mark(tool="fleet", place="annotations", name="objectset.rio.cattle.io/id"),
    Mark(tool="kapp", place="labels", name="kapp.k14s.io/app"),
    Mark(tool="olm", place="labels", name="olm.owner", namespace="olm.owner.namespace"),
)
"""Source: the documentation of Helm 3, Flux 2, Kubernetes' addon manager, AKS, Config Sync, Fleet, kapp and OLM."""

AKS_DOMAIN = "clusterconfig.azure.com"
"""The part before the slash of what the agent of AKS's cluster extensions puts on objects."""

MANAGERS = {
    "argocd-application-controller": "argocd",
    "argocd-controller": "argocd",
    "extension-manager": AKS,
    "fleetagent": "fleet",
    "HashiCorp": "terraform",
    "helm": HELM,
    "helm-controller": "flux",
    "kapp-server": "kapp",
    "kubectl": "kubectl",
    "kubectl-client-side-apply": "kubectl",
    "kubectl-create": "kubectl",
    "kubectl-edit": "kubectl",
    "kubectl-patch": "kubectl",
    "kubectl-replace": "kubectl",
    "kustomize-controller": "flux",
    "Terraform": "terraform",
}
"""Field managers by the tool that writes under that name; for most it is the name of its program."""


def claims(obj: KubernetesObject) -> Iterator[tuple[Owner, str]]:
    """The owners that an object names, each with what names it: `label kustomize.toolkit.fluxcd.io/name`."""
    metadata = obj.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    places = {"labels": labels, "annotations": annotations}
    for mark in MARKS:
        if name := places[mark.place].get(mark.name):
            namespace = str(places[mark.place].get(mark.namespace) or "")
            yield Owner(tool=mark.tool, namespace=namespace, name=str(name)), f"{mark.place[:-1]} {mark.name}"
    if application := labels.get(INSTANCE):
        yield _application(str(application)), f"label {INSTANCE}"
    if application := _tracked(obj, str(annotations.get(TRACKING) or "")):
        yield _application(application), f"annotation {TRACKING}"
    for place, mapping in places.items():
        for key in mapping:
            if key.partition("/")[0].endswith(AKS_DOMAIN):
                yield Owner(tool=AKS, name=str(mapping[key])), f"{place[:-1]} {key}"
    for reference in metadata.get("ownerReferences") or ():
        name = f"{reference.get('kind')} {reference.get('name')}"
        yield Owner(tool=OWNER, namespace=str(metadata.get("namespace") or ""), name=name), "ownerReferences"


def _application(name: str) -> Owner:
    """An Application of Argo CD: `team_app` is one outside Argo CD's own namespace."""
    namespace, found, rest = name.partition("_")
    return Owner(tool=APPLICATION, namespace=namespace, name=rest) if found else Owner(tool=APPLICATION, name=name)


def _tracked(obj: KubernetesObject, mark: str) -> str:
    """The application of a tracking id that is about this very object: controllers copy it to what they make."""
    application, _, identity = mark.partition(":")
    kind, _, place = identity.partition(":")
    group = group_of(str(obj.get("apiVersion")))
    own = kind == f"{group}/{obj.get('kind')}" and place.rpartition("/")[2] == (obj.get("metadata") or {}).get("name")
    return application if own else ""
