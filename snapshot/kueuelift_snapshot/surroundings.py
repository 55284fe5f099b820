"""What stands around an installation: namespaces, admission policies, what the server has, and what users put there."""

from collections.abc import Collection, Iterable

from kueuelift.model import OWN_VERSION, KubernetesObject
from kueuelift_snapshot import installation_marks as marks
from kueuelift_snapshot.api import AnswerError
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.discovery import ServedResource
from kueuelift_snapshot.failure_text import failure_of
from kueuelift_snapshot.installation import FOLDER
from kueuelift_snapshot.integrations import INTEGRATIONS
from kueuelift_snapshot.marks import names_kueue
from kueuelift_snapshot.resource import API_GROUPS, Resource

SERVED = "served"
GROUPS = API_GROUPS.name
"""What the list of API groups is called where it could not be read."""

_ADMISSION = "admissionregistration.k8s.io"
_MONITORING = "monitoring.coreos.com"

NAMESPACES = Resource(group="", version="v1", plural="namespaces")

POLICIES = tuple(
    (Resource(group=_ADMISSION, version="v1", plural=policy), Resource(group=_ADMISSION, version="v1", plural=binding))
    for policy, binding in (
        ("validatingadmissionpolicies", "validatingadmissionpolicybindings"),
        ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings"),
    )
)
"""Admission policies and their bindings, where the server has them: Kubernetes 1.30 and 1.36."""

FLOW_SCHEMAS = Resource(group="flowcontrol.apiserver.k8s.io", version="v1", plural="flowschemas")
NETWORK_POLICIES = Resource(group="networking.k8s.io", version="v1", plural="networkpolicies")
AROUND = {
    "FlowSchema": FLOW_SCHEMAS,
    "NetworkPolicy": NETWORK_POLICIES,
    "Certificate": Resource(group="cert-manager.io", version="v1", plural="certificates"),
    "Issuer": Resource(group="cert-manager.io", version="v1", plural="issuers"),
    "PodMonitor": Resource(group=_MONITORING, version="v1", plural="podmonitors"),
    "PrometheusRule": Resource(group=_MONITORING, version="v1", plural="prometheusrules"),
    "ServiceMonitor": Resource(group=_MONITORING, version="v1", plural="servicemonitors"),
}
"""By kind: what users put around Kueue; but for the first two custom kinds."""

NEAR = tuple(AROUND.values())
"""What is kept where it names Kueue or is in a namespace of the installation."""

RESOURCES = (
    NAMESPACES,
    *(resource for pair in POLICIES for resource in pair),
    *NEAR,
)
"""All that is read here, as far as a cluster has it."""


def around(custom: Iterable[ServedResource]) -> list[Resource]:
    """What a snapshot can do without: what users put around Kueue, as far as the cluster has it."""
    wanted = {resource.name for resource in NEAR}
    return [FLOW_SCHEMAS, NETWORK_POLICIES, *(it for it in custom if it.name in wanted)]


def capture_surroundings(capture: Capture, namespaces: Collection[str]) -> None:
    """All of it below `installation/`; `namespaces` are those that a manager is in."""
    capture.part(FOLDER, NAMESPACES, of_namespace, lines=True)
    _served(capture)
    _policies(capture)
    _around(capture, namespaces)


def of_namespace(obj: KubernetesObject) -> KubernetesObject:
    """Its name and labels, which selectors match, and whether it is going."""
    kept = ("name", "labels", "deletionTimestamp")
    metadata = {key: obj["metadata"][key] for key in kept if obj["metadata"].get(key)}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata}


def is_kueues_policy(obj: KubernetesObject) -> bool:
    """Whether an admission policy is asked about Kueue's objects."""
    return marks.mentions_kueue(obj) or marks.is_asked_about_kueue(obj)


def specifies_kueue(obj: KubernetesObject) -> bool:
    """Whether an object's name, labels or specification say Kueue."""
    return marks.mentions_kueue(obj) or names_kueue(obj.get("spec"))


def _served(capture: Capture) -> None:
    """Each API group with its versions, preferred first, and the kinds of jobs that a CRD defines in it."""
    try:
        groups = capture.served.groups()
    except AnswerError as error:
        capture.fail(failure_of(API_GROUPS, error))
        return
    jobs = {(it.group, it.plural) for it in INTEGRATIONS}
    for name, versions in groups.items():
        plurals = sorted(it.plural for it in capture.custom if it.group == name and (it.group, it.plural) in jobs)
        served = {"apiVersion": OWN_VERSION, "kind": "ServedGroup", "metadata": {"name": name}}
        capture.add(FOLDER, SERVED, served | {"versions": list(versions), "jobs": plurals})


def _policies(capture: Capture) -> None:
    """Admission policies that are asked about Kueue's objects, with what puts them in force."""
    for policies, bindings in POLICIES:
        if capture.find(policies.group, policies.plural) is None:
            continue
        kept: set[str] = set()

        def policy(obj: KubernetesObject, kept: set[str] = kept) -> KubernetesObject | None:
            wanted = is_kueues_policy(obj)
            if wanted:
                kept.add(obj["metadata"]["name"])
            return obj if wanted else None

        def binding(obj: KubernetesObject, kept: set[str] = kept) -> KubernetesObject | None:
            return obj if (obj.get("spec") or {}).get("policyName") in kept else None

        capture.part(FOLDER, policies, policy)
        capture.part(FOLDER, bindings, binding)


def _around(capture: Capture, namespaces: Collection[str]) -> None:
    def near(obj: KubernetesObject) -> KubernetesObject | None:
        return obj if obj["metadata"].get("namespace") in namespaces or specifies_kueue(obj) else None

    for resource in around(capture.custom):
        capture.part(FOLDER, resource, near, optional=True)
