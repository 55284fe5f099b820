"""What surrounds Kueue, read from real servers: with the real chart and its manager, and the 0.12.2-shaped one."""

from collections.abc import Mapping
from typing import Any

import pytest

from bed.control_plane import ControlPlane
from bed.job import job
from bed.kueue import NAMESPACE, Kueue
from bed.scenario import JOBS
from kueuelift.kinds import BY_PLURAL
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift.redaction import TokenKey
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.cluster import open_cluster
from kueuelift_snapshot.dependents import capture_dependents
from kueuelift_snapshot.gitops import capture_gitops
from kueuelift_snapshot.installation import capture_installation
from kueuelift_snapshot.ownership import Ownership
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.running import WorkloadOwners, capture_running
from kueuelift_snapshot.surroundings import capture_surroundings
from part_recorder import Recorder

pytestmark = pytest.mark.cluster

Parts = Mapping[str, Mapping[str, KubernetesObject]]


class Quiet(Recorder):
    """Leaves Kueue's own objects to others."""

    def add_object(self, kind: Any, obj: KubernetesObject) -> str:  # noqa: ARG002 - as the writer has it
        return str(obj["metadata"]["name"])

    def workloads(self) -> Any:
        return self.part_lines("", "workloads")


def parts_of(cluster: ControlPlane) -> tuple[Parts, Capture]:
    """All parts around Kueue, in the order of a snapshot."""
    api = open_cluster(kubeconfig=cluster.kubeconfig(), context=None, request_timeout=60)
    recorder = Quiet()
    capture = Capture(api=api, writer=recorder, redactor=Redactor(TokenKey.throwaway()), progress=Silence())
    ownership, owners = Ownership(), WorkloadOwners()
    capture.observers += [ownership.see, owners.see]
    crds = capture.crds()
    for plural, kind in BY_PLURAL.items():
        if plural in crds:
            capture.objects(kind, crds[plural])
    installed = capture_installation(capture, crds)
    capture_surroundings(capture, installed.namespaces)
    capture_gitops(capture, ownership, ())
    capture.observers.clear()
    capture_dependents(capture)
    capture_running(capture, owners, installed.frameworks)
    assert not capture.failures
    assert not capture.unseen
    recorder.parts.pop("/workloads", None)
    return recorder.parts, capture


def test_an_empty_cluster_has_only_what_every_cluster_has(control_plane: ControlPlane) -> None:
    found, _ = parts_of(control_plane)
    assert {place for place, objects in found.items() if objects} == {
        "installation/namespaces",
        "installation/served",
        "gitops/owners",
    }


def test_the_real_chart_is_an_installation(kueue: Kueue) -> None:
    kueue.cluster.api.create(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", job("seen", queue="main"))
    found, _ = parts_of(kueue.cluster)
    assert set(found["installation/deployments.apps"]) == {f"{NAMESPACE}/kueue-controller-manager"}
    assert set(found["installation/configmaps"]) == {f"{NAMESPACE}/kueue-manager-config"}
    assert f"{NAMESPACE}/kueue-webhook-service" in found["installation/services"]
    assert set(found["installation/endpoints"]) == set(found["installation/services"])
    assert len(found["installation/validatingwebhookconfigurations.admissionregistration.k8s.io"]) == 1
    assert len(found["installation/mutatingwebhookconfigurations.admissionregistration.k8s.io"]) == 1
    roles = found["installation/clusterroles.rbac.authorization.k8s.io"]
    assert {"kueue-manager-role", "kueue-batch-user-role"} <= set(roles)
    assert "cluster-admin" not in roles
    assert "kueue-manager-rolebinding" in found["installation/clusterrolebindings.rbac.authorization.k8s.io"]
    assert f"{NAMESPACE}/seen" in found["running/jobs.batch"]
    # The manager is no job, whatever the chart writes on it.
    assert not found.get("running/deployments.apps")
    owners = found["gitops/owners"]["owners"]["owners"]
    assert ("helm", NAMESPACE, "kueue") in {(it["tool"], it["namespace"], it["name"]) for it in owners}
    again, _ = parts_of(kueue.cluster)
    assert again == found


def test_the_old_installation_and_its_jobs(legacy: Kueue) -> None:
    found, capture = parts_of(legacy.cluster)
    assert set(found["installation/deployments.apps"]) == {f"{NAMESPACE}/kueue-controller-manager"}
    assert "v1beta1.visibility.kueue.x-k8s.io" in found["installation/apiservices.apiregistration.k8s.io"]
    assert set(found["running/jobs.batch"]) == {f"team-a/{name}" for name in JOBS}
    assert set(found["dependents/podtemplates"]) == {"team-a/ppt-run"}
    managers = {it["manager"]: it["kinds"] for it in found["gitops/owners"]["owners"]["managers"]}
    assert managers["argocd-controller"] == {"ClusterQueue": 1, "Cohort": 3}
    assert managers["kustomize-controller"] == {"ClusterQueue": 1}
    assert capture.parts["installation/namespaces"] >= 7


def crd(group: str, version: str, kind: str, plural: str) -> KubernetesObject:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    served = {"name": version, "served": True, "storage": True, "schema": schema}
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [served]},
    }


def test_jobs_and_owners_of_other_kinds(clean_cluster: ControlPlane) -> None:
    api = clean_cluster.api
    kinds = (
        ("kubeflow.org", "v2beta1", "MPIJob", "mpijobs"),
        ("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"),
        ("example.com", "v1alpha1", "Train", "trains"),
        ("argoproj.io", "v1alpha1", "Application", "applications"),
    )
    for defined in kinds:
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd(*defined))
    clean_cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    queue = {"kueue.x-k8s.io/queue-name": "main"}
    for group, version, kind, plural in kinds[:3]:
        for name, metadata in (("labelled", {"labels": queue}), ("annotated", {"annotations": queue}), ("clean", {})):
            body = {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": {"name": name} | metadata}
            api.create(f"/apis/{group}/{version}/namespaces/default/{plural}", body | {"spec": {"suspend": False}})
    resource = {"group": "kueue.x-k8s.io", "kind": "ClusterQueue", "name": "shared"}
    application = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "queues"}}
    application |= {"spec": {"project": "default"}, "status": {"resources": [resource], "reconciledAt": "now"}}
    api.create("/apis/argoproj.io/v1alpha1/namespaces/default/applications", application)
    found, _ = parts_of(clean_cluster)
    running = {place: set(objects) for place, objects in found.items() if place.startswith("running/") and objects}
    assert running == {
        "running/mpijobs.kubeflow.org": {"default/labelled", "default/annotated"},
        "running/pytorchjobs.kubeflow.org": {"default/labelled", "default/annotated"},
        "running/trains.example.com": {"default/labelled"},
    }
    kept = found["running/trains.example.com"]["default/labelled"]
    assert kept["spec"] == {"suspend": False}
    assert set(kept["metadata"]) == {"name", "namespace", "uid", "creationTimestamp", "labels"}
    status = found["gitops/applications.argoproj.io"]["default/queues"]["status"]
    assert status == {"resources": [resource]}
    (owner,) = found["gitops/owners"]["owners"]["owners"]
    assert (owner["name"], owner["objects"]) == ("queues", ["ClusterQueue shared"])
    assert found["installation/served"]["kubeflow.org"]["jobs"] == ["mpijobs", "pytorchjobs"]
