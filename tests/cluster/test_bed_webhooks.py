"""The real webhooks, as far as the bed must carry them."""

import pytest

from bed.api import ApiError, KubernetesObject
from bed.conversion_webhook import Convert
from bed.failure import BedError
from bed.kueue import Kueue

pytestmark = pytest.mark.cluster

V1BETA1, V1BETA2 = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"


def cluster_queue(name: str, **spec: object) -> KubernetesObject:
    return {"apiVersion": V1BETA1, "kind": "ClusterQueue", "metadata": {"name": name, "uid": "1"}, "spec": spec}


def test_the_conversion_endpoint_converts(convert: Convert) -> None:
    (converted,) = convert([cluster_queue("a", cohort="b")], V1BETA2)
    assert converted["spec"]["cohortName"] == "b"


def test_a_refused_conversion_tells_its_reason(convert: Convert) -> None:
    with pytest.raises(BedError, match="the conversion webhook refused"):
        convert([cluster_queue("a")], "kueue.x-k8s.io/v9")


def test_the_api_server_reaches_conversion_through_the_proxy(kueue: Kueue) -> None:
    spec = {"cohort": "b", "flavorFungibility": {"whenCanBorrow": "Borrow"}}
    kueue.cluster.api.create(f"/apis/{V1BETA1}/clusterqueues", cluster_queue("converted", **spec))
    read = kueue.cluster.api.get(f"/apis/{V1BETA2}/clusterqueues/converted")
    assert read["spec"]["cohortName"] == "b"
    assert read["spec"]["flavorFungibility"]["whenCanBorrow"] == "MayStopSearch"


def test_the_api_server_reaches_validation_through_the_proxy(kueue: Kueue) -> None:
    negative = {"name": "cpu", "nominalQuota": "-1"}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [negative]}]}
    with pytest.raises(ApiError, match="must be greater than or equal to 0"):
        kueue.cluster.api.create(f"/apis/{V1BETA1}/clusterqueues", cluster_queue("negative", resourceGroups=[group]))
