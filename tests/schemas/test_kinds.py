"""To which group and kind an apiVersion and an object belong."""

from typing import Any

import pytest

from kueuelift.kinds import BY_NAME, group_of, kind_of


@pytest.mark.parametrize(
    ("version", "group"), [("ray.io/v1", "ray.io"), ("kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io"), ("v1", ""), ("", "")]
)
def test_the_group_of_an_api_version(version: str, group: str) -> None:
    assert group_of(version) == group


def test_the_kind_of_an_object_and_of_an_owner_reference() -> None:
    assert kind_of({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload"}) is BY_NAME["Workload"]
    assert kind_of({"apiVersion": "kueue.x-k8s.io/v9", "kind": "Cohort", "name": "c"}) is BY_NAME["Cohort"]


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "example.com/v1", "kind": "Workload"},
        {"apiVersion": "visibility.kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue"},
        {"apiVersion": "kueue.x-k8s.io", "kind": "Workload"},
        {"apiVersion": "v1", "kind": "Workload"},
        {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Job"},
        {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": ["Workload"]},
        {"apiVersion": None, "kind": "Workload"},
        {"kind": "Workload"},
        {},
    ],
)
def test_what_is_none_of_kueues(obj: dict[str, Any]) -> None:
    assert kind_of(obj) is None
