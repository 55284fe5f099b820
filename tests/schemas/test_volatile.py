"""What changes by itself is taken out of an object, and nothing else."""

from copy import deepcopy

import pytest

from kueuelift.volatile import VOLATILE, split

OBJECT = {
    "kind": "X",
    "metadata": {
        "name": "a",
        "uid": "u",
        "annotations": {"deployment.kubernetes.io/revision": "1", "mine": "x"},
        "ownerReferences": [{"name": "o", "uid": "v"}],
    },
    "spec": {"uid": "kept", "lastTransitionTime": "kept", "managers": ["kept"]},
    "managers": ["kept"],
    "status": {"observedGeneration": 1, "conditions": [{"type": "A", "lastTransitionTime": "now"}]},
}


def test_volatile_fields_are_taken_by_their_place() -> None:
    given = deepcopy(OBJECT)
    rest, taken = split(given)
    assert given == OBJECT
    assert rest == {
        "kind": "X",
        "metadata": {"name": "a", "annotations": {"mine": "x"}, "ownerReferences": [{"name": "o"}]},
        "spec": OBJECT["spec"],
        "managers": ["kept"],
        "status": {"conditions": [{"type": "A"}]},
    }
    assert taken == {
        "metadata.uid": "u",
        "metadata.annotations.deployment.kubernetes.io/revision": "1",
        "metadata.ownerReferences[].uid": ["v"],
        "status..observedGeneration": {"": 1},
        "status..lastTransitionTime": {".conditions[0]": "now"},
    }


def test_no_annotations_and_none_but_volatile_ones_are_the_same() -> None:
    revision = {"deployment.kubernetes.io/revision": "1"}
    bare: dict[str, object] = {"name": "a"}
    for metadata in (bare, bare | {"annotations": {}}, bare | {"annotations": revision}):
        assert split({"metadata": metadata})[0] == {"metadata": bare}


@pytest.mark.parametrize(("version", "kept"), [("kueuelift/v1", {}), ("example.com/v1", {"managers": ["a"]})])
def test_only_our_own_summary_of_owners_is_one(version: str, kept: dict[str, object]) -> None:
    summary = {"apiVersion": version, "kind": "Owners"}
    assert split({**summary, "managers": ["a"]})[0] == summary | kept


def test_odd_shapes_stay_as_they_are() -> None:
    for odd in ({}, {"metadata": "x", "status": []}, {"metadata": {"annotations": 1, "ownerReferences": [1, None]}}):
        assert split(deepcopy(odd)) == (odd, {})


def test_each_field_stands_once_with_its_reason() -> None:
    assert len({field.path for field in VOLATILE}) == len(VOLATILE)
    assert all(field.reason for field in VOLATILE)
