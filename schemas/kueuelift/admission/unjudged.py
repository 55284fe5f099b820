"""The rules that are not judged here, as data: what they demand, where, and who judges them instead."""

from dataclasses import dataclass
from typing import Literal

By = Literal["webhook", "crd", "nobody"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Unjudged:
    """One rule that needs more than an object at v1beta2."""

    id: str
    by: By
    """Who holds it: Kueue's webhook, the API server by the CRD, or nobody: Kueue accepts it and does not act on it."""
    releases: str
    """`all`, or a span of them."""
    demands: str


def _rule(id_: str, by: By, releases: str, demands: str) -> Unjudged:
    return Unjudged(id=id_, by=by, releases=releases, demands=demands)


_RULES = (
    _rule("CQ-12", "webhook", "0.12 to 0.14", "at v1beta1: not both admissionChecks and admissionChecksStrategy"),
    _rule("CQ-20", "webhook", "0.16.6, 0.17.1, 0.18 and newer", "a changed onFlavors names own flavors"),
    _rule("CQ-21", "webhook", "0.18 and newer", "concurrentAdmissionPolicy is neither set, changed nor dropped"),
    _rule("CQ-30", "nobody", "all", "what a ClusterQueue refers to is there and active, else the queue is inactive"),
    _rule("CO-11", "nobody", "all", "Cohorts form no cycle, else the ClusterQueues below them are inactive"),
    _rule("RF-09", "crd", "0.12 to 0.16", "the spec is fixed once topologyName is set"),
    _rule("RF-10", "crd", "0.17 to 0.19", "nodeLabels, tolerations, topologyName are fixed once it is set"),
    _rule("RF-11", "crd", "0.20", "topologyName is fixed once set"),
    _rule("LQ-01", "crd", "all", "clusterQueue is fixed"),
    _rule("TP-01", "crd", "0.12 to 0.19, and v1beta1 of 0.20", "levels are fixed"),
    _rule("TP-02", "crd", "v1beta2 of 0.20", "levels are fixed unless the last one is kubernetes.io/hostname"),
    _rule("AC-01", "crd", "all", "controllerName is fixed"),
    _rule("WL-15", "webhook", "all", "podSets are fixed while quota is reserved; elastic jobs may shrink"),
    _rule("WL-16", "webhook", "all", "reclaimablePods neither fall nor vanish while quota is reserved"),
    _rule("WL-17", "webhook", "all", "an admission is fixed, but for its topology assignments"),
    _rule("WL-18", "webhook", "all", "podSetUpdates of a ready check are fixed"),
    _rule("WL-19", "webhook", "0.13 and newer", "clusterName is set to one of the nominatedClusterNames"),
    _rule("WL-20", "crd", "0.14 and newer", "clusterName is fixed once set"),
    _rule("WL-23", "crd", "all", "the priority class is fixed while quota is reserved"),
    _rule("WL-24", "crd", "all", "queueName is fixed while quota is reserved"),
    _rule("WL-25", "crd", "all", "maximumExecutionTimeSeconds is fixed while the Workload is admitted"),
    _rule("WL-27", "webhook", "0.17 and newer", "admission gates are only taken away"),
    _rule("WL-30", "nobody", "0.19", "subGroupCount is 0 or more, else the webhook warns"),
)  # fmt: skip


def left_to_server() -> tuple[Unjudged, ...]:
    """All of them, by number: a dry run against the server is what tells."""
    return _RULES
