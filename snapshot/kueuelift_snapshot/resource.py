"""What can be read: a resource of an API group or an address, and the RBAC rule that allows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kueuelift.cluster_role import Rule


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """One resource in one version, as requests and roles name it."""

    group: str
    """Empty for the core group."""
    version: str
    plural: str
    verbs: Sequence[str] = ("list",)
    """What a snapshot does with it."""
    names: Sequence[str] = ()
    """The objects that it is done with; all where empty."""

    @property
    def name(self) -> str:
        """`clusterqueues.kueue.x-k8s.io`; core kinds have no group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def rule(self) -> Rule:
        """The rule of a ClusterRole that allows it."""
        names = {"resourceNames": list(self.names)} if self.names else {}
        return {"apiGroups": [self.group], "resources": [self.plural], **names, "verbs": list(self.verbs)}

    def path(self, namespace: str = "") -> str:
        """Where it is listed: in one namespace, or everywhere."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{namespace}/{self.plural}" if namespace else f"{root}/{self.plural}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """What is no resource, as roles name it."""

    name: str

    @property
    def rule(self) -> Rule:
        """The rule of a ClusterRole that allows it."""
        return {"nonResourceURLs": [self.name], "verbs": ["get"]}


class Readable(Protocol):
    """Whatever can be refused, and what would allow it."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def rule(self) -> Rule:
        """The rule of a ClusterRole."""


VERSION = Address(name="/version")
API_GROUPS = Address(name="/apis")

NAMESPACE = Resource(group="", version="v1", plural="namespaces", verbs=("get",), names=("kube-system",))
"""kube-system, whose uid names the cluster."""

CRDS = Resource(group="apiextensions.k8s.io", version="v1", plural="customresourcedefinitions")
