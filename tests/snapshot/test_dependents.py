"""What Workloads own."""

from typing import Any

import pytest

from fake_cluster import FakeCluster
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.dependents import capture_dependents
from part_recorder import obj, parts_of, serve

WORKLOAD = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "name": "w", "uid": "w-1"}
REQUEST = {"apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "ProvisioningRequest", "name": "r", "uid": "r-1"}
OTHERS = {"apiVersion": "example.com/v1", "kind": "Workload", "name": "w", "uid": "w-2"}


def template(name: str, *owners: dict[str, str]) -> KubernetesObject:
    return obj("v1", "PodTemplate", name, "team-a", ownerReferences=list(owners), template={"spec": {}})


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    requests = serve(fake, "autoscaling.x-k8s.io", "provisioningrequests", "ProvisioningRequest", "v1beta1")

    def request(uid: str, *owners: dict[str, str]) -> Any:
        return obj(
            "autoscaling.x-k8s.io/v1beta1", "ProvisioningRequest", uid, "team-a", uid=uid, ownerReferences=list(owners)
        )

    fake.lists[requests] = [request("r-1", WORKLOAD), request("r-2", OTHERS)]
    fake.lists["/api/v1/podtemplates"] = [
        template("of-workload", WORKLOAD),
        template("of-request", REQUEST),
        template("of-other-request", REQUEST | {"uid": "r-2"}),
        template("of-other", OTHERS),
        template("free"),
    ]
    return fake


def test_what_workloads_own_is_kept_whole(cluster: FakeCluster) -> None:
    found = parts_of(cluster, capture_dependents)
    assert {place: list(objects) for place, objects in found.items()} == {
        "dependents/provisioningrequests.autoscaling.x-k8s.io": ["team-a/r-1"],
        "dependents/podtemplates": ["team-a/of-workload", "team-a/of-request"],
    }
    assert found["dependents/podtemplates"]["team-a/of-workload"] == template("of-workload", WORKLOAD)


def test_a_cluster_without_provisioning_requests(cluster: FakeCluster) -> None:
    plain = FakeCluster()
    plain.lists["/api/v1/podtemplates"] = [template("of-workload", WORKLOAD)]
    assert set(parts_of(plain, capture_dependents)) == {"dependents/podtemplates"}
