"""Where the objects of files go, each judged alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from installed_parts import deployment
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.file_objects import Placed
from kueuelift_snapshot.file_surroundings import SURROUNDINGS
from odd_json import anything
from part_recorder import obj
from queued_jobs import QUEUE, job, pod

OWNER = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "name": "w", "uid": "w-1"}
RBAC, HOOKS = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta1"
VISIBILITY = {"group": "visibility.kueue.x-k8s.io", "service": {"name": "s", "namespace": "n"}}
RULE = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["*"]}


def placed(it: KubernetesObject) -> Placed | None:
    return next((found for knows in SURROUNDINGS if (found := knows(it))), None)


@pytest.mark.parametrize(
    ("it", "place"),
    [
        (deployment("kueue-controller-manager", "kueue"), "installation/deployments.apps"),
        (obj("v1", "ConfigMap", "c", "n", data={"a": CONFIGURATION}), "installation/configmaps"),
        (obj("v1", "Service", "kueue-webhook-service", "n"), "installation/services"),
        (obj(RBAC, "ClusterRole", "x", rules=[RULE]), "installation/clusterroles.rbac.authorization.k8s.io"),
        (
            obj(HOOKS, "MutatingWebhookConfiguration", "x", webhooks=[{"rules": [RULE]}]),
            "installation/mutatingwebhookconfigurations.admissionregistration.k8s.io",
        ),
        (
            obj("apiregistration.k8s.io/v1", "APIService", "x", spec=VISIBILITY),
            "installation/apiservices.apiregistration.k8s.io",
        ),
        (
            obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "x", "n", spec={"values": {"kueue": {}}}),
            "gitops/helmreleases.helm.toolkit.fluxcd.io",
        ),
        (
            obj("source.toolkit.fluxcd.io/v1", "HelmRepository", "kueue", "n", spec={}),
            "gitops/helmrepositories.source.toolkit.fluxcd.io",
        ),
        (
            obj("source.toolkit.fluxcd.io/v1", "HelmChart", "kueue", "n", spec={}),
            "gitops/helmcharts.source.toolkit.fluxcd.io",
        ),
        (
            obj("helm.cattle.io/v1", "HelmChart", "x", "n", spec={"chart": "oci://r.example/Kueue"}),
            "gitops/helmcharts.helm.cattle.io",
        ),
        (
            obj("clusterconfig.azure.com/v1beta1", "ExtensionConfig", "x", "n", spec={"extensionType": "kueue"}),
            "gitops/extensionconfigs.clusterconfig.azure.com",
        ),
        (obj("v1", "PodTemplate", "x", "n", ownerReferences=[OWNER]), "dependents/podtemplates"),
        (job(labels=QUEUE), "running/jobs.batch"),
        (pod(annotations=QUEUE), "running/pods"),
        (obj("ray.io/v1", "RayJob", "x", "n", labels=QUEUE), "running/rayjobs.ray.io"),
    ],
)
def test_what_has_to_do_with_kueue(it: KubernetesObject, place: str) -> None:
    found = placed(it)
    assert found
    assert f"{found.folder}/{found.resource}" == place
    assert found.lines is (found.folder in {"running", "dependents"})


@pytest.mark.parametrize(
    "it",
    [
        deployment("web", "web"),
        obj("example.com/v1", "Deployment", "kueue-controller-manager", "n"),
        obj("v1", "ConfigMap", "kueue", "n", data={"a": "b"}),
        obj(RBAC, "ClusterRole", "x", rules=[{"apiGroups": ["*"]}]),
        obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "x", "n", spec={}),
        obj("helm.cattle.io/v1", "HelmRelease", "kueue", "n", spec={}),
        obj("source.toolkit.fluxcd.io/v1", "GitRepositorie", "kueue", "n", spec={}),
        obj("v1", "PodTemplate", "x", "n"),
        job(),
        obj("example.com/v1", "Job", "x", "n", labels=QUEUE),
    ],
)
def test_what_has_not(it: KubernetesObject) -> None:
    assert placed(it) is None


def test_a_job_is_reduced_and_an_owner_steadied() -> None:
    running = placed(job(labels=QUEUE))
    owner = placed(obj("argoproj.io/v1alpha1", "Application", "kueue", "n", spec={}, status={"reconciledAt": "x"}))
    assert running
    assert owner
    assert "hunter22" not in str(running.value)
    assert "resourceVersion" not in owner.value["metadata"]


NAMES = (
    *(
        "webhooks",
        "clientConfig",
        "service",
        "rules",
        "apiGroups",
        "spec",
        "template",
        "metadata",
        "labels",
        "containers",
    ),
    *(
        "image",
        "data",
        "matchConstraints",
        "resourceRules",
        "aggregationRule",
        "clusterRoleSelectors",
        "status",
        "items",
    ),
    *("inventory", "entries", "resources", "sync", "group", "name", "roleRef", "subjects"),
)
KINDS = (
    ("apps/v1", "Deployment"),
    (HOOKS, "ValidatingWebhookConfiguration"),
    (RBAC, "ClusterRole"),
    ("v1", "ConfigMap"),
    ("argoproj.io/v1alpha1", "Application"),
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("batch/v1", "Job"),
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES), anything(NAMES), max_size=4))
def test_no_shape_is_a_surprise(kind: tuple[str, str], body: dict[str, Any]) -> None:
    placed(body | {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "kueue"}})
