"""What of a cluster is taken for an installation of Kueue, whatever it is called, and what is not."""

from collections.abc import Mapping
from typing import Any

import pytest

from fake_cluster import FakeCluster, answering
from installed_parts import deployment, put
from kueuelift.crd import ServiceReference, bundled
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.installation import Installation, capture_installation
from part_recorder import obj, parts_of

CONFIGURATION = """\
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
integrations:
  frameworks: [batch/job]
  externalFrameworks: [PipelineRun.v1.tekton.dev]
"""


def webhook(name: str, path: str, groups: list[str], service: str = "hook", **metadata: Any) -> KubernetesObject:
    call = {"service": {"namespace": "batch-system", "name": service, "path": path}}
    rule = {"apiGroups": groups, "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
    hooks = [{"name": "h.example", "clientConfig": call, "rules": [rule], "failurePolicy": "Fail"}]
    return obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", name, webhooks=hooks, **metadata)


def service(name: str, selector: Mapping[str, str], namespace: str = "batch-system") -> KubernetesObject:
    return obj("v1", "Service", name, namespace, spec={"selector": dict(selector), "clusterIP": "10.0.0.7"})


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


def take(capture: Capture) -> Installation:
    return capture_installation(capture, {})


def test_a_renamed_installation_is_found_through_its_webhooks(cluster: FakeCluster) -> None:
    hook = webhook("hooks", "/validate-kueue-x-k8s-io-v1beta1-clusterqueue", ["kueue.x-k8s.io"])
    put(
        cluster,
        validatingwebhookconfigurations=[hook],
        services=[
            service("hook", {"app": "boss"}),
            service("metrics", {"app": "boss"}),
            service("hook", {"app": "boss"}, "team-a"),
            service("web", {"app": "web"}),
        ],
        deployments=[
            deployment("boss", "mirror.example/approved/4711:1", pods={"app": "boss"}),
            deployment("web", "mirror.example/web:1", pods={"app": "web"}),
            deployment("boss", "mirror.example/boss:1", "team-a", pods={"app": "boss"}),
        ],
        configmaps=[
            obj("v1", "ConfigMap", "settings", "batch-system", data={"manager": CONFIGURATION}),
            obj("v1", "ConfigMap", "kube-root-ca.crt", "batch-system", data={"ca.crt": "x"}),
            obj("v1", "ConfigMap", "settings", "team-a", data={"a": "b"}),
        ],
    )
    told: list[Installation] = []
    found = parts_of(cluster, lambda capture: told.append(take(capture)))
    assert set(found["installation/deployments.apps"]) == {"batch-system/boss"}
    assert set(found["installation/services"]) == {"batch-system/hook", "batch-system/metrics"}
    assert set(found["installation/configmaps"]) == {"batch-system/settings"}
    assert found["installation/configmaps"]["batch-system/settings"]["data"] == {"manager": CONFIGURATION}
    assert "s3cret-value" not in str(found)
    assert told == [
        Installation(namespaces=frozenset({"batch-system"}), frameworks=frozenset({"PipelineRun.v1.tekton.dev"}))
    ]


def test_the_service_that_converts_is_of_the_installation(cluster: FakeCluster) -> None:
    crds = bundled("0.12.2", service=ServiceReference(namespace="batch-system", name="hook"))
    put(
        cluster,
        services=[service("hook", {"app": "boss"})],
        deployments=[deployment("boss", "m", pods={"app": "boss"})],
    )
    found = parts_of(cluster, lambda capture: capture_installation(capture, crds))
    assert set(found["installation/services"]) == {"batch-system/hook"}
    assert set(found["installation/deployments.apps"]) == {"batch-system/boss"}


def test_a_service_that_is_called_and_missing_is_no_failure(cluster: FakeCluster) -> None:
    put(cluster, validatingwebhookconfigurations=[webhook("kueue", "/x", ["batch"])])
    found = parts_of(cluster, take)
    assert "installation/services" not in found
    assert "installation/endpoints" not in found


def endpoint_slice(name: str, *ready: bool | None, of: str = "hook", family: str = "IPv4") -> KubernetesObject:
    endpoints = [
        {"addresses": [f"{family}-{n}"], "conditions": {"ready": it}, "targetRef": {"uid": f"pod-{n}"}}
        for n, it in enumerate(ready)
    ]
    labels = {"kubernetes.io/service-name": of}
    return obj("discovery.k8s.io/v1", "EndpointSlice", name, "batch-system", labels=labels, endpoints=endpoints)


@pytest.mark.parametrize(
    ("slices", "counts"),
    [
        ([], (0, 0)),
        ([endpoint_slice("a", True, False, None)], (2, 1)),
        ([endpoint_slice("a", True, False), endpoint_slice("b", True, False, family="IPv6")], (1, 1)),
        ([endpoint_slice("a", True, of="other")], (0, 0)),
    ],
)
def test_endpoints_are_counted(cluster: FakeCluster, slices: list[KubernetesObject], counts: tuple[int, int]) -> None:
    put(
        cluster,
        validatingwebhookconfigurations=[webhook("kueue", "/x", ["batch"])],
        services=[service("hook", {"app": "boss"})],
        endpointslices=slices,
    )
    (counted,) = parts_of(cluster, take)["installation/endpoints"].values()
    assert counted == {
        "apiVersion": "kueuelift/v1",
        "kind": "EndpointCount",
        "metadata": {"name": "hook", "namespace": "batch-system"},
        "ready": counts[0],
        "notReady": counts[1],
    }


def test_endpoints_that_could_not_be_read_are_not_counted_as_none(cluster: FakeCluster) -> None:
    put(
        cluster,
        validatingwebhookconfigurations=[webhook("kueue", "/x", ["batch"])],
        services=[service("hook", {"app": "boss"})],
    )
    cluster.fail("/apis/discovery.k8s.io/v1/namespaces/batch-system/endpointslices", answering(403))
    assert "installation/endpoints" not in parts_of(cluster, take, failures=True)


@pytest.mark.parametrize(
    ("hook", "kept"),
    [
        (webhook("kueue-validating", "/x", ["batch"]), True),
        (webhook("batch", "/x", ["batch"], labels={"app.kubernetes.io/name": "kueue"}), True),
        (webhook("batch", "/mutate-kueue-x-k8s-io-v1beta2-workload", ["kueue.x-k8s.io"]), True),
        (webhook("policies", "/validate/fail", ["*"]), True),
        (webhook("policies", "/validate/fail", ["kueue.x-k8s.io"]), True),
        (webhook("policies", "/validate/fail", ["apps", ""]), False),
    ],
)
def test_webhooks_of_kueue_and_those_asked_about_its_objects(
    cluster: FakeCluster, hook: KubernetesObject, kept: bool
) -> None:
    put(cluster, validatingwebhookconfigurations=[hook], mutatingwebhookconfigurations=[hook])
    found = parts_of(cluster, take)
    for kind in ("validating", "mutating"):
        assert bool(found.get(f"installation/{kind}webhookconfigurations.admissionregistration.k8s.io")) is kept


def test_a_policy_engine_is_no_manager(cluster: FakeCluster) -> None:
    put(
        cluster,
        validatingwebhookconfigurations=[webhook("policies", "/validate/fail", ["*"])],
        services=[service("hook", {"app": "policies"})],
        deployments=[deployment("policies", "mirror.example/policies:1", pods={"app": "policies"})],
    )
    found = parts_of(cluster, take)
    assert "installation/deployments.apps" not in found
    assert "installation/services" not in found


def api_service(group: str, service: Mapping[str, str] | None) -> KubernetesObject:
    spec = {"group": group, "version": "v1beta1", "service": service}
    return obj("apiregistration.k8s.io/v1", "APIService", f"v1beta1.{group}", spec=spec)


def test_api_services_that_a_manager_answers(cluster: FakeCluster) -> None:
    behind = {"namespace": "batch-system", "name": "visibility"}
    put(
        cluster,
        apiservices=[
            api_service("visibility.kueue.x-k8s.io", behind),
            api_service("kueue.x-k8s.io", None),
            api_service("metrics.k8s.io", behind),
        ],
    )
    found = parts_of(cluster, take)
    assert set(found["installation/apiservices.apiregistration.k8s.io"]) == {"v1beta1.visibility.kueue.x-k8s.io"}


def role(name: str, groups: list[str], **metadata: Any) -> KubernetesObject:
    rules = [{"apiGroups": groups, "resources": ["*"], "verbs": ["list"]}]
    return obj("rbac.authorization.k8s.io/v1", "ClusterRole", name, rules=rules, **metadata)


def binding(name: str, role: str, namespace: str = "", account: tuple[str, str] | None = None) -> KubernetesObject:
    reference = {"kind": "ClusterRole", "name": role}
    subjects = [{"kind": "ServiceAccount", "namespace": account[0], "name": account[1]}] if account else []
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    return obj("rbac.authorization.k8s.io/v1", kind, name, namespace, roleRef=reference, subjects=subjects)


def test_roles_and_bindings(cluster: FakeCluster) -> None:
    put(
        cluster,
        deployments=[deployment("kueue-controller-manager", "kueue")],
        clusterroles=[
            role("kueue-batch-user-role", []),
            role("tenants", ["kueue.x-k8s.io"]),
            role("view", ["kueue.x-k8s.io"], labels={"kubernetes.io/bootstrapping": "rbac-defaults"}),
            role("jobs", ["batch"], labels={"rbac.kueue.x-k8s.io/batch-user": "true"}),
            role("cluster-admin", ["*"]),
        ],
        clusterrolebindings=[
            binding("manager", "whatever", account=("batch-system", "boss")),
            binding("tenants", "tenants"),
            binding("viewers", "view"),
            binding("others", "whatever", account=("team-a", "boss")),
        ],
        rolebindings=[binding("users", "kueue-batch-user-role", "team-a"), binding("others", "edit", "team-a")],
    )
    found = parts_of(cluster, take)
    group = "rbac.authorization.k8s.io"
    assert set(found[f"installation/clusterroles.{group}"]) == {"kueue-batch-user-role", "tenants", "view", "jobs"}
    assert set(found[f"installation/clusterrolebindings.{group}"]) == {"manager", "tenants"}
    assert set(found[f"installation/rolebindings.{group}"]) == {"team-a/users"}
