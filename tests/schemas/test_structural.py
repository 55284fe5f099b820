from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueuelift import crd, structural

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "main"},
                "count": {"type": "integer"},
                "maybe": {"type": "string", "nullable": True, "default": "x"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "levels": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"size": {"type": "integer", "default": 1}, "key": {"type": "string"}},
                    },
                },
                "nested": {
                    "type": "object",
                    "default": {},
                    "properties": {"policy": {"type": "string", "default": "Never"}},
                },
                "open": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {"known": {"type": "object", "properties": {"a": {"type": "integer"}}}},
                },
                "openList": {
                    "type": "array",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "items": {"type": "object"},
                },
                "quantity": {"x-kubernetes-int-or-string": True},
                "embedded": {"type": "object", "x-kubernetes-embedded-resource": True},
            },
        },
        "metadata": {"type": "object"},
    },
}


def _object(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a", "colour": None}, "spec": spec}


@pytest.mark.parametrize(
    ("given_spec", "kept", "paths"),
    [
        ({"colour": {"a": 1}, "count": 1}, {"count": 1}, ["spec.colour"]),
        (
            {"levels": [{"key": "a"}, {"x": 1, "y": 2}]},
            {"levels": [{"key": "a"}, {}]},
            ["spec.levels[1].x", "spec.levels[1].y"],
        ),
        ({"labels": {"any": "thing"}}, {"labels": {"any": "thing"}}, []),
        ({"labels": {"any": {"x": 1}}}, {"labels": {"any": {}}}, ["spec.labels.any.x"]),
        ({"open": {"x": {"y": [{"z": 1}]}}}, {"open": {"x": {"y": [{"z": 1}]}}}, []),
        ({"open": {"known": {"a": 1, "b": 2}}}, {"open": {"known": {"a": 1}}}, ["spec.open.known.b"]),
        ({"openList": [{"x": 1}]}, {"openList": [{"x": 1}]}, []),
        ({"quantity": "1Gi"}, {"quantity": "1Gi"}, []),
        ({"count": {"x": 1}}, {"count": {}}, ["spec.count.x"]),
        (
            {"embedded": {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": {}}},
            {"embedded": {"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}}},
            ["spec.embedded.spec"],
        ),
    ],
)
def test_prune(given_spec: dict[str, Any], kept: dict[str, Any], paths: list[str]) -> None:
    assert structural.prune(_object(**given_spec), SCHEMA) == _object(**kept)
    assert structural.pruned_paths(_object(**given_spec), SCHEMA) == paths


@pytest.mark.parametrize(
    ("given_spec", "kept"),
    [
        ({"count": None, "labels": None}, {}),
        ({"name": None, "maybe": None}, {"name": None, "maybe": None}),
        ({"levels": [None, {"key": None}]}, {"levels": [None, {}]}),
        ({"labels": {"a": None}}, {"labels": {}}),
        ({"open": {"x": None}}, {"open": {"x": None}}),
    ],
)
def test_drop_nulls(given_spec: dict[str, Any], kept: dict[str, Any]) -> None:
    assert structural.drop_nulls(_object(**given_spec), SCHEMA) == _object(**kept)


@pytest.mark.parametrize(
    ("given_spec", "filled"),
    [
        ({}, {"name": "main", "maybe": "x", "nested": {"policy": "Never"}}),
        ({"name": None, "maybe": None}, {"name": "main", "maybe": None, "nested": {"policy": "Never"}}),
        (
            {"name": "", "maybe": "", "nested": {"policy": ""}, "levels": [{}, {"size": 0}, None]},
            {"name": "", "maybe": "", "nested": {"policy": ""}, "levels": [{"size": 1}, {"size": 0}, None]},
        ),
    ],
)
def test_default(given_spec: dict[str, Any], filled: dict[str, Any]) -> None:
    assert structural.default(_object(**given_spec), SCHEMA) == _object(**filled)


def test_defaults_need_their_object() -> None:
    assert structural.coerce({"kind": "A"}, SCHEMA) == {"kind": "A"}


def test_coerce_works_in_the_order_of_the_server() -> None:
    # The unknown field is gone before it could be seen, the null before the default, the default last.
    obj = _object(name=None, count=None, colour=1, levels=[{"size": None}])
    wanted = _object(name="main", maybe="x", nested={"policy": "Never"}, levels=[{"size": 1}])
    assert structural.coerce(obj, SCHEMA) == wanted


def test_defaults_of_a_cluster_queue() -> None:
    schema = crd.schema(crd.bundled("0.17.0", service=None)["clusterqueues"], "v1beta2")
    obj = {
        "metadata": {"name": "q"},
        "spec": {"fairSharing": {}, "flavorFungibility": {"whenCanBorrow": "TryNextFlavor"}},
    }
    assert structural.coerce(obj, schema)["spec"] == {
        "fairSharing": {"weight": 1},
        "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Never",
            "withinClusterQueue": "Never",
        },
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
    }


def test_a_field_of_one_version_is_pruned_by_the_other() -> None:
    schema = crd.schema(crd.bundled("0.17.0", service=None)["admissionchecks"], "v1beta2")
    obj = {"metadata": {"name": "c"}, "spec": {"controllerName": "x", "retryDelayMinutes": 15}}
    assert structural.pruned_paths(obj, schema) == ["spec.retryDelayMinutes"]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(list("abxyz")), below, max_size=3),
    max_leaves=6,
)
_moderate = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_specs = st.dictionaries(st.sampled_from([*SCHEMA["properties"]["spec"]["properties"], "colour", "x"]), _json)


@_moderate
@given(_specs)
def test_each_step_done_twice_is_done_once(spec: dict[str, Any]) -> None:
    obj = _object(**spec)
    before = deepcopy(obj)
    for step in (structural.prune, structural.drop_nulls, structural.default, structural.coerce):
        once = step(obj, SCHEMA)
        assert step(once, SCHEMA) == once
        assert once["metadata"] == obj["metadata"]
    assert obj == before


@_moderate
@given(_specs)
def test_paths_are_named_exactly_when_something_is_pruned(spec: dict[str, Any]) -> None:
    obj = _object(**spec)
    pruned = structural.prune(obj, SCHEMA)
    assert bool(structural.pruned_paths(obj, SCHEMA)) == (pruned != obj)
    assert structural.pruned_paths(pruned, SCHEMA) == []
