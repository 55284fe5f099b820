"""What in files surrounds Kueue, told by each object alone: no list of the cluster says what belongs to what."""

from collections.abc import Callable, Mapping

from kueuelift.kinds import group_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import dependents, gitops, installation, running
from kueuelift_snapshot import installation_marks as marks
from kueuelift_snapshot.file_objects import Placed, Surrounding
from kueuelift_snapshot.gitops_fields import steady
from kueuelift_snapshot.integrations import INTEGRATIONS
from kueuelift_snapshot.marks import is_executor, is_marked, names_kueue
from kueuelift_snapshot.resource import Resource
from kueuelift_snapshot.running_fields import reduced

Judge = Callable[[KubernetesObject], bool]


def _is_asked(configuration: KubernetesObject) -> bool:
    return marks.is_kueues_webhook(configuration) or marks.is_asked_about_kueue(configuration)


def _runs(deployment: KubernetesObject) -> bool:
    return marks.runs_kueue(deployment) or marks.runs_operator(deployment)


def _is_role(role: KubernetesObject) -> bool:
    return marks.is_kueues_role(role) or marks.allows_kueue(role)


_INSTALLATION: Mapping[str, tuple[Resource, Judge]] = {
    "ValidatingWebhookConfiguration": (installation.VALIDATING, _is_asked),
    "MutatingWebhookConfiguration": (installation.MUTATING, _is_asked),
    "APIService": (installation.API_SERVICES, lambda obj: marks.service_of_api(obj) is not None),
    "Deployment": (installation.DEPLOYMENTS, _runs),
    "Service": (installation.SERVICES, marks.mentions_kueue),
    "ConfigMap": (installation.CONFIG_MAPS, marks.holds_configuration),
    "ClusterRole": (installation.CLUSTER_ROLES, _is_role),
    "ClusterRoleBinding": (installation.CLUSTER_ROLE_BINDINGS, marks.mentions_kueue),
    "RoleBinding": (installation.ROLE_BINDINGS, marks.mentions_kueue),
}
"""By kind; each counts in its own group only."""

_JOBS = {(it.group, it.kind): Resource(group=it.group, version=it.version, plural=it.plural) for it in INTEGRATIONS}
_DEPENDENTS = {("", "PodTemplate"): dependents.POD_TEMPLATES}
_DEPENDENTS[dependents.PROVISIONING_REQUESTS.group, "ProvisioningRequest"] = dependents.PROVISIONING_REQUESTS


def of_installation(obj: KubernetesObject) -> Placed | None:
    """A manager of Kueue or of its integrations, its Configuration, what calls it, and what it may do."""
    resource, judge = _INSTALLATION.get(obj["kind"], (None, None))
    if resource is None or judge is None or resource.group != _group(obj) or not judge(obj):
        return None
    return Placed(folder=installation.FOLDER, resource=resource.name, value=obj)


def of_gitops(obj: KubernetesObject) -> Placed | None:
    """What a Git tool does with Kueue: its name or its specification says so."""
    resource = gitops.BY_KIND.get((_group(obj), obj["kind"]))
    if resource is None or not names_kueue(obj["metadata"]["name"], obj.get("spec")):
        return None
    return Placed(folder=gitops.FOLDER, resource=resource.name, value=steady(obj))


def of_running(obj: KubernetesObject) -> Placed | None:
    """A job that Kueue has to do with, reduced as one of a cluster is."""
    resource = _JOBS.get((_group(obj), obj["kind"]))
    if resource is None or not (is_marked(obj) or is_executor(obj)):
        return None
    return Placed(folder=running.FOLDER, resource=resource.name, value=reduced(obj), lines=True)


def of_dependents(obj: KubernetesObject) -> Placed | None:
    """What a Workload owns."""
    resource = _DEPENDENTS.get((_group(obj), obj["kind"]))
    if resource is None or not dependents.belongs_to_workload(obj):
        return None
    return Placed(folder=dependents.FOLDER, resource=resource.name, value=obj, lines=True)


def _patient(knows: Surrounding) -> Surrounding:
    """The same, knowing nothing of an object of another shape than its kind has: no server would take it."""

    def judged(obj: KubernetesObject) -> Placed | None:
        try:
            return knows(obj)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None

    return judged


SURROUNDINGS = tuple(map(_patient, (of_installation, of_gitops, of_running, of_dependents)))
"""In the order in which they are asked; files may hold anything."""


def _group(obj: KubernetesObject) -> str:
    return group_of(str(obj["apiVersion"]))
