"""The summary of differences stays short, however many objects there are."""

from typing import Any

from kueuelift.model import ObjectRef
from kueuelift_transform.difference_summary import DifferenceSummary


def queue(name: str, version: str, **spec: Any) -> dict[str, Any]:
    api_version = f"kueue.x-k8s.io/{version}"
    return {"apiVersion": api_version, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def test_a_thousand_objects_are_a_few_entries() -> None:
    summary = DifferenceSummary()
    for number in range(1000):
        name = f"q-{number:04}"
        before = queue(name, "v1beta1", cohort=f"c-{number}", stopPolicy=f"odd-{number}")
        after = queue(name, "v1beta2", cohortName=f"c-{number}", stopPolicy=f"new-{number}")
        summary.add(ObjectRef(kind="ClusterQueue", name=name), before, after)
    entries = [str(entry) for entry in summary.entries()]
    assert "ClusterQueue: spec.cohort -> spec.cohortName, 1000 objects: q-0000, q-0001, q-0002, …" in entries
    assert "ClusterQueue: spec.stopPolicy (further values), 995 objects: q-0005, q-0006, q-0007, …" in entries
    assert len(entries) == 1 + 1 + 5 + 1


def test_an_edit_in_several_places_of_one_object_counts_it_once() -> None:
    summary = DifferenceSummary()
    before = queue("a", "v1beta2", flavors=[{"name": "x"}, {"name": "y"}])
    after = queue("a", "v1beta2", flavors=[{"name": "x", "quota": 1}, {"name": "y", "quota": 1}])
    summary.add(ObjectRef(kind="ClusterQueue", name="a"), before, after)
    assert [str(entry) for entry in summary.entries()] == [
        "ClusterQueue: spec.flavors[].quota (none) -> 1, 1 object: a"
    ]


def test_equal_objects_and_hidden_values_leave_no_entry() -> None:
    summary = DifferenceSummary()
    token = f"kueuelift-token-{'0' * 32}"
    summary.add(ObjectRef(kind="ClusterQueue", name="a"), queue("a", "v1beta2", x=1), queue("a", "v1beta2", x=1))
    summary.add(ObjectRef(kind="ClusterQueue", name="b"), queue("b", "v1beta2", x=token), queue("b", "v1beta2", x="y"))
    assert summary.entries() == []


def test_a_quantity_that_is_only_respelled_is_told_so() -> None:
    summary = DifferenceSummary()
    for name, quota in (("a", "1000m"), ("b", "2000m")):
        after = queue(name, "v1beta2", quota=quota[0])
        summary.add(ObjectRef(kind="ClusterQueue", name=name), queue(name, "v1beta2", quota=quota), after)
    assert [str(entry) for entry in summary.entries()] == [
        "ClusterQueue: spec.quota (the same quantity, written as Kueue writes it), 2 objects: a, b"
    ]
