"""Who is told to own an object, by what."""

from typing import Any

import pytest

from fake_cluster import queue, workload
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.owner_marks import Owner, claims
from kueuelift_snapshot.ownership import MOST_NAMES, Ownership
from part_recorder import obj

TRACKING = "argocd.argoproj.io/tracking-id"
HELM = {"meta.helm.sh/release-name": "kueue", "meta.helm.sh/release-namespace": "kueue-system"}
FLUX = {"helm.toolkit.fluxcd.io/name": "batch", "helm.toolkit.fluxcd.io/namespace": "flux-system"}


def flavor(name: str = "default-flavor", **metadata: Any) -> KubernetesObject:
    return obj("kueue.x-k8s.io/v1beta1", "ResourceFlavor", name, spec={}, **metadata)


def summary(*objects: KubernetesObject) -> Any:
    ownership = Ownership()
    for it in (*objects, *objects):
        ownership.see(it)
    return ownership.summary()


@pytest.mark.parametrize(
    ("metadata", "owner"),
    [
        ({"annotations": HELM}, ("helm", "kueue-system", "kueue")),
        ({"labels": FLUX}, ("flux-helmrelease", "flux-system", "batch")),
        (
            {"labels": {"kustomize.toolkit.fluxcd.io/name": "k", "kustomize.toolkit.fluxcd.io/namespace": "n"}},
            ("flux-kustomization", "n", "k"),
        ),
        ({"labels": {"argocd.argoproj.io/instance": "queues"}}, ("argocd-application", "", "queues")),
        (
            {"annotations": {TRACKING: "team_queues:kueue.x-k8s.io/ResourceFlavor:/default-flavor"}},
            ("argocd-application", "team", "queues"),
        ),
        (
            {"annotations": {TRACKING: "queues:kueue.x-k8s.io/ResourceFlavor:argocd/default-flavor"}},
            ("argocd-application", "", "queues"),
        ),
        ({"labels": {"clusterconfig.azure.com/extension": "aks-kueue"}}, ("aks", "", "aks-kueue")),
        (
            {"ownerReferences": [{"apiVersion": "x/v1", "kind": "Platform", "name": "main", "uid": "u"}]},
            ("owner-reference", "", "Platform main"),
        ),
    ],
)
def test_marks_name_an_owner(metadata: dict[str, Any], owner: tuple[str, str, str]) -> None:
    ((found, _),) = claims(flavor(**metadata))
    assert (found.tool, found.namespace, found.name) == owner


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"labels": {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "kueue"}},
        {"annotations": {TRACKING: "app:kueue.x-k8s.io/ClusterQueue:/default-flavor"}},
        {"annotations": {TRACKING: "app:kueue.x-k8s.io/ResourceFlavor:/another"}},
        {"annotations": {TRACKING: "nonsense"}},
    ],
)
def test_what_names_none(metadata: dict[str, Any]) -> None:
    assert not list(claims(flavor(**metadata)))


def test_an_object_with_several_owners_is_disputed() -> None:
    disputed = flavor(
        labels={
            "argocd.argoproj.io/instance": "kueue-old",
            "app.kubernetes.io/managed-by": "Helm",
            "kustomize.toolkit.fluxcd.io/name": "kueue",
        },
        annotations={
            TRACKING: "kueue-new:kueue.x-k8s.io/ResourceFlavor:/default-flavor",
            "meta.helm.sh/release-name": "kueue-populator",
        },
    )
    assert summary(disputed, flavor("other", annotations=HELM))["disputed"] == {
        "count": 1,
        "objects": [
            {
                "object": "ResourceFlavor default-flavor",
                "owners": [
                    "argocd-application kueue-new",
                    "argocd-application kueue-old",
                    "flux-kustomization kueue",
                    "helm kueue-populator",
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": FLUX, "annotations": HELM},
        {
            "labels": {"argocd.argoproj.io/instance": "queues"},
            "annotations": {TRACKING: "argocd_queues:kueue.x-k8s.io/ResourceFlavor:/default-flavor"},
        },
    ],
    ids=["flux installs through helm", "one application told twice"],
)
def test_one_owner_behind_two_marks_is_no_dispute(metadata: dict[str, Any]) -> None:
    assert summary(flavor(**metadata))["disputed"]["count"] == 0


def test_owners_are_told_with_what_they_own_and_by_what() -> None:
    found = summary(
        *(flavor(f"f-{n:02}", annotations=HELM) for n in range(MOST_NAMES + 3)),
        obj("kueue.x-k8s.io/v1beta1", "LocalQueue", "main", "team-a", annotations=HELM),
    )
    (owner,) = found["owners"]
    names = owner.pop("objects")
    assert len(names) == MOST_NAMES
    assert names[0] == "LocalQueue team-a/main"
    assert owner == {
        "tool": "helm",
        "namespace": "kueue-system",
        "name": "kueue",
        "by": ["annotation meta.helm.sh/release-name"],
        "count": MOST_NAMES + 4,
        "kinds": {"LocalQueue": 1, "ResourceFlavor": MOST_NAMES + 3},
    }


def test_field_managers_say_who_writes_and_status_does_not_count() -> None:
    fields = [
        {"manager": "argocd-controller", "operation": "Apply"},
        {"manager": "kubectl-client-side-apply", "operation": "Update"},
        {"manager": "own-operator", "operation": "Update"},
        {"manager": "kueue", "operation": "Update", "subresource": "status"},
    ]
    told = summary(queue("shared") | {"metadata": {"name": "shared", "managedFields": fields}})["managers"]
    assert [(it["manager"], it["operation"], it["tool"], it["objects"]) for it in told] == [
        ("argocd-controller", "Apply", "argocd", ["ClusterQueue shared"]),
        ("kubectl-client-side-apply", "Update", "kubectl", ["ClusterQueue shared"]),
        ("own-operator", "Update", "", ["ClusterQueue shared"]),
    ]


def test_workloads_are_their_jobs() -> None:
    owned = workload(1)
    owned["metadata"] |= {"ownerReferences": [{"kind": "Job", "name": "j"}], "managedFields": [{"manager": "kueue"}]}
    found = summary(owned)
    assert found["owners"] == found["managers"] == []


def test_an_owner_is_known_with_its_namespace_or_without() -> None:
    ownership = Ownership()
    ownership.see(flavor(labels=FLUX | {"kustomize.toolkit.fluxcd.io/name": "kueue"}))
    assert ownership.names("flux-helmrelease", "flux-system", "batch")
    assert not ownership.names("flux-helmrelease", "elsewhere", "batch")
    assert ownership.names("flux-kustomization", "anywhere", "kueue")
    assert not ownership.names("argocd-application", "", "kueue")


def test_what_an_owner_says_itself_counts() -> None:
    ownership = Ownership()
    ownership.add(Owner(tool="argocd-application", namespace="", name="x"), "status.resources", [])
    assert ownership.summary()["owners"] == []
