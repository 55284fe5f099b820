"""The installation of Kueue: what runs it, what calls it, what it may do, and what stands in the way of its objects."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift.model import OWN_VERSION, KubernetesObject
from kueuelift_snapshot import installation_marks as marks
from kueuelift_snapshot.capture import Capture, Keep
from kueuelift_snapshot.installation_marks import NamespacedName
from kueuelift_snapshot.resource import Resource

FOLDER = "installation"
"""Of what belongs to an installation, and of what surrounds it."""

ENDPOINTS = "endpoints"

_ADMISSION, _RBAC = "admissionregistration.k8s.io", "rbac.authorization.k8s.io"

VALIDATING = Resource(group=_ADMISSION, version="v1", plural="validatingwebhookconfigurations")
MUTATING = Resource(group=_ADMISSION, version="v1", plural="mutatingwebhookconfigurations")
API_SERVICES = Resource(group="apiregistration.k8s.io", version="v1", plural="apiservices")
DEPLOYMENTS = Resource(group="apps", version="v1", plural="deployments")
SERVICES = Resource(group="", version="v1", plural="services", verbs=("get", "list"))
CONFIG_MAPS = Resource(group="", version="v1", plural="configmaps")
ENDPOINT_SLICES = Resource(group="discovery.k8s.io", version="v1", plural="endpointslices")
CLUSTER_ROLES = Resource(group=_RBAC, version="v1", plural="clusterroles")
CLUSTER_ROLE_BINDINGS = Resource(group=_RBAC, version="v1", plural="clusterrolebindings")
ROLE_BINDINGS = Resource(group=_RBAC, version="v1", plural="rolebindings")

RESOURCES = (
    VALIDATING,
    MUTATING,
    API_SERVICES,
    DEPLOYMENTS,
    SERVICES,
    CONFIG_MAPS,
    ENDPOINT_SLICES,
    CLUSTER_ROLES,
    CLUSTER_ROLE_BINDINGS,
    ROLE_BINDINGS,
)
"""All that is read here, as far as a cluster has it."""

_BOOTSTRAP = "kubernetes.io/bootstrapping"
"""Label of roles that every cluster has, `view` and `admin` among them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """What else to ask for, as the parts of an installation tell it."""

    namespaces: frozenset[str]
    """Where managers, or what calls them, are."""
    frameworks: frozenset[str]
    """The external frameworks that a manager's Configuration names."""


@dataclass(kw_only=True, slots=True)
class Found:
    """What the parts read so far say of each other; everything is a set or keyed, since a list may begin again."""

    called: set[NamespacedName] = field(default_factory=set)
    """Services that Kueue's webhooks, CRDs and APIServices call."""
    selectors: dict[NamespacedName, Any] = field(default_factory=dict)
    """Of every Service that has one."""
    pods: dict[NamespacedName, dict[str, Any]] = field(default_factory=dict)
    """The labels of pods, by the Deployment of Kueue that makes them."""
    mounted: set[NamespacedName] = field(default_factory=set)
    """ConfigMaps of these Deployments."""
    accounts: set[NamespacedName] = field(default_factory=set)
    """Their service accounts."""
    frameworks: set[str] = field(default_factory=set)

    @property
    def namespaces(self) -> frozenset[str]:
        """Where managers, or what calls them, are."""
        return frozenset(it.namespace for it in (*self.called, *self.pods))

    def runs(self, deployment: KubernetesObject) -> None:
        """Take in a Deployment that runs Kueue."""
        name = NamespacedName.of_object(deployment)
        self.pods[name] = marks.pod_labels(deployment)
        self.accounts.add(marks.service_account(deployment))
        self.mounted |= {NamespacedName(namespace=name.namespace, name=it) for it in marks.mounted(deployment)}

    def services(self) -> list[NamespacedName]:
        """The Services of the installation: those that are called, and those in front of its pods."""
        chosen = {
            service
            for service, selector in self.selectors.items()
            for deployment, labels in self.pods.items()
            if service.namespace == deployment.namespace and marks.is_selected(labels, selector)
        }
        return sorted(self.called | chosen)


def capture_installation(capture: Capture, crds: Mapping[str, KubernetesObject]) -> Installation:
    """Every part of every installation, in all namespaces, whatever the operator narrowed; `crds` are Kueue's."""
    found = Found()
    found.called |= {service for crd in crds.values() if (service := marks.service_of_crd(crd))}
    _callers(capture, found)
    _services(capture, found)
    _deployments(capture, found)
    _config_maps(capture, found)
    _endpoints(capture, found)
    _rights(capture, found)
    return Installation(namespaces=found.namespaces, frameworks=frozenset(found.frameworks))


def is_bootstrap(role: KubernetesObject) -> bool:
    """Whether every cluster has a role, bound to nearly everybody."""
    return _BOOTSTRAP in (role["metadata"].get("labels") or {})


def _callers(capture: Capture, found: Found) -> None:
    """What sends requests to a manager, or is asked about Kueue's objects by others."""

    def webhook(obj: KubernetesObject) -> KubernetesObject | None:
        own = marks.is_kueues_webhook(obj)
        if own:
            found.called.update(marks.services_of_webhooks(obj))
        return obj if own or marks.is_asked_about_kueue(obj) else None

    def api_service(obj: KubernetesObject) -> KubernetesObject | None:
        service = marks.service_of_api(obj)
        if service:
            found.called.add(service)
        return obj if service else None

    capture.part(FOLDER, VALIDATING, webhook)
    capture.part(FOLDER, MUTATING, webhook)
    capture.part(FOLDER, API_SERVICES, api_service)


def _services(capture: Capture, found: Found) -> None:
    """Only their selectors: which of them belong to the installation is known when its pods are."""

    def selector(obj: KubernetesObject) -> None:
        if chosen := (obj.get("spec") or {}).get("selector"):
            found.selectors[NamespacedName.of_object(obj)] = chosen

    capture.part(FOLDER, SERVICES, selector)


def _deployments(capture: Capture, found: Found) -> None:
    by_namespace: dict[str, list[Any]] = defaultdict(list)
    for service in found.called & found.selectors.keys():
        by_namespace[service.namespace].append(found.selectors[service])

    def deployment(obj: KubernetesObject) -> KubernetesObject | None:
        name = NamespacedName.of_object(obj)
        if marks.runs_kueue(obj, by_namespace.get(name.namespace, ())):
            found.runs(obj)
            return obj
        return obj if marks.runs_operator(obj) else None

    capture.part(FOLDER, DEPLOYMENTS, deployment)


def _config_maps(capture: Capture, found: Found) -> None:
    def config_map(obj: KubernetesObject) -> KubernetesObject | None:
        found.frameworks.update(marks.external_frameworks(obj))
        return obj if NamespacedName.of_object(obj) in found.mounted or marks.holds_configuration(obj) else None

    _in(capture, found.namespaces, CONFIG_MAPS, config_map)


def _endpoints(capture: Capture, found: Found) -> None:
    """The installation's Services, and how many pods are ready behind each: their addresses change by themselves."""
    services = {it for it in found.services() if capture.one(FOLDER, SERVICES, it.namespace, it.name)}
    pods: dict[tuple[NamespacedName, str], dict[str, bool]] = {}

    def endpoint_slice(obj: KubernetesObject) -> None:
        metadata = obj["metadata"]
        name = (metadata.get("labels") or {}).get("kubernetes.io/service-name")
        service = NamespacedName(namespace=str(metadata.get("namespace")), name=str(name))
        if service in services:
            pods[service, metadata["name"]] = dict(_readiness(obj))

    failed = len(capture.failures)
    _in(capture, {it.namespace for it in services}, ENDPOINT_SLICES, endpoint_slice)
    if len(capture.failures) > failed:
        return
    for service in sorted(services):
        ready: dict[str, bool] = {}
        for (behind, _), readiness in sorted(pods.items()):
            ready |= readiness if behind == service else {}
        capture.add(FOLDER, ENDPOINTS, _counted(service, ready.values()))


def _readiness(endpoint_slice: KubernetesObject) -> Iterator[tuple[str, bool]]:
    """Each pod, once in all address families, and whether it is ready; one that does not say is, as for kube-proxy."""
    for endpoint in endpoint_slice.get("endpoints") or ():
        target = endpoint.get("targetRef") or {}
        identity = target.get("uid") or target.get("name") or ",".join(endpoint.get("addresses") or ())
        yield str(identity), (endpoint.get("conditions") or {}).get("ready") is not False


def _counted(service: NamespacedName, readiness: Iterable[bool]) -> KubernetesObject:
    told = list(readiness)
    return {
        "apiVersion": OWN_VERSION,
        "kind": "EndpointCount",
        "metadata": {"name": service.name, "namespace": service.namespace},
        "ready": sum(told),
        "notReady": len(told) - sum(told),
    }


def _rights(capture: Capture, found: Found) -> None:
    roles: set[str] = set()

    def role(obj: KubernetesObject) -> KubernetesObject | None:
        own, allowed = marks.is_kueues_role(obj), marks.allows_kueue(obj)
        if (own or allowed) and not is_bootstrap(obj):
            roles.add(obj["metadata"]["name"])
        return obj if own or allowed else None

    def binding(obj: KubernetesObject) -> KubernetesObject | None:
        return obj if marks.binds(obj, roles, found.accounts) else None

    capture.part(FOLDER, CLUSTER_ROLES, role)
    capture.part(FOLDER, CLUSTER_ROLE_BINDINGS, binding)
    capture.part(FOLDER, ROLE_BINDINGS, binding)


def _in(capture: Capture, namespaces: Iterable[str], resource: Resource, keep: Keep) -> None:
    """A part of some namespaces; of none, nothing."""
    if chosen := sorted(namespaces):
        capture.part(FOLDER, resource, keep, namespaces=chosen)
