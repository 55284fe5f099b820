"""A scope comes back from the header that it left, and another snapshot can be taken like the first."""

import pytest

from kueuelift.errors import UsageError
from kueuelift_snapshot.scope import Scope, scope_of
from kueuelift_snapshot.served import versions_to_list
from snapshot_maker import crds_of, listing, snapshot_header


@pytest.mark.parametrize(
    "scope",
    [
        Scope(),
        scope_of(namespaces=["b,a"], kinds=["ClusterQueue", "workloads"], workloads=True, running=True),
        scope_of(namespaces=[], kinds=[], workloads=False, running=False),
    ],
)
def test_a_scope_comes_back_from_its_header(scope: Scope) -> None:
    assert Scope.of_header(snapshot_header(narrowed=scope.narrowed, without=scope.without)) == scope


def test_of_a_cluster_everything_is_read_again_in_the_versions_of_the_first() -> None:
    header = snapshot_header(lists={"workloads": listing("v1beta1", 1)})
    assert Scope.as_in(header) == Scope(versions={"workloads": "v1beta1"}, again=True)


def test_for_manifests_only_their_kinds_are_read() -> None:
    header = snapshot_header(origin="files", lists={"clusterqueues": listing("v1beta1", 1)})
    assert Scope.as_in(header) == Scope(
        plurals=("clusterqueues",), running=False, versions={"clusterqueues": "v1beta1"}, again=True
    )


def test_a_preferred_version_comes_first_where_it_is_served() -> None:
    crd = crds_of("0.17.0")["clusterqueues"]
    assert versions_to_list(crd) == ["v1beta2", "v1beta1"]
    assert versions_to_list(crd, "v1beta1") == ["v1beta1", "v1beta2"]
    assert versions_to_list(crd, "v1alpha1") == ["v1beta2", "v1beta1"]


@pytest.mark.parametrize(
    ("scope", "dependents"),
    [
        (Scope(), True),
        (Scope(workloads=False), False),
        (Scope(plurals=("clusterqueues",)), False),
        (Scope(plurals=("workloads",)), True),
    ],
)
def test_what_workloads_own_goes_with_them(scope: Scope, dependents: bool) -> None:
    assert scope.dependents is dependents


@pytest.mark.parametrize("name", ["Team-a", "a/b", "..", "a=b", "-a", "a" * 64])
def test_what_no_namespace_is_called_never_gets_into_an_address(name: str) -> None:
    with pytest.raises(UsageError, match=r"^--namespaces .*: no name of a namespace; give "):
        scope_of(namespaces=["good", name], kinds=[], workloads=True, running=True)
