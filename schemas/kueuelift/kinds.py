"""The eleven kinds of the group `kueue.x-k8s.io`, in the order in which they depend on each other.

Source: the CRDs of Kueue 0.12.2 to 0.20 (the set has not changed in between).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GROUP = "kueue.x-k8s.io"
TARGET_VERSION = "v1beta2"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of the group, as the API server names it."""

    name: str
    plural: str
    namespaced: bool = False
    per_job: bool = False
    """One object per job, made by Kueue: streamed, never reviewed one by one, never restored."""

    @property
    def crd_name(self) -> str:
        """The name of the CustomResourceDefinition."""
        return f"{self.plural}.{GROUP}"


KINDS: tuple[Kind, ...] = (
    Kind(name="Topology", plural="topologies"),
    Kind(name="ResourceFlavor", plural="resourceflavors"),
    Kind(name="ProvisioningRequestConfig", plural="provisioningrequestconfigs"),
    Kind(name="MultiKueueCluster", plural="multikueueclusters"),
    Kind(name="MultiKueueConfig", plural="multikueueconfigs"),
    Kind(name="AdmissionCheck", plural="admissionchecks"),
    Kind(name="WorkloadPriorityClass", plural="workloadpriorityclasses"),
    Kind(name="Cohort", plural="cohorts"),
    Kind(name="ClusterQueue", plural="clusterqueues"),
    Kind(name="LocalQueue", plural="localqueues", namespaced=True),
    Kind(name="Workload", plural="workloads", namespaced=True, per_job=True),
)
"""Referenced kinds first: the order to create and to report in."""

BY_NAME: dict[str, Kind] = {kind.name: kind for kind in KINDS}
BY_PLURAL: dict[str, Kind] = {kind.plural: kind for kind in KINDS}
CONFIGURATION_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if not kind.per_job)


def api_version(version: str) -> str:
    """`v1beta2` -> `kueue.x-k8s.io/v1beta2`."""
    return f"{GROUP}/{version}"


def group_of(api_version_text: str) -> str:
    """`ray.io/v1` -> `ray.io`; `v1` -> nothing: the core's group has no name."""
    return api_version_text.rpartition("/")[0]


def kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The kind of an object, or of what an owner reference names; None where it is none of Kueue's."""
    name = obj.get("kind")
    known = BY_NAME.get(name) if isinstance(name, str) else None
    return known if version_of(str(obj.get("apiVersion"))) is not None else None


def version_of(api_version_text: str) -> str | None:
    """`kueue.x-k8s.io/v1beta2` -> `v1beta2`; None where the group is another one."""
    group, slash, version = api_version_text.partition("/")
    return version if slash and group == GROUP else None
