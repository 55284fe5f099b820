"""Where the objects of files go: where those of a cluster go, in whatever order they come."""

import random
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_cluster import CRDS, SECRETS, FakeCluster
from installed_parts import deployment, put
from kueuelift import yaml_text
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot import dependents, installation, running, surroundings
from kueuelift_snapshot.collect import collect
from kueuelift_snapshot.file_objects import Later, Placed
from kueuelift_snapshot.file_surroundings import FileSurroundings
from kueuelift_snapshot.files import CapturedFiles, collect_files
from odd_json import anything
from part_recorder import obj, serve
from queued_jobs import QUEUE, job, pod
from release_secrets import secret

OWNER = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "name": "w", "uid": "w-1"}
RBAC, HOOKS = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta1"
VISIBILITY = {"group": "visibility.kueue.x-k8s.io", "service": {"name": "s", "namespace": "n"}}
RULE = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["*"]}
POLICY = {"matchConstraints": {"resourceRules": [RULE]}}
GATED = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}


def placed(it: KubernetesObject) -> Placed | None:
    found = FileSurroundings()
    at_once = found.place(it)
    rest = [placed for placed in found.rest(()) if placed.resource != "owners"]
    assert not isinstance(at_once, Placed) or not rest
    return at_once if isinstance(at_once, Placed) else next(iter(rest), None)


@pytest.mark.parametrize(
    ("it", "place"),
    [
        (deployment("kueue-controller-manager", "kueue"), "installation/deployments.apps"),
        (obj("v1", "ConfigMap", "c", "n", data={"a": CONFIGURATION}), "installation/configmaps"),
        (obj("v1", "Service", "kueue-webhook-service", "n"), "installation/services"),
        (obj("v1", "Namespace", "team-a"), "installation/namespaces"),
        (
            obj(HOOKS, "ValidatingAdmissionPolicy", "x", spec=POLICY),
            "installation/validatingadmissionpolicies.admissionregistration.k8s.io",
        ),
        (
            obj("networking.k8s.io/v1", "NetworkPolicy", "kueue", "n"),
            "installation/networkpolicies.networking.k8s.io",
        ),
        (
            obj("monitoring.coreos.com/v1", "ServiceMonitor", "x", "n", spec={"selector": "kueue"}),
            "installation/servicemonitors.monitoring.coreos.com",
        ),
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
        (obj("example.com/v1", "Job", "x", "n", labels=QUEUE), "running/jobs.example.com"),
        (obj("example.com/v1", "Factory", "x", "n", annotations=QUEUE), "running/factories.example.com"),
        (obj("example.com/v1", "Process", "x", "n", finalizers=list(QUEUE)), "running/processes.example.com"),
        (obj("tekton.dev/v1", "PipelineRun", "x", "n", spec={"pod": GATED}), "running/pipelineruns.tekton.dev"),
    ],
)
def test_what_has_to_do_with_kueue(it: KubernetesObject, place: str) -> None:
    found = placed(it)
    assert found
    assert f"{found.folder}/{found.resource}" == place
    assert found.lines is (found.folder in {"running", "dependents"} or it["kind"] == "Namespace")


@pytest.mark.parametrize(
    "it",
    [
        deployment("web", "web"),
        obj("example.com/v1", "Deployment", "kueue-controller-manager", "n"),
        obj("v1", "ConfigMap", "kueue", "n", data={"a": "b"}),
        obj("v1", "ConfigMap", "x", "n", labels=QUEUE),
        obj("v1", "Service", "x", "n", spec={"selector": {"a": "b"}}),
        obj("policy/v1", "PodDisruptionBudget", "x", "n", labels=QUEUE),
        obj("scheduling.k8s.io/v1alpha1", "Workload", "x", "n", labels=QUEUE),
        obj("kueue.x-k8s.io/v1beta1", "Guild", "x", "n", labels=QUEUE),
        obj("example.com/v1", "Job", "x", "n", labels={"queue-name": "a"}),
        obj(HOOKS, "ValidatingAdmissionPolicy", "x", spec={}),
        obj("networking.k8s.io/v1", "NetworkPolicy", "x", "n"),
        obj(RBAC, "ClusterRole", "x", rules=[{"apiGroups": ["*"]}]),
        obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "x", "n", spec={}),
        obj("helm.cattle.io/v1", "HelmRelease", "kueue", "n", spec={}),
        obj("source.toolkit.fluxcd.io/v1", "GitRepositorie", "kueue", "n", spec={}),
        obj("v1", "PodTemplate", "x", "n"),
        job(),
        job(uid="u"),
    ],
)
def test_what_has_not(it: KubernetesObject) -> None:
    assert placed(it) is None


def test_a_job_is_reduced_and_an_owner_steadied() -> None:
    found = placed(job(labels=QUEUE))
    owner = placed(obj("argoproj.io/v1alpha1", "Application", "kueue", "n", spec={}, status={"reconciledAt": "x"}))
    assert found
    assert owner
    assert "hunter22" not in str(found.value)
    assert "resourceVersion" not in owner.value["metadata"]


CALLED = {"name": "hook", "namespace": "batch-system"}
POD = {"app": "boss"}
CLUSTER: Mapping[str, list[KubernetesObject]] = {
    "validatingwebhookconfigurations": [
        obj(
            HOOKS,
            "ValidatingWebhookConfiguration",
            "ours",
            webhooks=[{"clientConfig": {"service": {**CALLED, "path": "/validate-kueue-x-k8s-io-v1beta1-cohort"}}}],
        ),
        obj(HOOKS, "ValidatingWebhookConfiguration", "other", webhooks=[]),
    ],
    "services": [
        obj("v1", "Service", "hook", "batch-system", spec={"selector": POD}),
        obj("v1", "Service", "metrics", "batch-system", spec={"selector": POD}),
        obj("v1", "Service", "web", "batch-system", spec={"selector": {"app": "web"}}),
        obj("v1", "Service", "hook", "web", spec={"selector": POD}),
    ],
    "deployments": [
        deployment("boss", "mirror.example/x:1", pods=POD),
        deployment("web", "web", pods={"app": "web"}),
        deployment("jobs", "mirror.example/jobset/jobset:v0.8", "jobset-system"),
        deployment("queued", "web", "team-a", labels=QUEUE),
    ],
    "configmaps": [
        obj("v1", "ConfigMap", "settings", "batch-system", data={"a": "b"}),
        obj("v1", "ConfigMap", "settings", "web", data={"a": "b"}),
        obj("v1", "ConfigMap", "other", "batch-system", data={"a": CONFIGURATION}),
    ],
    "clusterroles": [obj(RBAC, "ClusterRole", "boss", rules=[RULE]), obj(RBAC, "ClusterRole", "web", rules=[])],
    "clusterrolebindings": [
        obj(RBAC, "ClusterRoleBinding", "boss", roleRef={"kind": "ClusterRole", "name": "boss"}),
        obj(RBAC, "ClusterRoleBinding", "web", roleRef={"kind": "ClusterRole", "name": "web"}),
    ],
    "rolebindings": [
        obj(
            RBAC,
            "RoleBinding",
            "leader",
            "batch-system",
            roleRef={"kind": "Role", "name": "leader"},
            subjects=[{"kind": "ServiceAccount", "name": "boss", "namespace": "batch-system"}],
        ),
        obj(RBAC, "RoleBinding", "web", "batch-system", roleRef={"kind": "Role", "name": "leader"}),
    ],
    "namespaces": [obj("v1", "Namespace", "team-a", labels={"a": "b"}), obj("v1", "Namespace", "web")],
    "validatingadmissionpolicies": [
        obj(HOOKS, "ValidatingAdmissionPolicy", "asked", spec=POLICY),
        obj(HOOKS, "ValidatingAdmissionPolicy", "other", spec={}),
    ],
    "validatingadmissionpolicybindings": [
        obj(HOOKS, "ValidatingAdmissionPolicyBinding", "one", spec={"policyName": "asked"}),
        obj(HOOKS, "ValidatingAdmissionPolicyBinding", "two", spec={"policyName": "other"}),
    ],
    "networkpolicies": [
        obj("networking.k8s.io/v1", "NetworkPolicy", "x", "batch-system", spec={}),
        obj("networking.k8s.io/v1", "NetworkPolicy", "x", "web", spec={}),
    ],
    "jobs": [
        job("queued", labels=QUEUE),
        job("owned", uid="u-1"),
        job("other", uid="u-2"),
    ],
    "pods": [pod("gated", spec=GATED), pod("other")],
    "podtemplates": [
        obj("v1", "PodTemplate", "direct", "team-a", ownerReferences=[OWNER]),
        obj(
            "v1",
            "PodTemplate",
            "indirect",
            "team-a",
            ownerReferences=[
                {"apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest", "name": "r", "uid": "r-1"}
            ],
        ),
        obj("v1", "PodTemplate", "other", "team-a"),
    ],
}
SOURCE = {"kind": "OCIRepository", "name": "s"}
CUSTOM: list[tuple[str, str, list[KubernetesObject]]] = [
    ("autoscaling.x-k8s.io", "provisioningrequests", [
        obj("autoscaling.x-k8s.io/v1", "ProvisioningRequest", "r", "team-a", uid="r-1", ownerReferences=[OWNER]),
        obj("autoscaling.x-k8s.io/v1", "ProvisioningRequest", "other", "team-a", uid="r-2"),
    ]),
    ("tekton.dev", "pipelineruns", [
        obj("tekton.dev/v1", "PipelineRun", "queued", "team-a", labels=QUEUE),
        obj("tekton.dev/v1", "PipelineRun", "other", "team-a"),
    ]),
    ("helm.toolkit.fluxcd.io", "helmreleases", [
        obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "kueue", "kueue-system", spec={"chartRef": SOURCE}),
        obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "web", "web", spec={}),
    ]),
    ("source.toolkit.fluxcd.io", "ocirepositories", [
        obj("source.toolkit.fluxcd.io/v1", "OCIRepository", "s", "kueue-system", spec={}),
        obj("source.toolkit.fluxcd.io/v1", "OCIRepository", "t", "kueue-system", spec={}),
    ]),
    ("kustomize.toolkit.fluxcd.io", "kustomizations", [
        obj("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "queues", "flux-system", spec={}),
        obj("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "web", "flux-system", spec={}),
    ]),
]  # fmt: skip
OWNED = {"kustomize.toolkit.fluxcd.io/name": "queues", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
KUEUES = [
    obj("kueue.x-k8s.io/v1beta1", "ClusterQueue", "team", labels=OWNED, spec={}),
    obj(
        "kueue.x-k8s.io/v1beta1",
        "Workload",
        "w",
        "team-a",
        uid="w-1",
        ownerReferences=[{"apiVersion": "batch/v1", "kind": "Job", "name": "owned", "uid": "u-1"}],
        spec={},
    ),
]


def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    fake.add(*KUEUES)
    put(fake, **{plural: found for plural, found in CLUSTER.items() if plural in _PUT})
    jobs = {it.plural: it for it in (*running.RESOURCES, *dependents.RESOURCES) if it.version}
    for plural in CLUSTER.keys() - _PUT:
        fake.lists[jobs[plural].path()] = CLUSTER[plural]
    for group, plural, objects in CUSTOM:
        version = objects[0]["apiVersion"].rpartition("/")[2]
        fake.lists[serve(fake, group, plural, objects[0]["kind"], version)] = objects
    fake.lists[SECRETS] = [secret()]
    return fake


_PUT = {it.plural for it in (*installation.RESOURCES, *surroundings.RESOURCES)}


def of_files(path: Path, objects: Iterable[KubernetesObject]) -> CapturedFiles:
    (path / "git").mkdir(parents=True)
    (path / "git" / "all.yaml").write_text("".join(f"---\n{yaml_text.dump(it)}" for it in objects))
    return collect_files(
        [str(path / "git")],
        path / "snapshot",
        token_key=path.parent / "key",
        stdin=None,
        progress=Silence(),
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )


def parts(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    snapshot = Snapshot.open(root)
    for folder in ("installation", "gitops", "running", "dependents"):
        for resource, it in snapshot.parts(folder):
            if resource not in {"endpoints", "served"}:
                metadata = it["metadata"]
                found[f"{folder}/{resource} {metadata.get('namespace', '')}/{metadata['name']}"] = it
    return found


@pytest.mark.parametrize("seed", range(6))
def test_files_have_the_parts_of_the_cluster_that_they_were_taken_from(tmp_path: Path, seed: int) -> None:
    fake = cluster()
    crds: list[KubernetesObject] = [
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"} | it for it in fake.lists[CRDS]
    ]
    live = collect(
        fake,
        tmp_path / "live",
        server="https://cluster.example",
        token_key=tmp_path / "key",
        progress=Silence(),
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert live.complete
    kueues: list[KubernetesObject] = [it for it in crds if it["spec"]["group"] == "kueue.x-k8s.io"]
    objects = [*kueues, *KUEUES, *(it for found in CLUSTER.values() for it in found), secret()]
    objects += [it for _, _, found in CUSTOM for it in found]
    random.Random(seed).shuffle(objects)
    captured = of_files(tmp_path / "files", objects)
    one, other = parts(live.path), parts(captured.path)
    assert sorted(one) == sorted(other)
    assert one == other
    kept = len(one) - 1 + len(kueues) + len(KUEUES) + 1
    assert captured.foreign.total() == len(objects) - kept
    assert captured.complete


def test_what_waits_is_counted_once(tmp_path: Path) -> None:
    service = obj("v1", "Service", "x", "n", spec={"selector": {"a": "b"}})
    captured = of_files(tmp_path / "files", [service, service, *KUEUES])
    assert captured.foreign == {"Service": 1}
    assert captured.repeated == 1


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
    *("inventory", "entries", "resources", "sync", "group", "name", "roleRef", "subjects", "selector", "policyName"),
)
KINDS = (
    ("apps/v1", "Deployment"),
    ("v1", "Service"),
    ("v1", "Namespace"),
    (HOOKS, "ValidatingWebhookConfiguration"),
    (HOOKS, "ValidatingAdmissionPolicyBinding"),
    (RBAC, "ClusterRole"),
    (RBAC, "RoleBinding"),
    ("v1", "ConfigMap"),
    ("argoproj.io/v1alpha1", "Application"),
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("helm.toolkit.fluxcd.io/v2", "HelmRelease"),
    ("batch/v1", "Job"),
    ("example.com/v1", "Odd"),
)


@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES), anything(NAMES), max_size=4)),
        max_size=4,
    )
)
def test_no_shape_is_a_surprise(found: list[tuple[tuple[str, str], dict[str, Any]]]) -> None:
    judge = FileSurroundings()
    for (api_version, kind), body in found:
        it = body | {"apiVersion": api_version, "kind": kind, "metadata": {"name": "kueue"}}
        assert isinstance(judge.place(it), Placed | Later | None)
    list(judge.rest(()))
