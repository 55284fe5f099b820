"""By what an object is known to belong to an installation of Kueue, whatever it is called and wherever its image is."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.integrations import OPERATORS
from kueuelift_snapshot.manager_configuration import configurations, is_configuration
from kueuelift_snapshot.marks import is_kueues_group, names_kueue

_NAMES = ("kueue-controller-manager", "kueue-extension", "kueue-populator", "kueueviz")
"""Deployments of the chart, of the managed extension of AKS, of kueue-populator and kueueviz, prefixed or not."""

_LABELS = ("app.kubernetes.io/name", "app.kubernetes.io/part-of")
_ROLES = "rbac.kueue.x-k8s.io/"
"""Labels by which the chart's ClusterRoles are aggregated."""

_WEBHOOK_PATH = "kueue-x-k8s-io"
"""`/validate-kueue-x-k8s-io-v1beta2-clusterqueue`: only Kueue's manager answers there."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class NamespacedName:
    """Which Service, Deployment, ConfigMap or service account is meant: the kind goes without saying."""

    namespace: str
    name: str

    @classmethod
    def of_service(cls, reference: Any) -> "NamespacedName | None":
        """Read a `service` as webhooks, CRDs and APIServices write it; None where there is none."""
        if not isinstance(reference, dict) or not reference.get("name") or not reference.get("namespace"):
            return None
        return cls(namespace=str(reference["namespace"]), name=str(reference["name"]))

    @classmethod
    def of_object(cls, obj: KubernetesObject) -> "NamespacedName":
        """The name of an object; the namespace is empty where it has none."""
        metadata = obj.get("metadata") or {}
        return cls(namespace=str(metadata.get("namespace") or ""), name=str(metadata.get("name")))


def mentions_kueue(obj: KubernetesObject) -> bool:
    """Whether an object's name or labels say Kueue."""
    metadata = obj.get("metadata") or {}
    labels = metadata.get("labels") or {}
    return names_kueue(metadata.get("name"), *map(labels.get, _LABELS))


def is_kueues_webhook(configuration: KubernetesObject) -> bool:
    """Whether a webhook configuration is an installation's own."""
    services = [(hook.get("clientConfig") or {}).get("service") or {} for hook in _webhooks(configuration)]
    return mentions_kueue(configuration) or any(_WEBHOOK_PATH in str(service.get("path")) for service in services)


def is_asked_about_kueue(configuration: KubernetesObject) -> bool:
    """Whether one of its webhooks, or a policy's rule, is asked about writes to Kueue's objects: `*` among them."""
    constraints = (configuration.get("spec") or {}).get("matchConstraints") or {}
    rules = [rule for hook in _webhooks(configuration) for rule in hook.get("rules") or ()]
    return any(_covers_kueue(rule.get("apiGroups")) for rule in [*rules, *(constraints.get("resourceRules") or ())])


def services_of_webhooks(configuration: KubernetesObject) -> Iterator[NamespacedName]:
    """The Services that a webhook configuration calls."""
    for hook in _webhooks(configuration):
        if service := NamespacedName.of_service((hook.get("clientConfig") or {}).get("service")):
            yield service


def service_of_crd(crd: KubernetesObject) -> NamespacedName | None:
    """The Service that converts a CRD's objects."""
    webhook = ((crd.get("spec") or {}).get("conversion") or {}).get("webhook") or {}
    return NamespacedName.of_service((webhook.get("clientConfig") or {}).get("service"))


def service_of_api(api_service: KubernetesObject) -> NamespacedName | None:
    """The Service behind an APIService of Kueue's; None for others, and for what the API server serves itself."""
    spec = api_service.get("spec") or {}
    return NamespacedName.of_service(spec.get("service")) if is_kueues_group(str(spec.get("group"))) else None


def is_selected(labels: Mapping[str, Any], selector: Any) -> bool:
    """Whether a Service's selector picks pods with these labels; an empty one picks none."""
    return bool(selector) and isinstance(selector, dict) and selector.items() <= labels.items()


def pod_labels(deployment: KubernetesObject) -> dict[str, Any]:
    """The labels of the pods that a Deployment makes."""
    template = (deployment.get("spec") or {}).get("template") or {}
    return (template.get("metadata") or {}).get("labels") or {}


def runs_kueue(deployment: KubernetesObject, selectors: Iterable[Any] = ()) -> bool:
    """Whether a Deployment runs a manager of Kueue or a part that comes with it.

    `selectors` are those of the Services in its namespace that Kueue's webhooks, CRDs and APIServices call.
    """
    labels = pod_labels(deployment)
    metadata = deployment.get("metadata") or {}
    own = metadata.get("labels") or {}
    return (
        names_kueue(*map(repository, _images(deployment)))
        or names_kueue(*(named.get(label) for named in (own, labels) for label in _LABELS))
        or any(name in str(metadata.get("name")) for name in _NAMES)
        or any(is_selected(labels, selector) for selector in selectors)
    )


def runs_operator(deployment: KubernetesObject) -> bool:
    """Whether a Deployment runs an operator whose version matters to Kueue's integrations."""
    paths = [repository(image) for image in _images(deployment)]
    return any(re.search(rf"(?:^|[/-]){name}(?:$|[/-])", path) for path in paths for name in OPERATORS)


def repository(image: str) -> str:
    """`mirror.example:5000/mirrors/kueue/kueue:v0.17.0@sha256:…` -> `mirrors/kueue/kueue`."""
    path = image.partition("@")[0]
    head, slash, last = path.rpartition("/")
    path = f"{head}{slash}{last.partition(':')[0]}"
    host, slash, rest = path.partition("/")
    return rest if slash and ("." in host or ":" in host or host == "localhost") else path


def mounted(deployment: KubernetesObject) -> set[str]:
    """The names of the ConfigMaps that a Deployment's pods mount."""
    found = set()
    for volume in _pod_spec(deployment).get("volumes") or ():
        sources = (volume.get("projected") or {}).get("sources") or ()
        for holder in (volume, *sources):
            if name := (holder.get("configMap") or {}).get("name"):
                found.add(str(name))
    return found


def service_account(deployment: KubernetesObject) -> NamespacedName:
    """The account that a Deployment's pods act as."""
    name = _pod_spec(deployment).get("serviceAccountName") or "default"
    return NamespacedName(namespace=NamespacedName.of_object(deployment).namespace, name=str(name))


def holds_configuration(config_map: KubernetesObject) -> bool:
    """Whether a ConfigMap holds a Configuration of the manager."""
    return any(map(is_configuration, _texts(config_map)))


def external_frameworks(config_map: KubernetesObject) -> Iterator[str]:
    """The kinds that a manager's Configuration names beside its own: `PipelineRun.v1.tekton.dev`."""
    for text in _texts(config_map):
        try:
            documents = configurations(text)
        except RefusedError:
            continue
        for document in documents:
            named = _list_in(document, "integrations", "externalFrameworks")
            named += [
                entry.get("name")
                for entry in _list_in(document, "multiKueue", "externalFrameworks")
                if isinstance(entry, dict)
            ]
            yield from (name for name in named if isinstance(name, str))


def is_kueues_role(role: KubernetesObject) -> bool:
    """Whether a ClusterRole is an installation's own, by name, label or what it is aggregated by."""
    labels = (role.get("metadata") or {}).get("labels") or {}
    selectors = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    wanted = [label for selector in selectors for label in selector.get("matchLabels") or ()]
    return mentions_kueue(role) or any(label.startswith(_ROLES) for label in (*labels, *wanted))


def allows_kueue(role: KubernetesObject) -> bool:
    """Whether a role names Kueue's groups; one that allows everything does not."""
    return any(is_kueues_group(str(group)) for rule in role.get("rules") or () for group in rule.get("apiGroups") or ())


def binds(binding: KubernetesObject, roles: set[str], accounts: set[NamespacedName]) -> bool:
    """Whether a binding gives one of these ClusterRoles, or anything to one of these service accounts."""
    role = binding.get("roleRef") or {}
    subjects = {
        NamespacedName(namespace=str(subject.get("namespace") or ""), name=str(subject.get("name")))
        for subject in binding.get("subjects") or ()
        if subject.get("kind") == "ServiceAccount"
    }
    return (role.get("kind") == "ClusterRole" and role.get("name") in roles) or bool(subjects & accounts)


def _webhooks(configuration: KubernetesObject) -> list[dict[str, Any]]:
    return configuration.get("webhooks") or []


def _covers_kueue(groups: Any) -> bool:
    return any(group == "*" or is_kueues_group(str(group)) for group in groups or ())


def _pod_spec(deployment: KubernetesObject) -> dict[str, Any]:
    return ((deployment.get("spec") or {}).get("template") or {}).get("spec") or {}


def _images(deployment: KubernetesObject) -> list[str]:
    spec = _pod_spec(deployment)
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return [str(container.get("image")) for container in containers]


def _texts(config_map: KubernetesObject) -> list[str]:
    return [text for text in (config_map.get("data") or {}).values() if isinstance(text, str)]


def _list_in(document: Any, *path: str) -> list[Any]:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return list(document) if isinstance(document, list) else []
