"""Objects that mean the same have one form; those that do not, keep their difference."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.crd import bundled, schema
from kueuelift.difference import edits
from kueuelift.meaning import meaning, written
from kueuelift.structural import default
from kueuelift.structural_steps import Schema

QUEUES = schema(bundled("0.17.0", service=None)["clusterqueues"], "v1beta1")
NAMED: Schema = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}},
                },
                "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "list": {"type": "array", "items": {"type": "string"}},
                "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            },
        }
    },
}


def queue(quota: Any = 1, **spec: Any) -> dict[str, Any]:
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    groups = [{"coveredResources": ["cpu"], "flavors": [flavor]}]
    return {"metadata": {"name": "a"}, "spec": {"resourceGroups": groups, "namespaceSelector": {}, **spec}}


def told(before: Any, after: Any, by: Schema | None = NAMED) -> list[str]:
    return [str(edit) for edit in edits(form(before, by), form(after, by))]


def form(obj: Any, by: Schema | None) -> Any:
    return meaning(default(obj, by) if by else obj, by)


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


@pytest.mark.parametrize(
    ("one", "two"),
    [("12000m", 12), ("12000m", "12"), ("1000", "1k"), ("0.5Gi", "512Mi"), ("1e3", 1000), ("1024Mi", "1Gi")],
)
def test_a_quantity_is_its_value(one: Any, two: Any) -> None:
    """Case 32."""
    assert told(queue(one), queue(two), QUEUES) == []


def test_another_quantity_is_told_as_it_was_written() -> None:
    (edit,) = edits(meaning(queue("12000m"), QUEUES), meaning(queue("13"), QUEUES))
    assert edit.path == "spec.resourceGroups[0].flavors[name=f].resources[name=cpu].nominalQuota"
    assert (written(edit.before), written(edit.after)) == ("12000m", "13")
    assert edit.general == "spec.resourceGroups[].flavors[].resources[].nominalQuota"


@pytest.mark.parametrize("place", ["labels", "annotations"])
@pytest.mark.parametrize("name", ["x", "requests", "sizeLimit"])
def test_a_label_is_no_quantity(place: str, name: str) -> None:
    one, two = ({"metadata": {place: {name: text}}, "spec": {}} for text in ("1000m", "1"))
    assert len(told(one, two, QUEUES)) == len(told(one, two, None)) == 1


def test_a_port_is_no_quantity() -> None:
    assert len(told(spec(port=8080), spec(port="8080"))) == 1


def test_what_is_written_as_its_default_is_as_good_as_absent() -> None:
    """Case 34."""
    defaults = {
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Never",
            "withinClusterQueue": "Never",
        },
    }
    assert told(queue(), queue(**defaults), QUEUES) == []
    assert told(queue(), queue(stopPolicy="Hold"), QUEUES) == ["spec.stopPolicy: 'None' -> 'Hold'"]


def test_null_is_absent_and_empty_is_not() -> None:
    assert told(spec(list=None), spec()) == []
    assert len(told(spec(list=[]), spec())) == 1
    assert len(told(queue(), queue(namespaceSelector=None), QUEUES)) == 1


def test_the_order_of_a_map_or_set_does_not_count_and_that_of_a_list_does() -> None:
    one, two = {"name": "a", "n": 1}, {"name": "b", "n": 2}
    assert told(spec(items=[one, two], set=["x", "y"]), spec(items=[two, one], set=["y", "x"])) == []
    assert told(spec(items=[one]), spec(items=[two, {**one, "n": 3}])) == [
        "spec.items[name=a].n: 1 -> 3",
        "spec.items[name=b]: (none) -> {'name': 'b', 'n': 2}",
    ]
    assert told(spec(set=["x"]), spec(set=["x", "y"])) == ["spec.set[y]: (none) -> 'y'"]
    assert told(spec(list=["x", "y"]), spec(list=["y", "x"]))


def test_flavors_are_tried_in_their_order() -> None:
    """A map by its schema, yet Kueue goes through it from the first to the last."""
    one, two = queue(), queue()
    flavors: list[Any] = [{"name": name, "resources": []} for name in ("small", "large")]
    one["spec"]["resourceGroups"][0]["flavors"] = flavors
    two["spec"]["resourceGroups"][0]["flavors"] = flavors[::-1]
    assert told(one, two, QUEUES) == [
        "spec.resourceGroups[0].flavors[order]: 'name=small, name=large' -> 'name=large, name=small'"
    ]
    two["spec"]["resourceGroups"][0]["flavors"] = [{"name": "new", "resources": []}, *flavors]
    assert [line.partition(":")[0] for line in told(one, two, QUEUES)] == ["spec.resourceGroups[0].flavors[name=new]"]


def test_two_items_of_one_key_are_a_list() -> None:
    twice = [{"name": "a", "n": 1}, {"name": "a", "n": 2}]
    assert told(spec(items=twice), spec(items=twice)) == []
    assert told(spec(items=twice), spec(items=twice[::-1]))


def test_a_pod_without_a_schema_goes_by_the_names_of_its_fields() -> None:
    def pod(cpu: Any, *names: str) -> dict[str, Any]:
        return spec(containers=[{"name": name, "resources": {"requests": {"cpu": cpu}}} for name in names])

    assert told(pod("1000m", "a", "b"), pod(1, "b", "a"), None) == []
    assert told(pod(1, "a"), pod(2, "a"), None) == ["spec.containers[name=a].resources.requests.cpu: '1' -> '2'"]


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(st.fixed_dictionaries({"metadata": json, "spec": json, "status": json}))
def test_nothing_differs_from_itself(obj: dict[str, Any]) -> None:
    assert told(obj, obj, None) == []
    assert written(meaning(obj, None)) == written(meaning(written(meaning(obj, None)), None))
