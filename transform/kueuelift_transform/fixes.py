"""What to do about values that an older version let in and the target refuses; where it is certain, doing it.

A fix is certain where the object means the same to every release with it and without it. Nothing is fixed unasked.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from kueuelift.model import KubernetesObject
from kueuelift.validation import Problem
from kueuelift_transform.conversion import inner
from kueuelift_transform.loss_ledger import in_any_item

Mend = Callable[[KubernetesObject], None]
"""Changes an object of the target version in place; leaves it alone where it is not certain after all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """The way out of one kind of refusal."""

    kind: str
    """Empty: of any kind."""
    path: str
    """A field path with `[]` for any item, and everything below it."""
    remedy: str
    mend: Mend | None = None
    wanted: str | tuple[str, ...] = ""
    """Where a path is refused for more than one reason: how the problem's `wanted` begins."""

    def fits(self, kind: str, problem: Problem) -> bool:
        """Whether this is about a problem of an object of a kind."""
        path = in_any_item(problem.path)
        below = path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))
        return self.kind in {"", kind} and below and problem.wanted.startswith(self.wanted)


def fix_for(kind: str, problem: Problem) -> Fix | None:
    """The first fix that fits; None where only the problem itself says what to do."""
    return next((fix for fix in FIXES if fix.fits(kind, problem)), None)


def mended(obj: KubernetesObject, problems: Iterable[Problem]) -> KubernetesObject | None:
    """The object of the target version with every certain fix of its problems made; None where there is none."""
    own = deepcopy(obj)
    for problem in problems:
        fix = fix_for(obj["kind"], problem)
        if fix and fix.mend:
            fix.mend(own)
    return own if own != obj else None


def _without_strategy(obj: KubernetesObject) -> None:
    spec = inner(obj, "spec")
    if not inner(spec, "admissionChecksStrategy").get("admissionChecks"):
        spec.pop("admissionChecksStrategy", None)


def _checks_once(obj: KubernetesObject) -> None:
    strategy = inner(obj, "spec", "admissionChecksStrategy")
    checks = strategy.get("admissionChecks")
    if isinstance(checks, list):
        strategy["admissionChecks"] = _once(checks)


def _flavors_once(obj: KubernetesObject) -> None:
    for check in inner(obj, "spec", "admissionChecksStrategy").get("admissionChecks") or []:
        if isinstance(check.get("onFlavors"), list):
            check["onFlavors"] = _once(check["onFlavors"])


def _clusters_once(obj: KubernetesObject) -> None:
    spec = inner(obj, "spec")
    if isinstance(spec.get("clusters"), list):
        spec["clusters"] = _once(spec["clusters"])


def _selectors_once(obj: KubernetesObject) -> None:
    updates = inner(obj, "spec", "podSetUpdates")
    if isinstance(updates.get("nodeSelector"), list):
        updates["nodeSelector"] = _once(updates["nodeSelector"])


def _once(items: list[Any]) -> list[Any]:
    """The items without those that repeat an earlier one whole."""
    return [item for index, item in enumerate(items) if item not in items[:index]]


_CHECKS = "spec.admissionChecksStrategy.admissionChecks"
_PODS = "a Workload's pods are as its job made them: let the job end, or delete it, before the change"

FIXES = (
    Fix(
        kind="ClusterQueue",
        path=_CHECKS,
        wanted=("a value, it is required", "at least 1 items"),
        remedy="remove spec.admissionChecksStrategy: an empty one asks for no check",
        mend=_without_strategy,
    ),
    Fix(
        kind="ClusterQueue",
        path=f"{_CHECKS}[].onFlavors",
        wanted="no item twice",
        remedy="name each flavor once: the list is a set",
        mend=_flavors_once,
    ),
    Fix(
        kind="ClusterQueue",
        path=_CHECKS,
        wanted="no second item",
        remedy="make one rule of the two that name the same check, with the flavors of both",
        mend=_checks_once,
    ),
    Fix(
        kind="",
        path="spec.admissionScope.admissionMode",
        remedy="set UsageBasedAdmissionFairSharing or NoAdmissionFairSharing; any other word is taken for the latter",
    ),
    Fix(
        kind="MultiKueueConfig",
        path="spec.clusters",
        wanted="no ",
        remedy="name each cluster once",
        mend=_clusters_once,
    ),
    Fix(
        kind="ProvisioningRequestConfig",
        path="spec.podSetUpdates.nodeSelector",
        wanted="no second item",
        remedy="name each key once, with the detail whose value is meant",
        mend=_selectors_once,
    ),
    Fix(
        kind="ProvisioningRequestConfig",
        path="spec.provisioningClassName",
        remedy="name the provisioning class; without one no ProvisioningRequest can be made",
    ),
    Fix(
        kind="AdmissionCheck",
        path="spec.controllerName",
        remedy="delete it and create it again with its controller's name, which cannot be changed later",
    ),
    Fix(
        kind="MultiKueueCluster",
        path="spec.clusterSource",
        wanted="exactly one",
        remedy="remove either spec.kubeConfig or spec.clusterProfileRef, whichever is not the way to the cluster",
    ),
    Fix(
        kind="MultiKueueCluster",
        path="spec.clusterSource",
        wanted="a value",
        remedy="say how to reach the cluster: spec.kubeConfig.location or spec.clusterProfileRef.name",
    ),
    Fix(
        kind="WorkloadPriorityClass",
        path="description",
        remedy="shorten the description to 2048 characters",
    ),
    Fix(
        kind="Workload",
        path="spec.priorityClassRef.name",
        remedy="clear spec.priorityClassSource, or name the class in spec.priorityClassName; the priority stays",
    ),
    Fix(
        kind="Workload",
        path="spec.podSets[].topologyRequest",
        remedy=f"{_PODS}; give the Topology's levels labels of at most 63 characters",
    ),
    Fix(kind="Workload", path="spec.podSets", remedy=_PODS),
    Fix(
        kind="Workload",
        path="status",
        remedy="let the job end, or evict the Workload (spec.active: false, then true): Kueue writes a new status",
    ),
    Fix(
        kind="",
        path="status.conditions",
        remedy="remove conditions that no controller writes any more, with kubectl edit --subresource=status",
    ),
)
"""What v1beta1 stores and v1beta2 refuses, the narrower first; read from both versions of the CRDs of kueue v0.17.0."""
