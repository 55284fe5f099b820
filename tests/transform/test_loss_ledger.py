"""The ledger: each field that is not found as it was, with what became of it; nothing passes in silence."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.kinds import BY_NAME, TARGET_VERSION, api_version
from kueuelift.model import Change, KubernetesObject, Loss
from kueuelift.release_profile import Release
from kueuelift_transform.loss_ledger import LossLedger, carried, summed_losses
from kueuelift_transform.stored_form import losses, stored_form

RELEASE = Release.parse("0.17.0")
CRDS = crd.bundled("0.17.0", service=None)
ALPHA_CRDS = crd.bundled("0.12.2", service=None)


def an_object(kind: str, version: str = "v1beta1", **body: Any) -> KubernetesObject:
    return {"apiVersion": api_version(version), "kind": kind, "metadata": {"name": "x", "namespace": "ml"}, **body}


def fate(obj: KubernetesObject) -> list[Loss]:
    """Everything that the ledger is told of one object."""
    plural = BY_NAME[obj["kind"]].plural
    source = (ALPHA_CRDS if obj["apiVersion"].endswith("v1alpha1") else CRDS)[plural]
    target = CRDS[plural]
    stored = stored_form(obj, crd=target, release=RELEASE)
    lost = losses(obj, source_crd=source, target_crd=target, release=RELEASE, stored=stored)
    return [*lost, *carried(obj, stored)]


def told(obj: KubernetesObject) -> list[tuple[str, str, str, bool]]:
    return [
        (loss.path, str(loss.change), loss.to, loss.meaning_kept)
        for loss in fate(obj)
        if loss.change is not Change.DEFAULTED
    ]


def workload(spec: dict[str, Any] | None = None, **status: Any) -> KubernetesObject:
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}
    return an_object("Workload", spec={"active": True, "podSets": [pod_set], **(spec or {})}, status=status)


CASES = {
    "both ways to name admission checks": (
        an_object(
            "ClusterQueue",
            spec={
                "admissionChecks": ["a"],
                "admissionChecksStrategy": {"admissionChecks": [{"name": "b", "onFlavors": ["f"]}]},
            },
        ),
        [
            ("spec.admissionChecksStrategy", "dropped", "", False),
            ("spec.admissionChecks", "moved", "spec.admissionChecksStrategy", True),
        ],
    ),
    "a class without a source": (
        workload({"priorityClassName": "high", "priority": 3}),
        [("spec.priorityClassName", "dropped", "", False)],
    ),
    "a class with a source": (
        workload(
            {
                "priorityClassName": "high",
                "priority": 3,
                "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass",
            }
        ),
        [
            ("spec.priorityClassName", "merged", "spec.priorityClassRef", True),
            ("spec.priorityClassSource", "merged", "spec.priorityClassRef", True),
        ],
    ),
    "a delay between tries": (
        an_object("AdmissionCheck", spec={"controllerName": "c", "retryDelayMinutes": 3}),
        [("spec.retryDelayMinutes", "dropped", "", False)],
    ),
    "the list of pending workloads": (
        an_object(
            "ClusterQueue",
            spec={},
            status={
                "pendingWorkloadsStatus": {
                    "clusterQueuePendingWorkload": [{"name": "w", "namespace": "ml"}],
                    "lastChangeTime": "2026-01-01T00:00:00Z",
                }
            },
        ),
        [("status.pendingWorkloadsStatus", "dropped", "", False)],
    ),
    "flavors in a LocalQueue's status": (
        an_object("LocalQueue", spec={"clusterQueue": "q"}, status={"flavors": [{"name": "f", "resources": ["cpu"]}]}),
        [("status.flavors", "dropped", "", False)],
    ),
    "usage of a LocalQueue": (
        an_object(
            "LocalQueue",
            spec={"clusterQueue": "q"},
            status={"flavorUsage": [{"name": "f", "resources": [{"name": "cpu", "total": "1"}]}]},
        ),
        [("status.flavorUsage", "renamed", "status.flavorsUsage", True)],
    ),
    "both ways to reach a cluster": (
        an_object(
            "MultiKueueCluster",
            spec={"kubeConfig": {"location": "s", "locationType": "Secret"}, "clusterProfileRef": {"name": "p"}},
        ),
        [
            ("spec.clusterProfileRef", "moved", "spec.clusterSource.clusterProfileRef", True),
            ("spec.kubeConfig", "moved", "spec.clusterSource.kubeConfig", True),
        ],
    ),
    "a kubeConfig without a place": (
        an_object("MultiKueueCluster", spec={"kubeConfig": {"location": "", "locationType": "Path"}}),
        [("spec.kubeConfig", "dropped", "", False)],
    ),
    "a cohort": (
        an_object("ClusterQueue", spec={"cohort": "c"}),
        [("spec.cohort", "renamed", "spec.cohortName", True)],
    ),
    "old words": (
        an_object(
            "ClusterQueue", spec={"flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "TryNextFlavor"}}
        ),
        [("spec.flavorFungibility.whenCanBorrow", "not-invertible", "", True)],
    ),
    "a parent at v1alpha1": (
        an_object("Cohort", "v1alpha1", spec={"parent": "root"}),
        [("spec.parent", "renamed", "spec.parentName", True)],
    ),
    "a misspelt zero": (
        workload(accumulatedPastExexcutionTimeSeconds=0),
        [
            (
                "status.accumulatedPastExexcutionTimeSeconds",
                "renamed",
                "status.accumulatedPastExecutionTimeSeconds",
                True,
            )
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_change_is_told(name: str) -> None:
    obj, wanted = CASES[name]
    assert sorted(told(obj)) == sorted(wanted)


def test_a_default_is_told_with_its_value() -> None:
    filled = {loss.path: loss.value for loss in fate(an_object("LocalQueue", spec={"clusterQueue": "q"}))}
    assert filled["spec.stopPolicy"] == "None"


def test_a_place_in_a_list_is_left_out_of_what_is_carried_over() -> None:
    assignment = {"levels": ["kubernetes.io/hostname"], "domains": [{"values": ["n1"], "count": 1}]}
    admission = {"clusterQueue": "q", "podSetAssignments": [{"name": "main", "topologyAssignment": assignment}]}
    place = "status.admission.podSetAssignments[].topologyAssignment"
    assert (f"{place}.domains", "moved", f"{place}.slices", True) in told(workload(admission=admission))


def test_objects_that_fare_alike_share_an_entry() -> None:
    ledger = LossLedger()
    for name, cohort in (("b", "one"), ("a", "two")):
        obj = {**an_object("ClusterQueue", spec={"cohort": cohort}), "metadata": {"name": name}}
        ledger.add(loss for loss in fate(obj) if loss.change is Change.RENAMED)
    [entry] = ledger.entries()
    assert (entry.path, entry.to, entry.objects) == ("spec.cohort", "spec.cohortName", ("a", "b"))
    assert ledger.lost == 0


def test_the_report_has_one_line_for_values_that_differ() -> None:
    ledger = LossLedger()
    for minutes in (1, 2, 3):
        ledger.add(fate(an_object("AdmissionCheck", spec={"controllerName": "c", "retryDelayMinutes": minutes})))
    assert [(one.path, one.count) for one in summed_losses(ledger.entries()) if not one.meaning_kept] == [
        ("spec.retryDelayMinutes", 3)
    ]
    assert ledger.lost == 3


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_differs_is_told(data: st.DataObject) -> None:
    """Every top field of spec and status that is another one in the stored form stands in the ledger."""
    obj = data.draw(STRATEGIES[data.draw(st.sampled_from(sorted(STRATEGIES)))])
    plural = BY_NAME[obj["kind"]].plural
    stored = stored_form(obj, crd=CRDS[plural], release=RELEASE)
    names = {name for loss in fate(obj) for name in (loss.path, loss.to)}
    for part in ("spec", "status"):
        before, after = obj.get(part) or {}, stored.get(part) or {}
        gone = {f"{part}.{key}" for key in before.keys() - after.keys() if before[key] not in (None, "", 0, [], {})}
        new = {f"{part}.{key}" for key in after.keys() - before.keys() if after[key] not in (None, "", 0, [], {})}
        if part == "spec" and not before.get("kubeConfig", {}).get("location"):
            gone.discard("spec.kubeConfig")  # beside a profile it is only what reading at v1beta1 has to show
        for path in gone | new:
            assert any(name.startswith(path) or path.startswith(name) for name in names if name), (path, names)


def test_an_object_of_the_target_version_only_gets_defaults() -> None:
    obj = an_object("ClusterQueue", TARGET_VERSION, spec={"cohortName": "c"})
    assert {loss.change for loss in carried(obj, stored_form(obj, crd=CRDS["clusterqueues"], release=RELEASE))} == {
        Change.DEFAULTED
    }
