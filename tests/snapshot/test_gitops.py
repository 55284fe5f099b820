"""Which objects of Flux, Argo CD and AKS are kept, and what is left of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fake_cluster import FakeCluster
from kueuelift.helm_record import HelmRecord
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.gitops import capture_gitops, installs
from kueuelift_snapshot.gitops_fields import inventory, steady
from kueuelift_snapshot.ownership import Ownership
from part_recorder import obj, parts_of, serve

HELM, KUSTOMIZE, SOURCE, ARGO = (
    "helm.toolkit.fluxcd.io/v2",
    "kustomize.toolkit.fluxcd.io/v1",
    "source.toolkit.fluxcd.io/v1",
    "argoproj.io/v1alpha1",
)
Parts = Mapping[str, Mapping[str, KubernetesObject]]


def helm_release(name: str, namespace: str = "flux-system", **spec: Any) -> KubernetesObject:
    return obj(HELM, "HelmRelease", name, namespace, spec=spec)


def kustomization(name: str, *entries: str, **metadata: Any) -> KubernetesObject:
    status = {"inventory": {"entries": [{"id": entry, "v": "v1beta1"} for entry in entries]}}
    spec = {"path": "./clusters/a", "sourceRef": {"kind": "GitRepository", "name": "site"}}
    return obj(KUSTOMIZE, "Kustomization", name, "flux-system", spec=spec, status=status, **metadata)


def application(name: str, *resources: dict[str, str], namespace: str = "argocd", **metadata: Any) -> KubernetesObject:
    status = {"sync": {"status": "Synced", "comparedTo": {"a": 1}}, "resources": list(resources)}
    spec = {"project": "platform", "source": {"repoURL": "https://git.example/site.git", "path": "a"}}
    return obj(ARGO, "Application", name, namespace, spec=spec, status=status, **metadata)


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    kinds = {
        HELM: {"helmreleases": "HelmRelease"},
        KUSTOMIZE: {"kustomizations": "Kustomization"},
        SOURCE: {"gitrepositories": "GitRepository", "helmrepositories": "HelmRepository", "helmcharts": "HelmChart"},
        ARGO: {"applications": "Application", "applicationsets": "ApplicationSet", "appprojects": "AppProject"},
        "helm.cattle.io/v1": {"helmcharts": "HelmChart"},
        "clusterconfig.azure.com/v1beta1": {"extensionconfigs": "ExtensionConfig"},
        "aks.clusterconfig.azure.com/v1beta1": {"extensionconfigs": "ExtensionConfig"},
    }
    for api_version, named in kinds.items():
        group, _, version = api_version.partition("/")
        for plural, kind in named.items():
            serve(fake, group, plural, kind, version)
    return fake


def put(cluster: FakeCluster, *objects: KubernetesObject) -> None:
    plurals = {"GitRepository": "gitrepositories", "HelmRepository": "helmrepositories"}
    for it in objects:
        plural = plurals.get(it["kind"], f"{it['kind'].lower()}s")
        cluster.lists[f"/apis/{it['apiVersion']}/{plural}"].append(it)


def taken(cluster: FakeCluster, *seen: KubernetesObject, releases: Sequence[HelmRecord] = ()) -> Parts:
    ownership = Ownership()
    for it in seen:
        ownership.see(it)
    return parts_of(cluster, lambda capture: capture_gitops(capture, ownership, releases))


def names(parts: Parts) -> list[str]:
    return sorted(f"{place.partition('/')[2]} {name}" for place in parts for name in parts[place] if name != "owners")


def record(namespace: str, release: str, *, target: str = "") -> HelmRecord:
    return HelmRecord(
        namespace=target or namespace,
        storage_namespace=namespace,
        release=release,
        revision=1,
        status="deployed",
        chart_name="kueue",
        chart_version="1",
        app_version="1",
        values={},
        manifest=(),
    )


def test_a_cluster_without_any_has_a_summary(cluster: FakeCluster) -> None:
    assert taken(FakeCluster())["gitops/owners"]["owners"]["owners"] == []
    put(cluster, helm_release("web"), kustomization("web", "a_b_apps_Deployment"), application("web"))
    assert names(taken(cluster)) == []


def test_what_labels_on_a_captured_object_name(cluster: FakeCluster) -> None:
    put(cluster, helm_release("batch"), helm_release("batch", "elsewhere"), kustomization("queues"), application("app"))
    labels = {
        "helm.toolkit.fluxcd.io/name": "batch",
        "helm.toolkit.fluxcd.io/namespace": "flux-system",
        "kustomize.toolkit.fluxcd.io/name": "queues",
    }
    tracking = {"argocd.argoproj.io/tracking-id": "app:kueue.x-k8s.io/Cohort:/c"}
    found = taken(cluster, obj("kueue.x-k8s.io/v1beta1", "Cohort", "c", labels=labels, annotations=tracking))
    assert names(found) == [
        "applications.argoproj.io argocd/app",
        "helmreleases.helm.toolkit.fluxcd.io flux-system/batch",
        "kustomizations.kustomize.toolkit.fluxcd.io flux-system/queues",
    ]


@pytest.mark.parametrize(
    ("spec", "releases"),
    [
        ({}, [("flux-system", "batch")]),
        ({"releaseName": "hopsworks"}, [("flux-system", "hopsworks")]),
        ({"targetNamespace": "apps"}, [("flux-system", "apps-batch")]),
        ({"targetNamespace": "apps", "storageNamespace": "apps"}, [("apps", "apps-batch")]),
    ],
)
def test_a_helm_release_is_behind_a_record(spec: dict[str, Any], releases: list[tuple[str, str]]) -> None:
    assert installs(helm_release("batch", **spec), set(releases))
    assert not installs(helm_release("batch", **spec), {("other", releases[0][1])})


def test_a_record_leads_to_its_owner_by_where_it_lies(cluster: FakeCluster) -> None:
    put(cluster, helm_release("batch", targetNamespace="apps"), helm_release("apps-batch", "apps"))
    found = taken(cluster, releases=[record("flux-system", "apps-batch", target="apps")])
    assert names(found) == ["helmreleases.helm.toolkit.fluxcd.io flux-system/batch"]


def test_a_record_of_helm_leads_to_its_owner_and_to_all_it_hangs_on(cluster: FakeCluster) -> None:
    chart = {"spec": {"chart": "platform", "sourceRef": {"kind": "HelmRepository", "name": "charts"}}}
    release = helm_release("batch", chart=chart)
    release["metadata"]["labels"] = {
        "kustomize.toolkit.fluxcd.io/name": "apps",
        "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    }
    root = {"kustomize.toolkit.fluxcd.io/name": "root", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
    put(
        cluster,
        release,
        kustomization("apps", labels=root),
        kustomization("root"),
        kustomization("other"),
        obj(SOURCE, "HelmRepository", "charts", "flux-system", spec={"url": "https://charts.example"}),
        obj(SOURCE, "HelmRepository", "other", "flux-system", spec={"url": "https://other.example/kueue"}),
        obj(SOURCE, "HelmChart", "flux-system-batch", "flux-system", spec={}),
        obj(SOURCE, "GitRepository", "site", "flux-system", spec={}),
        obj(SOURCE, "GitRepository", "site", "elsewhere", spec={}),
    )
    assert names(taken(cluster, releases=[record("flux-system", "batch")])) == [
        "gitrepositories.source.toolkit.fluxcd.io flux-system/site",
        "helmcharts.source.toolkit.fluxcd.io flux-system/flux-system-batch",
        "helmreleases.helm.toolkit.fluxcd.io flux-system/batch",
        "helmrepositories.source.toolkit.fluxcd.io flux-system/charts",
        "kustomizations.kustomize.toolkit.fluxcd.io flux-system/apps",
        "kustomizations.kustomize.toolkit.fluxcd.io flux-system/root",
    ]


def test_an_inventory_leads_to_its_owner_and_counts_as_ownership(cluster: FakeCluster) -> None:
    entry = "team-a_main_kueue.x-k8s.io_LocalQueue"
    resource = {"group": "kueue.x-k8s.io", "kind": "ClusterQueue", "name": "shared", "version": "v1beta1"}
    put(
        cluster,
        kustomization("queues", entry, "team-a_web_apps_Deployment"),
        application("queues", resource, {"group": "apps", "kind": "Deployment", "name": "web", "namespace": "x"}),
        obj(ARGO, "AppProject", "platform", "argocd", spec={}),
    )
    found = taken(cluster)
    assert names(found) == [
        "applications.argoproj.io argocd/queues",
        "appprojects.argoproj.io argocd/platform",
        "kustomizations.kustomize.toolkit.fluxcd.io flux-system/queues",
    ]
    kept = found["gitops/kustomizations.kustomize.toolkit.fluxcd.io"]["flux-system/queues"]
    assert kept["status"]["inventory"]["entries"] == [{"id": entry, "v": "v1beta1"}]
    told = [(it["tool"], it["by"], it["objects"]) for it in found["gitops/owners"]["owners"]["owners"]]
    assert told == [
        ("argocd-application", ["status.resources"], ["ClusterQueue shared"]),
        ("flux-kustomization", ["status.inventory"], ["LocalQueue team-a/main"]),
    ]


def test_an_owner_of_objects_in_another_cluster_owns_none_here(cluster: FakeCluster) -> None:
    there = application("queues", {"group": "kueue.x-k8s.io", "kind": "ClusterQueue", "name": "shared"})
    there["spec"]["destination"] = {"server": "https://other.example:6443", "namespace": "x"}
    remote = kustomization("queues", "team-a_main_kueue.x-k8s.io_LocalQueue")
    remote["spec"]["kubeConfig"] = {"secretRef": {"name": "other"}}
    here = application("here", {"group": "kueue.x-k8s.io", "kind": "ClusterQueue", "name": "shared"})
    here["spec"]["destination"] = {"server": "https://kubernetes.default.svc", "namespace": "x"}
    put(cluster, there, remote, here)
    found = taken(cluster)
    assert len(names(found)) == 3
    assert [it["name"] for it in found["gitops/owners"]["owners"]["owners"]] == ["here"]


def test_marks_and_inventory_of_one_application_are_one_owner(cluster: FakeCluster) -> None:
    resource = {"group": "kueue.x-k8s.io", "kind": "Cohort", "name": "c"}
    put(cluster, application("app", resource))
    tracking = {"argocd.argoproj.io/tracking-id": "app:kueue.x-k8s.io/Cohort:/c"}
    found = taken(cluster, obj("kueue.x-k8s.io/v1beta1", "Cohort", "c", annotations=tracking))
    summary = found["gitops/owners"]["owners"]
    assert [it["by"] for it in summary["owners"]] == [["annotation argocd.argoproj.io/tracking-id", "status.resources"]]
    assert summary["disputed"]["count"] == 0


def test_an_application_set_and_an_application_of_applications(cluster: FakeCluster) -> None:
    owner = [{"apiVersion": ARGO, "kind": "ApplicationSet", "name": "clusters", "uid": "u"}]
    tracking = {"argocd.argoproj.io/tracking-id": "root:argoproj.io/Application:argocd/queues"}
    queues = application("queues", ownerReferences=owner, annotations=tracking)
    queues["spec"]["source"]["path"] = "clusters/a/kueue-queues"
    put(
        cluster,
        queues,
        application("root"),
        application("web"),
        obj(ARGO, "ApplicationSet", "clusters", "argocd", spec={}),
    )
    assert names(taken(cluster)) == [
        "applications.argoproj.io argocd/queues",
        "applications.argoproj.io argocd/root",
        "applicationsets.argoproj.io argocd/clusters",
    ]


@pytest.mark.parametrize("group", ["clusterconfig.azure.com", "aks.clusterconfig.azure.com"])
def test_the_extension_of_aks_and_a_chart_of_k3s(cluster: FakeCluster, group: str) -> None:
    azure, cattle = f"{group}/v1beta1", "helm.cattle.io/v1"
    put(
        cluster,
        obj(azure, "ExtensionConfig", "aks-kueue", "kube-system", spec={"extensionType": "microsoft.kueue"}),
        obj(azure, "ExtensionConfig", "flux", "kube-system", spec={"extensionType": "microsoft.flux"}),
        obj(cattle, "HelmChart", "queueing", "kube-system", spec={"chart": "oci://mirror.example/kueue"}),
        obj(cattle, "HelmChart", "web", "kube-system", spec={"chart": "web"}),
    )
    assert names(taken(cluster)) == [
        f"extensionconfigs.{group} kube-system/aks-kueue",
        "helmcharts.helm.cattle.io kube-system/queueing",
    ]


def test_values_of_a_release_are_hidden(cluster: FakeCluster) -> None:
    put(cluster, helm_release("kueue", values={"other": {"apiKey": "s3cret-value-1"}}))
    assert "s3cret-value-1" not in str(taken(cluster))


def test_what_changes_by_itself_is_left_out() -> None:
    def at(moment: str, version: str) -> KubernetesObject:
        turning = [{"type": "Reconciling", "status": "True", "lastTransitionTime": moment}] if version == "8" else []
        ready = {"type": "Ready", "status": "True", "message": "applied", "lastTransitionTime": moment}
        status = {
            "conditions": [ready, *turning],
            "lastHandledReconcileAt": moment,
            "lastAppliedRevision": "main@sha1:1",
            "history": [{"chartVersion": "0.12.2", "lastDeployed": "2026-01-01"}],
        }
        made = helm_release("kueue")
        made["metadata"] |= {"resourceVersion": version, "managedFields": [{"time": moment}]}
        return made | {"status": status}

    assert steady(at("2026-01-01T00:00:00Z", "7")) == steady(at("2027-01-01T00:00:00Z", "8"))
    assert steady(at("x", "7"))["status"]["lastAppliedRevision"] == "main@sha1:1"


def test_what_changes_by_itself_in_argo_is_left_out() -> None:
    def at(moment: str) -> KubernetesObject:
        status = {
            "reconciledAt": moment,
            "operationState": {"phase": "Succeeded", "finishedAt": moment, "syncResult": {"resources": [moment]}},
            "health": {"status": "Healthy", "lastTransitionTime": moment},
        }
        made = application("a")
        return made | {"status": made["status"] | status, "operation": {"initiatedBy": moment}}

    assert steady(at("2026")) == steady(at("2027"))
    assert steady(at("2026"))["status"] == {
        "health": {"status": "Healthy"},
        "sync": {"status": "Synced"},
        "operationState": {"phase": "Succeeded"},
        "resources": [],
    }


def test_inventories_are_read_back() -> None:
    found = inventory(kustomization("k", "_system__batch_kueue.x-k8s.io_ClusterQueue", "_x_apps_Deployment", "odd"))
    assert [str(it) for it in found] == ["ClusterQueue system:batch"]
