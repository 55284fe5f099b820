"""The 0.12.2-shaped cluster has what the journey must meet, and its objects pass the newer release's webhooks."""

import json
from typing import Any

import pytest

from bed import seed_objects, seed_workloads
from bed.api import KubernetesObject
from bed.failure import BedError
from bed.kueue import Kueue

pytestmark = pytest.mark.cluster

ALPHA, BETA = "/apis/kueue.x-k8s.io/v1alpha1", "/apis/kueue.x-k8s.io/v1beta1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENT = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"


def owned_fields(obj: KubernetesObject) -> str:
    return json.dumps(obj["metadata"]["managedFields"])


def test_only_the_old_versions_are_stored(legacy: Kueue) -> None:
    crds = legacy.cluster.api.get(CRDS)["items"]
    stored = {crd["metadata"]["name"].partition(".")[0]: crd["status"]["storedVersions"] for crd in crds}
    assert stored.pop("cohorts") == stored.pop("topologies") == ["v1alpha1"]
    assert len(stored) == 9
    assert all(versions == ["v1beta1"] for versions in stored.values())


def test_managed_fields_hold_paths_that_are_renamed(legacy: Kueue) -> None:
    api = legacy.cluster.api
    assert '"f:parent"' in owned_fields(api.get(f"{ALPHA}/cohorts/science"))
    assert '"f:cohort"' in owned_fields(api.get(f"{BETA}/clusterqueues/research"))
    assert "last-applied" in json.dumps(api.get(f"{BETA}/namespaces/team-a/localqueues/free"))


def test_the_workloads_are_finished_admitted_and_pending(legacy: Kueue) -> None:
    found = legacy.cluster.api.get(f"{BETA}/workloads")["items"]
    kinds: dict[str, int] = {}
    for workload in found:
        last = workload["status"]["conditions"][-1]["type"]
        kinds[last] = kinds.get(last, 0) + 1
    assert sum(kinds.values()) == 64
    assert kinds["QuotaReserved"] == seed_workloads.PENDING
    assert kinds["Finished"] > kinds["Admitted"] > 4
    assert any("ownerReferences" in workload["metadata"] for workload in found)


def test_the_release_is_helms_and_its_hooks_call_a_manager_that_is_not_there(legacy: Kueue) -> None:
    releases = json.loads(legacy.cluster.helm("list", "-n", "kueue-system", "-o", "json").stdout)
    assert [(r["name"], r["revision"], r["chart"]) for r in releases] == [("kueue", "2", "kueue-0.12.2")]
    with pytest.raises(BedError, match=r"mjob\.kb\.io.*502"):
        legacy.cluster.kubectl("create", "job", "refused", "--image=registry.example/work:1")


def test_an_image_without_a_program_only_has_a_status(legacy: Kueue) -> None:
    api = legacy.cluster.api
    legacy.cluster.kubectl("rollout", "status", "-n", "kueue-system", "deployment/kueue-controller-manager")
    assert legacy.node.children == []
    api.merge(DEPLOYMENT, {"spec": {"replicas": 0}})
    legacy.cluster.kubectl("rollout", "status", "-n", "kueue-system", "deployment/kueue-controller-manager")
    # The API leaves a count of zero out.
    assert "replicas" not in api.get(DEPLOYMENT)["status"]
    api.merge(DEPLOYMENT, {"spec": {"replicas": 1}})


def test_every_object_passes_the_webhooks_of_the_newer_release(kueue: Kueue) -> None:
    api = kueue.cluster.api
    for seed in seed_objects.configuration(cpu=100):
        scope = "/namespaces/default" if "namespace" in seed.obj["metadata"] else ""
        api.create(f"{BETA}{scope}/{seed.plural}?dryRun=All", newer(in_default(seed.obj)))
    for obj, _status in seed_workloads.workloads(24):
        api.create(f"{BETA}/namespaces/default/workloads?dryRun=All", in_default(obj))


def newer(obj: KubernetesObject) -> KubernetesObject:
    """The object at v1beta1, which the newer release still takes; v1alpha1 called the parent otherwise."""
    spec: dict[str, Any] = dict(obj.get("spec", {}))
    if "parent" in spec:
        spec["parentName"] = spec.pop("parent")
    return obj | {"apiVersion": seed_objects.BETA} | ({"spec": spec} if "spec" in obj else {})


def in_default(obj: KubernetesObject) -> KubernetesObject:
    """The object in a namespace that every cluster has; nothing where it has no namespace."""
    if "namespace" not in obj["metadata"]:
        return obj
    return obj | {"metadata": obj["metadata"] | {"namespace": "default"}}
