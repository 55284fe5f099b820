"""What stands around an installation."""

from collections.abc import Mapping

import pytest

from fake_cluster import FakeCluster, answering
from installed_parts import put
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.surroundings import capture_surroundings
from part_recorder import obj, parts_of, serve


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


def around(cluster: FakeCluster, *namespaces: str) -> Mapping[str, Mapping[str, KubernetesObject]]:
    return parts_of(cluster, lambda capture: capture_surroundings(capture, namespaces))


def test_namespaces_keep_name_and_labels(cluster: FakeCluster) -> None:
    labels = {"kubernetes.io/metadata.name": "team-a"}
    put(cluster, namespaces=[obj("v1", "Namespace", "team-a", labels=labels, status={"phase": "Active"}, uid="u")])
    assert around(cluster)["installation/namespaces"] == {
        "team-a": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": labels}}
    }


def test_what_is_served(cluster: FakeCluster) -> None:
    cluster.install()
    serve(cluster, "kubeflow.org", "pytorchjobs", "PyTorchJob")
    serve(cluster, "example.com", "widgets", "Widget", "v1alpha1")
    served = around(cluster)["installation/served"]
    assert served["kubeflow.org"]["jobs"] == ["pytorchjobs"]
    assert served["example.com"]["versions"] == ["v1alpha1"]
    assert (served["apps"]["versions"], served["apps"]["jobs"]) == (["v1"], [])


def test_discovery_that_fails_is_a_failure(cluster: FakeCluster) -> None:
    cluster.fail("/apis", *[answering(503)] * 3)
    parts_of(cluster, lambda capture: capture_surroundings(capture, ()), failures=True)


def test_admission_policies_and_their_bindings(cluster: FakeCluster) -> None:
    def policy(name: str, group: str) -> KubernetesObject:
        rules = [{"apiGroups": [group], "resources": ["*"]}]
        spec = {"matchConstraints": {"resourceRules": rules}}
        return obj("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", name, spec=spec)

    bindings = [
        obj("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", name, spec={"policyName": name})
        for name in ("queues", "pods")
    ]
    put(
        cluster,
        validatingadmissionpolicies=[policy("queues", "kueue.x-k8s.io"), policy("pods", "")],
        validatingadmissionpolicybindings=bindings,
    )
    found = around(cluster)
    assert set(found["installation/validatingadmissionpolicies.admissionregistration.k8s.io"]) == {"queues"}
    assert set(found["installation/validatingadmissionpolicybindings.admissionregistration.k8s.io"]) == {"queues"}


def test_of_what_users_put_around_kueue_a_server_may_lack_some(cluster: FakeCluster) -> None:
    monitors = serve(cluster, "monitoring.coreos.com", "servicemonitors", "ServiceMonitor")
    selector = {"selector": {"matchLabels": {"app.kubernetes.io/name": "kueue"}}}
    cluster.lists[monitors] = [
        obj("monitoring.coreos.com/v1", "ServiceMonitor", "queues", "monitoring", spec=selector),
        obj("monitoring.coreos.com/v1", "ServiceMonitor", "inside", "batch-system", spec={}),
        obj("monitoring.coreos.com/v1", "ServiceMonitor", "web", "monitoring", spec={"selector": {}}),
    ]
    alerts = [{"alert": "KueueWorkloadsPending", "expr": "vector(1)"}]
    cluster.lists[serve(cluster, "monitoring.coreos.com", "prometheusrules", "PrometheusRule")] = [
        obj("monitoring.coreos.com/v1", "PrometheusRule", "alerts", "monitoring", spec={"groups": [{"rules": alerts}]})
    ]
    cluster.fail("/apis/networking.k8s.io/v1/networkpolicies", answering(404))
    found = around(cluster, "batch-system")
    assert set(found["installation/servicemonitors.monitoring.coreos.com"]) == {
        "monitoring/queues",
        "batch-system/inside",
    }
    assert set(found["installation/prometheusrules.monitoring.coreos.com"]) == {"monitoring/alerts"}
