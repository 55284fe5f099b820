"""Workload: the priority class becomes a reference, one spelling is put right, topology assignments are packed."""

from collections.abc import Iterator

from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, LossyField, Renamed, inner, rename
from kueuelift_transform.topology_assignment import splits, to_domains, to_slices

_SOURCES = {
    "kueue.x-k8s.io/workloadpriorityclass": (GROUP, "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}
_MISSPELT, _SPELT = "accumulatedPastExexcutionTimeSeconds", "accumulatedPastExecutionTimeSeconds"

_ASSIGNMENT = "status.admission.podSetAssignments[].topologyAssignment"


def _to_v1beta2(obj: KubernetesObject, release: Release) -> None:
    _refer_to_class(inner(obj, "spec"))
    rename(inner(obj, "status"), _MISSPELT, _SPELT)
    for assigned, where in _topology_assignments(obj):
        assigned["topologyAssignment"] = to_slices(
            assigned["topologyAssignment"], split=splits(release), where=f"{where}.topologyAssignment"
        )


def _to_v1beta1(obj: KubernetesObject, _release: Release) -> None:
    _name_class(inner(obj, "spec"))
    rename(inner(obj, "status"), _SPELT, _MISSPELT)
    for assigned, where in _topology_assignments(obj):
        assigned["topologyAssignment"] = to_domains(assigned["topologyAssignment"], where=f"{where}.topologyAssignment")


def _refer_to_class(spec: KubernetesObject) -> None:
    spec.pop("priorityClassRef", None)
    name, source = spec.pop("priorityClassName", None), spec.pop("priorityClassSource", None)
    if source in _SOURCES:
        group, kind = _SOURCES[source]
        spec["priorityClassRef"] = {"group": group, "kind": kind, **({"name": name} if name else {})}


def _name_class(spec: KubernetesObject) -> None:
    reference = spec.pop("priorityClassRef", None) or {}
    for source, (group, kind) in _SOURCES.items():
        if (reference.get("group"), reference.get("kind")) == (group, kind):
            spec["priorityClassSource"] = source
            spec["priorityClassName"] = reference.get("name", "")


def _topology_assignments(obj: KubernetesObject) -> Iterator[tuple[KubernetesObject, str]]:
    for index, assigned in enumerate(inner(obj, "status", "admission").get("podSetAssignments") or []):
        if assigned.get("topologyAssignment") is not None:
            yield assigned, f"{ObjectRef.of(obj)} at status.admission.podSetAssignments[{index}]"


CONVERSION = Conversion(
    kind="Workload",
    source="v1beta1",
    target="v1beta2",
    edit=_to_v1beta2,
    edit_back=_to_v1beta1,
    by_webhook=True,
    renamed=(
        Renamed(old="spec.priorityClassName", new="spec.priorityClassRef"),
        Renamed(old="spec.priorityClassSource", new="spec.priorityClassRef"),
        Renamed(old=f"status.{_MISSPELT}", new=f"status.{_SPELT}"),
        Renamed(
            old=f"{_ASSIGNMENT}.domains",
            new=f"{_ASSIGNMENT}.slices",
            reshaped="what the domains share is written once, with the same domains in the same order",
        ),
    ),
    lossy=(
        LossyField(
            path="spec.priorityClassName",
            reason="without a priorityClassSource that Kueue knows, v1beta2 has no place for it; the priority stays",
            source="kueue v0.17.0, apis/kueue/v1beta1/workload_conversion.go",
            homeless=False,
        ),
        LossyField(
            path="spec.priorityClassSource",
            reason="v1beta2 refers to a WorkloadPriorityClass or PriorityClass only; the priority stays",
            source="kueue v0.17.0, apis/kueue/v1beta1/workload_conversion.go",
            homeless=False,
        ),
    ),
)
