"""The page of a snapshot tells what runs Kueue, who owns it, what calls it, and what does not answer."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuelift.cli import run
from kueuelift.inspection import inspect
from kueuelift.inspection_text import lines
from kueuelift.model import OWN_VERSION, KubernetesObject
from odd_json import anything
from part_recorder import obj
from snapshot_maker import Cluster, helm_record, make_snapshot

HOOKS = "admissionregistration.k8s.io"
CONFIGURATION = """apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
featureGates: {TopologyAwareScheduling: true, LocalQueueDefaulting: false}
"""
MANAGER = {
    "containers": [
        {
            "image": "mirror.example/batch/boss:v0.12.2",
            "args": ["--zap-log-level=2", "--feature-gates=TopologyAwareScheduling=true,QueueVisibility=true"],
        }
    ],
    "volumes": [{"name": "c", "projected": {"sources": [{"configMap": {"name": "settings"}}]}}],
}


def deployment(name: str, namespace: str, pod: Mapping[str, Any]) -> KubernetesObject:
    return obj("apps/v1", "Deployment", name, namespace, spec={"template": {"spec": pod}})


def simple(image: str, *command: str) -> dict[str, Any]:
    return {"containers": [{"image": image, "command": list(command)}]}


def endpoints(name: str, ready: int) -> KubernetesObject:
    counted = obj(OWN_VERSION, "EndpointCount", name, "kueue-system", ready=ready, notReady=1)
    return {key: value for key, value in counted.items() if key != "resourceVersion"}


OWNERS = {
    "apiVersion": OWN_VERSION,
    "kind": "Owners",
    "metadata": {"name": "owners"},
    "owners": [
        {"tool": "helm", "namespace": "kueue-system", "name": "kueue", "by": [], "count": 40, "kinds": {}},
        {"tool": "argocd-application", "namespace": "", "name": "queues", "by": [], "count": 7, "kinds": {}},
        {"tool": "aks", "namespace": "", "name": "arc", "by": [], "count": 3, "kinds": {}},
    ],
    "managers": [],
    "disputed": {"count": 0, "objects": []},
}
PARTS: Mapping[str, Sequence[KubernetesObject]] = {
    "installation/deployments.apps": [
        deployment("boss", "batch-system", MANAGER),
        deployment("kueueviz-backend", "kueue-system", simple("r.example/viz:1", "x", "--feature-gates", "A=true")),
        deployment("jobset-controller-manager", "jobset-system", simple("r.example/jobset/jobset:v0.8.0")),
    ],
    "installation/configmaps": [
        obj("v1", "ConfigMap", "settings", "batch-system", data={"a": CONFIGURATION, "b": "text"}),
        obj("v1", "ConfigMap", "settings", "jobset-system", data={"a": "b"}),
        obj("v1", "ConfigMap", "broken", "batch-system", data={"a": "config.kueue.x-k8s.io/v1: {"}),
    ],
    "installation/endpoints": [endpoints("kueue-webhook-service", 0), endpoints("kueue-metrics", 2)],
    f"installation/validatingwebhookconfigurations.{HOOKS}": [
        obj(f"{HOOKS}/v1", "ValidatingWebhookConfiguration", "kueue", webhooks=[{}, {"failurePolicy": "Ignore"}])
    ],
    f"installation/mutatingwebhookconfigurations.{HOOKS}": [
        obj(f"{HOOKS}/v1", "MutatingWebhookConfiguration", "kueue", webhooks=[{"failurePolicy": "Fail"}])
    ],
    "gitops/owners": [OWNERS],
    "gitops/applications.argoproj.io": [
        obj(
            "argoproj.io/v1alpha1",
            "Application",
            "queues",
            "argocd",
            spec={"source": {"repoURL": "https://git.example/q.git", "path": "clusters/a", "targetRevision": "main"}},
        )
    ],
    "gitops/helmreleases.helm.toolkit.fluxcd.io": [
        obj(
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            "kueue",
            "flux-system",
            spec={"chart": {"spec": {"chart": "kueue", "version": "0.12.x"}}},
        )
    ],
    "gitops/kustomizations.kustomize.toolkit.fluxcd.io": [
        obj(
            "kustomize.toolkit.fluxcd.io/v1",
            "Kustomization",
            "site",
            "flux-system",
            spec={"sourceRef": {"kind": "GitRepository", "name": "site"}},
        )
    ],
    "gitops/extensionconfigs.clusterconfig.azure.com": [
        obj(
            "clusterconfig.azure.com/v1beta1",
            "ExtensionConfig",
            "arc",
            "kube-system",
            spec={"extensionType": "microsoft.kueue", "version": "1.2.3"},
        )
    ],
}


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    make_snapshot(tmp_path / "s", Cluster(records=[helm_record("0.12.2", revision=4)], parts=PARTS))
    return tmp_path / "s"


def test_deployments_with_the_gates_that_they_set(snapshot: Path) -> None:
    page = inspect(snapshot)
    assert not page.problems
    assert page.content["deployments"] == [
        {
            "namespace": "batch-system",
            "name": "boss",
            "images": ["mirror.example/batch/boss:v0.12.2"],
            "kueue": True,
            "featureGates": 3,
        },
        {
            "namespace": "kueue-system",
            "name": "kueueviz-backend",
            "images": ["r.example/viz:1"],
            "kueue": True,
            "featureGates": 1,
        },
        {
            "namespace": "jobset-system",
            "name": "jobset-controller-manager",
            "images": ["r.example/jobset/jobset:v0.8.0"],
            "kueue": False,
            "featureGates": 0,
        },
    ]


def test_owners_with_what_they_keep_and_from_where(snapshot: Path) -> None:
    found = [tuple(it.values()) for it in inspect(snapshot).content["owners"]]
    assert found == [
        ("aks", "kube-system", "arc", "microsoft.kueue 1.2.3", 3),
        ("argocd-application", "argocd", "queues", "clusters/a main", 7),
        ("flux-helmrelease", "flux-system", "kueue", "kueue 0.12.x", 0),
        ("flux-kustomization", "flux-system", "site", "GitRepository site", 0),
        ("helm", "kueue-system", "kueue", "kueue 0.12.2, revision 4", 40),
    ]


def test_what_calls_and_what_does_not_answer(snapshot: Path) -> None:
    content = inspect(snapshot).content
    assert content["withoutEndpoints"] == ["kueue-system/kueue-webhook-service"]
    assert content["webhooks"] == [
        {"kind": "ValidatingWebhookConfiguration", "name": "kueue", "hooks": 2, "failing": 1},
        {"kind": "MutatingWebhookConfiguration", "name": "kueue", "hooks": 1, "failing": 1},
    ]


def test_all_of_it_stands_on_one_page(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", str(snapshot)]) == 0
    told = capsys.readouterr().out
    for wanted in (
        "batch-system/boss              mirror.example/batch/boss:v0.12.2  3",
        "operators jobset-system/jobset-controller-manager (r.example/jobset/jobset:v0.8.0)",
        "webhooks  kueue (2 hooks, 1 with failurePolicy Fail), kueue (1 hooks,",
        "silent    kueue-system/kueue-webhook-service: Services without a ready pod",
        "argocd-application  argocd/queues       7        clusters/a main",
    ):
        assert wanted in told, told
    assert told.count("\n") <= 42
    assert run(["inspect", str(snapshot), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["withoutEndpoints"]


def test_a_page_stays_a_page(tmp_path: Path) -> None:
    pods = [deployment(f"kueue-{number}", "n", MANAGER) for number in range(50)]
    make_snapshot(tmp_path / "s", Cluster(parts={"installation/deployments.apps": pods}))
    told = list(lines(inspect(tmp_path / "s").content))
    assert "and 44 more" in told
    assert len(told) <= 42


def test_a_broken_file_costs_that_file_only(snapshot: Path) -> None:
    (snapshot / "installation/deployments.apps/batch-system/boss.yaml").write_text("a: [")
    page = inspect(snapshot)
    assert len(page.problems) == 1
    assert [it["name"] for it in page.content["deployments"]] == ["kueueviz-backend", "jobset-controller-manager"]


NAMES = ("spec", "template", "containers", "image", "args", "data", "webhooks", "owners", "source", "chart", "volumes")


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(NAMES), anything(NAMES), max_size=4))
def test_no_shape_is_a_surprise(tmp_path_factory: pytest.TempPathFactory, body: dict[str, Any]) -> None:
    parts = {
        place: [body | {key: objects[0][key] for key in ("apiVersion", "kind", "metadata")}]
        for place, objects in PARTS.items()
    }
    path = tmp_path_factory.mktemp("odd") / "s"
    make_snapshot(path, Cluster(parts=parts))
    assert list(lines(inspect(path).content))
