"""The installation of Kueue in files: what an object alone tells at once, what others tell when all were seen."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from kueuelift.kinds import group_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import installation, surroundings
from kueuelift_snapshot import installation_marks as marks
from kueuelift_snapshot.file_objects import ODD_SHAPE, Later, Placed
from kueuelift_snapshot.installation import Found
from kueuelift_snapshot.installation_marks import NamespacedName
from kueuelift_snapshot.resource import Resource


class FileInstallation:
    """Judges as `capture_installation` and `capture_surroundings` do, in whatever order objects come."""

    def __init__(self) -> None:
        self.found = Found()
        self._roles: set[str] = set()
        self._policies: set[str] = set()
        self._waiting: list[KubernetesObject] = []

    def place(self, obj: KubernetesObject) -> Placed | Later | None:
        """Where an object goes; later where others decide."""
        known = _KINDS.get((group_of(str(obj["apiVersion"])), obj["kind"]))
        if known is None:
            return None
        resource, now, later = known
        if now(self, obj):
            return _placed(resource, obj)
        if later is None:
            return None
        self._waiting.append(obj)
        return Later()

    def rest(self) -> Iterator[Placed]:
        """What of the objects that wait belongs to the installation, now that all were seen; to be asked once."""
        # Deployments first: what is behind the Services that Kueue's webhooks call is a manager, and tells of more.
        for obj in sorted(self._waiting, key=lambda it: it["kind"] != "Deployment"):
            resource, _, later = _KINDS[group_of(str(obj["apiVersion"])), obj["kind"]]
            with suppress(*ODD_SHAPE):
                if later is not None and later(self, obj):
                    yield _placed(resource, obj)
        self._waiting.clear()

    def calls(self, crd: KubernetesObject) -> None:
        """Take in which Service converts the objects of one of Kueue's CRDs."""
        if service := marks.service_of_crd(crd):
            self.found.called.add(service)

    def webhook(self, obj: KubernetesObject) -> bool:
        """An installation's own, or one that is asked about Kueue's objects."""
        own = marks.is_kueues_webhook(obj)
        if own:
            self.found.called.update(marks.services_of_webhooks(obj))
        return own or marks.is_asked_about_kueue(obj)

    def api_service(self, obj: KubernetesObject) -> bool:
        """One that Kueue is behind."""
        if service := marks.service_of_api(obj):
            self.found.called.add(service)
        return service is not None

    def service(self, obj: KubernetesObject) -> bool:
        """One that says Kueue."""
        if chosen := (obj.get("spec") or {}).get("selector"):
            self.found.selectors[NamespacedName.of_object(obj)] = chosen
        return marks.mentions_kueue(obj)

    def deployment(self, obj: KubernetesObject, selectors: Iterable[object] = ()) -> bool:
        """A manager of Kueue, or of an integration."""
        if marks.runs_kueue(obj, selectors):
            self.found.runs(obj)
            return True
        return marks.runs_operator(obj)

    def role(self, obj: KubernetesObject) -> bool:
        """One of an installation, or that is about Kueue."""
        own, allowed = marks.is_kueues_role(obj), marks.allows_kueue(obj)
        if (own or allowed) and not installation.is_bootstrap(obj):
            self._roles.add(obj["metadata"]["name"])
        return own or allowed

    def policy(self, obj: KubernetesObject) -> bool:
        """An admission policy that is asked about Kueue's objects."""
        wanted = surroundings.is_kueues_policy(obj)
        if wanted:
            self._policies.add(obj["metadata"]["name"])
        return wanted

    def is_called(self, obj: KubernetesObject) -> bool:
        """Whether a Deployment's pods are behind a Service that Kueue's webhooks call."""
        namespace = NamespacedName.of_object(obj).namespace
        called = [it for it in self.found.called & self.found.selectors.keys() if it.namespace == namespace]
        return self.deployment(obj, [self.found.selectors[it] for it in called])

    def is_in_front(self, obj: KubernetesObject) -> bool:
        """Whether a Service belongs to the installation."""
        return NamespacedName.of_object(obj) in self._services

    def is_mounted(self, obj: KubernetesObject) -> bool:
        """Whether a ConfigMap is one of the installation's pods."""
        return NamespacedName.of_object(obj) in self.found.mounted

    def binds(self, obj: KubernetesObject) -> bool:
        """Whether a binding is about the installation's roles or accounts."""
        return marks.binds(obj, self._roles, self.found.accounts)

    def binds_policy(self, obj: KubernetesObject) -> bool:
        """Whether a binding puts a policy in force that was kept."""
        return (obj.get("spec") or {}).get("policyName") in self._policies

    def is_near(self, obj: KubernetesObject) -> bool:
        """Whether an object is in a namespace of the installation."""
        return obj["metadata"].get("namespace") in self.found.namespaces

    @cached_property
    def _services(self) -> frozenset[NamespacedName]:
        return frozenset(self.found.services())


def _says_kueue(_: FileInstallation, obj: KubernetesObject) -> bool:
    return marks.mentions_kueue(obj)


def _specifies_kueue(_: FileInstallation, obj: KubernetesObject) -> bool:
    return surroundings.specifies_kueue(obj)


def _configures(_: FileInstallation, obj: KubernetesObject) -> bool:
    return marks.holds_configuration(obj)


def _always(_: FileInstallation, obj: KubernetesObject) -> bool:  # noqa: ARG001 - as its siblings
    return True


_Judge = Callable[[FileInstallation, KubernetesObject], bool]
_I, _S = FileInstallation, surroundings
_POLICIES = {
    "ValidatingAdmissionPolicy": (_S.POLICIES[0][0], _I.policy, None),
    "ValidatingAdmissionPolicyBinding": (_S.POLICIES[0][1], _says_kueue, _I.binds_policy),
    "MutatingAdmissionPolicy": (_S.POLICIES[1][0], _I.policy, None),
    "MutatingAdmissionPolicyBinding": (_S.POLICIES[1][1], _says_kueue, _I.binds_policy),
}
_BY_KIND: Mapping[str, tuple[Resource, _Judge, _Judge | None]] = {
    "ValidatingWebhookConfiguration": (installation.VALIDATING, _I.webhook, None),
    "MutatingWebhookConfiguration": (installation.MUTATING, _I.webhook, None),
    "APIService": (installation.API_SERVICES, _I.api_service, None),
    "Deployment": (installation.DEPLOYMENTS, _I.deployment, _I.is_called),
    "Service": (installation.SERVICES, _I.service, _I.is_in_front),
    "ConfigMap": (installation.CONFIG_MAPS, _configures, _I.is_mounted),
    "ClusterRole": (installation.CLUSTER_ROLES, _I.role, None),
    "ClusterRoleBinding": (installation.CLUSTER_ROLE_BINDINGS, _says_kueue, _I.binds),
    "RoleBinding": (installation.ROLE_BINDINGS, _says_kueue, _I.binds),
    "Namespace": (surroundings.NAMESPACES, _always, None),
    **_POLICIES,
    **{kind: (resource, _specifies_kueue, _I.is_near) for kind, resource in surroundings.AROUND.items()},
}
_KINDS = {(entry[0].group, kind): entry for kind, entry in _BY_KIND.items()}


def _placed(resource: Resource, obj: KubernetesObject) -> Placed:
    if resource is surroundings.NAMESPACES:
        return Placed(
            folder=installation.FOLDER, resource=resource.name, value=surroundings.of_namespace(obj), lines=True
        )
    return Placed(folder=installation.FOLDER, resource=resource.name, value=obj)
