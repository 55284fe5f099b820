"""Values, ownership records and owner references of one object at the new version."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift_apply.renewal import Moves, has_old_records, renewed

CLUSTER_QUEUE_MOVES: Moves = {
    "v1beta1": [
        ["spec.cohort", "spec.cohortName"],
        ["spec.admissionChecks", "spec.admissionChecksStrategy"],
        ["status.pendingWorkloadsStatus", None],
    ]
}


def entry(fields: dict[str, Any], manager: str = "flux", version: str = "v1beta1", **more: str) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": f"kueue.x-k8s.io/{version}",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **more,
    }


def queue(*entries: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "q", "managedFields": list(entries)},
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"f:spec": {"f:cohort": {}}}, {"f:spec": {"f:cohortName": {}}}, id="a renamed field"),
        pytest.param(
            {"f:spec": {"f:admissionChecks": {".": {}, 'v:"c1"': {}}, "f:stopPolicy": {}}},
            {"f:spec": {"f:admissionChecksStrategy": {}, "f:stopPolicy": {}}},
            id="a set that becomes a map of another shape is owned as a whole",
        ),
        pytest.param(
            {"f:status": {"f:pendingWorkloadsStatus": {"f:clusterQueueHead": {}}, "f:conditions": {}}},
            {"f:status": {"f:conditions": {}}},
            id="a field without a home is owned no more",
        ),
        pytest.param({"f:metadata": {"f:labels": {}}}, {"f:metadata": {"f:labels": {}}}, id="nothing to move"),
    ],
)
def test_the_paths_of_an_old_record_are_moved(before: dict[str, Any], after: dict[str, Any]) -> None:
    new = renewed(queue(entry(before)), "v1beta2", CLUSTER_QUEUE_MOVES, bridged=False)
    assert new["metadata"]["managedFields"] == [entry(after, version="v1beta2")]


def test_a_field_inside_a_list_moves_within_each_item() -> None:
    moves: Moves = {"v1beta1": [["status.sets[].assignment.domains", "status.sets[].assignment.slices"]]}
    item = 'k:{"name":"main"}'
    old = entry({"f:status": {"f:sets": {item: {".": {}, "f:assignment": {"f:domains": {}, "f:levels": {}}}}}})
    new = renewed(queue(old), "v1beta2", moves, bridged=False)["metadata"]["managedFields"][0]["fieldsV1"]
    assert new == {"f:status": {"f:sets": {item: {".": {}, "f:assignment": {"f:levels": {}, "f:slices": {}}}}}}


def test_two_records_of_one_manager_become_one() -> None:
    old = entry({"f:spec": {"f:cohort": {}}}, time="2026-01-01T00:00:00Z")
    new = entry({"f:spec": {"f:stopPolicy": {}}}, version="v1beta2", time="2026-02-01T00:00:00Z")
    records = renewed(queue(old, new), "v1beta2", CLUSTER_QUEUE_MOVES, bridged=False)["metadata"]["managedFields"]
    fields: dict[str, Any] = {"f:spec": {"f:cohortName": {}, "f:stopPolicy": {}}}
    assert records == [entry(fields, version="v1beta2", time="2026-02-01T00:00:00Z")]


def test_records_of_two_managers_and_of_status_stay_apart() -> None:
    records = [
        entry({"f:spec": {"f:cohort": {}}}),
        entry({"f:spec": {"f:cohort": {}}}, manager="kubectl"),
        entry({"f:status": {"f:conditions": {}}}, subresource="status"),
    ]
    assert (
        len(renewed(queue(*records), "v1beta2", CLUSTER_QUEUE_MOVES, bridged=False)["metadata"]["managedFields"]) == 3
    )


def test_values_move_under_a_bridge_and_nowhere_else() -> None:
    moves: Moves = {"v1alpha1": [["spec.parent", "spec.parentName"]]}
    old = queue(parent="root", resourceGroups=[])
    assert renewed(old, "v1beta2", moves, bridged=True)["spec"] == {"parentName": "root", "resourceGroups": []}
    assert renewed(old, "v1beta2", moves, bridged=False)["spec"] == old["spec"]


def test_owner_references_of_the_group_speak_of_the_new_version_and_foreign_ones_stay() -> None:
    old = queue()
    old["metadata"]["ownerReferences"] = [
        {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "name": "w", "uid": "1"},
        {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "2"},
    ]
    references = renewed(old, "v1beta2", {}, bridged=False)["metadata"]["ownerReferences"]
    assert [reference["apiVersion"] for reference in references] == ["kueue.x-k8s.io/v1beta2", "batch/v1"]


FIELDS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.builds(dict),
    lambda below: st.dictionaries(
        st.sampled_from(["f:spec", "f:cohort", "f:admissionChecks", "f:x", 'k:{"name":"a"}', 'v:"b"', "."]), below
    ),
    max_leaves=12,
)


@given(st.lists(st.tuples(FIELDS, st.sampled_from(["v1alpha1", "v1beta1", "v1beta2"]), st.sampled_from("ab"))))
def test_whatever_the_records_are_none_is_old_afterwards_and_a_second_time_changes_nothing(
    records: list[tuple[dict[str, Any], str, str]],
) -> None:
    old = queue(*(entry(fields, manager, version) for fields, version, manager in records))
    once = renewed(old, "v1beta2", CLUSTER_QUEUE_MOVES, bridged=False)
    assert not has_old_records(once, "v1beta2")
    assert renewed(once, "v1beta2", CLUSTER_QUEUE_MOVES, bridged=False) == once
    assert bool(once["metadata"]["managedFields"]) == bool(records)
    assert all("time" not in record or record["time"] for record in once["metadata"]["managedFields"])
