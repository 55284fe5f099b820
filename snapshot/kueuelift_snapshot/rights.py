"""The least rights that a snapshot needs, from the same resources that it lists."""

from kueuelift.kinds import GROUP, KINDS
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import dependents, gitops, installation, running, surroundings
from kueuelift_snapshot.helm_releases import DRIVERS
from kueuelift_snapshot.resource import CRDS, NAMESPACE, Resource
from kueuelift_snapshot.scope import Scope

ROLE = "kueuelift-snapshot"


def needed(scope: Scope) -> list[Resource]:
    """Every resource that a snapshot of this scope reads; those of other controllers count where they are served."""
    return [
        CRDS,
        *(Resource(group=GROUP, version="", plural=kind.plural) for kind in KINDS if scope.takes(kind)),
        *(driver.resource for driver in DRIVERS),
        *dependents.RESOURCES,
        *installation.RESOURCES,
        *surroundings.RESOURCES,
        *gitops.RESOURCES,
        *(running.RESOURCES if scope.running else ()),
    ]


def cluster_role(scope: Scope) -> KubernetesObject:
    """A ClusterRole with just these rights, and the one to read the cluster's identity."""
    identity = {"apiGroups": [""], "resources": [NAMESPACE.plural], "resourceNames": ["kube-system"], "verbs": ["get"]}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE},
        "rules": [identity, *rules(scope)],
    }


def rules(scope: Scope) -> list[KubernetesObject]:
    """One rule for each group and set of verbs, sorted; without the cluster's identity."""
    verbs: dict[tuple[str, str], set[str]] = {}
    for resource in needed(scope):
        verbs.setdefault((resource.group, resource.plural), set()).update(resource.verbs)
    plurals: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (group, plural), wanted in sorted(verbs.items()):
        plurals.setdefault((group, tuple(sorted(wanted))), []).append(plural)
    return [
        {"apiGroups": [group], "resources": names, "verbs": list(wanted)}
        for (group, wanted), names in sorted(plurals.items())
    ]
