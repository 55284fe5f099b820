"""Stored form and losses: what a server keeps of an object, and what it does not."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject, Loss
from kueuelift.release_profile import Release
from kueuelift.structural import coerce
from kueuelift.validation import Validator
from kueuelift_transform import stored_form as module
from kueuelift_transform.conversion import conversion_for

RELEASE = Release.parse("0.17.0")
CRDS = crd.bundled("0.17.0", service=None)
ALPHA_CRDS = crd.bundled("0.12.2", service=None)


def an_object(kind: str, version: str = "v1beta1", **body: Any) -> KubernetesObject:
    return {"apiVersion": api_version(version), "kind": kind, "metadata": {"name": "x", "namespace": "ml"}, **body}


def stored(obj: KubernetesObject) -> KubernetesObject:
    return module.stored_form(obj, crd=CRDS[BY_NAME[obj["kind"]].plural], release=RELEASE)


def losses(obj: KubernetesObject) -> tuple[Loss, ...]:
    plural = BY_NAME[obj["kind"]].plural
    source = ALPHA_CRDS[plural] if obj["apiVersion"].endswith("v1alpha1") else CRDS[plural]
    return module.losses(obj, source_crd=source, target_crd=CRDS[plural], release=RELEASE)


def paths(obj: KubernetesObject) -> list[str]:
    return [loss.path for loss in losses(obj)]


def test_defaults_are_filled_in() -> None:
    assert stored(an_object("ClusterQueue", spec={"flavorFungibility": {"whenCanBorrow": "Borrow"}}))["spec"] == {
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Never",
            "withinClusterQueue": "Never",
        },
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
    }


def test_what_the_version_lacks_is_pruned() -> None:
    spec = {"controllerName": "c", "retryDelayMinutes": 15}
    assert stored(an_object("AdmissionCheck", spec=spec))["spec"] == {"controllerName": "c"}


def test_nulls_are_dropped() -> None:
    assert stored({**an_object("ResourceFlavor", spec=None), "metadata": {"name": "f", "labels": None}}) == {
        "apiVersion": api_version(TARGET_VERSION),
        "kind": "ResourceFlavor",
        "metadata": {"name": "f"},
    }


def test_selector_for_all_and_no_selector_are_kept_apart() -> None:
    assert stored(an_object("ClusterQueue", spec={"namespaceSelector": {}}))["spec"]["namespaceSelector"] == {}
    for spec in ({"namespaceSelector": None}, {}):
        assert "namespaceSelector" not in stored(an_object("ClusterQueue", spec=spec))["spec"]


def test_cohort_of_v1alpha1_gets_its_parent() -> None:
    assert stored(an_object("Cohort", "v1alpha1", spec={"parent": "root"}))["spec"] == {"parentName": "root"}
    assert "spec" not in stored(an_object("Cohort", "v1alpha1"))


def test_an_object_of_the_wanted_version_is_coerced_only() -> None:
    obj = an_object("ClusterQueue", TARGET_VERSION, spec={"cohortName": "c", "cohort": "old", "stopPolicy": None})
    assert stored(obj)["spec"].items() >= {"cohortName": "c", "stopPolicy": "None"}.items()
    assert "cohort" not in stored(obj)["spec"]
    assert paths(obj) == ["spec.cohort"]


@pytest.mark.parametrize("api", ["batch/v1", "", None, "kueue.x-k8s.io/v2"])
def test_foreign_api_versions_are_refused(api: str | None) -> None:
    with pytest.raises(RefusedError, match=r"ClusterQueue|kueue\.x-k8s\.io"):
        stored({**an_object("ClusterQueue"), "apiVersion": api})


@pytest.mark.parametrize(
    ("obj", "where"),
    [
        (an_object("ClusterQueue", spec={"cohort": 5}), "spec.cohort: found 5, wanted a text"),
        (an_object("ClusterQueue", spec=[]), r"spec: found \[\], wanted an object"),
        (an_object("Workload", spec={"podSets": [{}, {"count": "2"}]}), r"spec.podSets\[1\].count: found '2'"),
        (an_object("Workload", spec={"priority": 2**31}), "spec.priority: found 2147483648, wanted a whole number"),
        (
            an_object("Cohort", spec={"fairSharing": {"weight": [1]}}),
            r"spec.fairSharing.weight: found \[1\], wanted a q",
        ),
        (
            an_object("LocalQueue", spec={"fairSharing": {"weight": "1000E"}}),
            "weight: found '1000E', wanted a quantity",
        ),
        (
            an_object("Workload", status={"requeueState": {"requeueAt": "soon"}}),
            "requeueAt: found 'soon', wanted a time",
        ),
        (an_object("Workload", status={"reclaimablePods": {}}), "reclaimablePods: found {}, wanted a list"),
        (an_object("Workload", spec={"active": "yes"}), "active: found 'yes', wanted true or false"),
        ({**an_object("Topology"), "metadata": {"labels": {"a": 1}}}, "metadata.labels.a: found 1, wanted a text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_that_no_webhook_could_read_are_refused_by_path(obj: KubernetesObject, where: str) -> None:
    with pytest.raises(RefusedError, match=where):
        stored(obj)


def test_a_strategy_replaced_by_a_list_is_lost() -> None:
    strategy = {"admissionChecks": [{"name": "a", "onFlavors": ["f"]}]}
    obj = an_object("ClusterQueue", spec={"admissionChecks": ["a", "b"], "admissionChecksStrategy": strategy})
    [loss] = losses(obj)
    assert (loss.kind, loss.namespace, loss.name) == ("ClusterQueue", "ml", "x")
    assert (loss.path, loss.value) == ("spec.admissionChecksStrategy", strategy)


def test_a_strategy_that_says_the_same_as_the_list_is_not() -> None:
    strategy = {"admissionChecks": [{"name": "a"}]}
    assert paths(an_object("ClusterQueue", spec={"admissionChecks": ["a"], "admissionChecksStrategy": strategy})) == []


@pytest.mark.parametrize(
    ("obj", "lost"),
    [
        (
            an_object("AdmissionCheck", spec={"controllerName": "c", "retryDelayMinutes": 15}),
            ["spec.retryDelayMinutes"],
        ),
        (an_object("AdmissionCheck", spec={"controllerName": "c", "retryDelayMinutes": 0}), ["spec.retryDelayMinutes"]),
        (an_object("LocalQueue", status={"flavors": [{"name": "f"}], "flavorUsage": []}), ["status.flavors"]),
        (an_object("Workload", spec={"priority": 5, "priorityClassName": "p"}), ["spec.priorityClassName"]),
        (
            an_object("Workload", spec={"priorityClassName": "p", "priorityClassSource": "example.com/x"}),
            ["spec.priorityClassName", "spec.priorityClassSource"],
        ),
        (
            an_object("MultiKueueCluster", spec={"kubeConfig": {"location": "", "locationType": "Path"}}),
            ["spec.kubeConfig"],
        ),
        (
            an_object("ClusterQueue", status={"pendingWorkloadsStatus": {"lastChangeTime": None}}),
            ["status.pendingWorkloadsStatus"],
        ),
        (an_object("ClusterQueue", spec={"cohortName": "new-name"}), ["spec.cohortName"]),
        (an_object("Cohort", spec={"parent": "old-name"}), ["spec.parent"]),
        (an_object("Cohort", "v1alpha1", spec={"parentName": "new-name"}), ["spec.parentName"]),
        (an_object("Topology", levels=["kubernetes.io/hostname"]), ["levels"]),
        (an_object("LocalQueue", spec={"fairSharing": {"weight": "1000000000Ti"}}), ["spec.fairSharing.weight"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_lost(obj: KubernetesObject, lost: list[str]) -> None:
    assert paths(obj) == lost


def test_a_field_that_never_was_says_so() -> None:
    [loss] = losses(an_object("Cohort", spec={"colour": "blue"}))
    assert loss.reason.startswith("kueue.x-k8s.io/v1beta1 has no such field")


@pytest.mark.parametrize(
    "obj",
    [
        an_object(
            "ClusterQueue", spec={"cohort": "c", "admissionChecks": ["a"], "resourceGroups": [], "stopPolicy": None}
        ),
        an_object("ClusterQueue", spec={"flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}}),
        an_object("ClusterQueue", spec={"cohort": "", "fairSharing": {"weight": 1.5}}),
        an_object("LocalQueue", spec={"fairSharing": {"weight": "1000m"}}, status={"pendingWorkloads": 0}),
        an_object("Cohort", "v1alpha1", spec={"parent": "root", "fairSharing": {"weight": "750m"}}),
        an_object(
            "MultiKueueCluster",
            spec={"kubeConfig": {"location": "", "locationType": "Secret"}, "clusterProfileRef": {"name": "p"}},
        ),
        an_object(
            "Workload",
            status={
                "accumulatedPastExexcutionTimeSeconds": 0,
                "requeueState": {"requeueAt": "2026-01-01T01:00:00.5+01:00"},
            },
        ),
        an_object(
            "Workload", spec={"podSets": [{"template": {"metadata": {"labels": {}}, "spec": {"hostNetwork": False}}}]}
        ),
    ],
)
def test_another_spelling_is_no_loss(obj: KubernetesObject) -> None:
    assert losses(obj) == ()


any_object = st.one_of(*STRATEGIES.values())


@given(any_object)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_generated_objects_are_valid_at_v1beta1_and_stay_so(obj: KubernetesObject) -> None:
    definition = CRDS[BY_NAME[obj["kind"]].plural]
    assert Validator.for_crd(definition, "v1beta1").problems(coerce(obj, crd.schema(definition, "v1beta1"))) == []
    assert Validator.for_crd(definition, TARGET_VERSION).problems(stored(obj)) == []


@given(any_object)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_storing_is_pure_and_done_once(obj: KubernetesObject) -> None:
    before = json.dumps(obj)
    once = stored(obj)
    assert json.dumps(obj) == before
    assert stored(once) == once


@given(any_object)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_valid_objects_lose_only_what_is_declared(obj: KubernetesObject) -> None:
    conversion = conversion_for(obj["kind"], "v1beta1")
    assert conversion is not None
    assert {loss.path for loss in losses(obj)} <= {field.path for field in conversion.lossy}
