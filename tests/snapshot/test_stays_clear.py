"""What rules and plans need is written as it is: redaction must not take it for a secret."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueue_objects import STRATEGIES
from kueuelift import yaml_text
from kueuelift.crd import bundled
from kueuelift.kinds import GROUP
from kueuelift.redaction import TokenKey
from kueuelift_snapshot.redaction import Redactor

REDACTOR = Redactor(TokenKey(b"k" * 32))

CONFIGURATION = """\
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
# the token bucket of the client
clientConnection: {qps: 50, burst: 100}
internalCertManagement: {enable: true, webhookServiceName: w, webhookSecretName: kueue-webhook-server-cert}
multiKueue:
  clusterProfile:
    credentialsProviders:
    - name: cloud
      execConfig: {command: /bin/get, apiVersion: client.authentication.k8s.io/v1}
manageJobsWithoutQueueName: false
integrations:
  frameworks: [batch/job, ray.io/rayjob]
  podOptions:
    namespaceSelector: {matchExpressions: [{key: secret, operator: NotIn, values: [a]}]}
resources: {excludeResourcePrefixes: [example.com/token]}
featureGates: {TopologyAwareScheduling: true}
"""

MANAGER: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "kueue-controller-manager",
        "labels": {"env": "prod", "token": "ring-1", "helm.sh/chart": "kueue-0.10.0"},
        "annotations": {"deployment.kubernetes.io/revision": "3", "meta.helm.sh/release-name": "kueue"},
        "managedFields": [{"manager": "helm", "fieldsV1": {"f:spec": {"f:env": {'k:{"name":"PASSWORD"}': {}}}}}],
    },
    "spec": {
        "selector": {"matchLabels": {"env": "prod", "control-plane": "controller-manager"}},
        "template": {
            "metadata": {"labels": {"env": "prod"}},
            "spec": {
                "automountServiceAccountToken": True,
                "serviceAccountName": "kueue",
                "imagePullSecrets": [{"name": "registry"}],
                "nodeSelector": {"example.com/secret": "yes", "env": "prod"},
                "tolerations": [{"key": "token", "operator": "Equal", "value": "a", "effect": "NoSchedule"}],
                "containers": [
                    {
                        "name": "manager",
                        "image": "registry.example:5000/kueue/kueue@sha256:" + "ab12" * 16,
                        "command": ["/manager"],
                        "args": [
                            "--config=/controller_manager_config.yaml",
                            "--zap-log-level=2",
                            "--feature-gates=TopologyAwareScheduling=true,MultiKueueTokenX=false",
                            "--kubeconfig=/etc/kubernetes/manager.conf",
                            "--webhook-secret-name=hook",
                            "--metrics-bind-address=:8443",
                            "--max-num-batched-tokens=8192",
                            "--conf=spark.dynamicAllocation.enabled=true",
                        ],
                        "envFrom": [{"secretRef": {"name": "s"}}, {"configMapRef": {"name": "c"}}],
                        "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
                        "resources": {"limits": {"cpu": "2", "example.com/token": "4"}, "requests": {"memory": "1Gi"}},
                        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8081}},
                    }
                ],
                "volumes": [
                    {"name": "cert", "secret": {"secretName": "hook", "defaultMode": 420}},
                    {
                        "name": "identity",
                        "projected": {
                            "sources": [
                                {"serviceAccountToken": {"path": "token", "audience": "a", "expirationSeconds": 3600}},
                                {"secret": {"name": "s", "items": [{"key": "password", "path": "p"}]}},
                            ]
                        },
                    },
                ],
            },
        },
    },
    "status": {"conditions": [{"type": "Available", "message": "Deployment has minimum availability."}]},
}

SURROUNDINGS: list[dict[str, Any]] = [
    MANAGER,
    {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"controller_manager_config.yaml": CONFIGURATION}},
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "hook"},
        "spec": {"selector": {"env": "prod", "password": "no"}, "ports": [{"name": "token", "port": 443}]},
    },
    {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta1.visibility.kueue.x-k8s.io"},
        "spec": {"caBundle": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUR4akNDQXE0", "service": {"name": "v"}},
    },
    {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "webhooks": [
            {
                "name": "mpod.kb.io",
                "clientConfig": {"caBundle": "eyJhIjoxfQ==", "url": "https://hook.example:9443/mutate"},
                "matchConditions": [{"name": "c", "expression": "object.spec.token == 'x' && 'secret' in object"}],
                "namespaceSelector": {"matchLabels": {"env": "prod"}},
            }
        ],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "rules": [{"apiGroups": [""], "resources": ["secrets", "serviceaccounts/token"], "verbs": ["get"]}],
    },
    {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "kueue"},
        "secrets": [{"name": "kueue-token-abcde"}],
        "automountServiceAccountToken": False,
    },
    {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "spec": {
            "chart": {
                "spec": {"chart": "kueue", "version": "0.10.0", "sourceRef": {"kind": "HelmRepository", "name": "k"}}
            },
            "values": {
                "controllerManager": {
                    "replicas": 2,
                    "featureGates": [{"name": "TopologyAwareScheduling", "enabled": True}],
                    "manager": {"image": {"tag": "v0.10.0"}, "resources": {"limits": {"cpu": "2"}}},
                },
                "kueueViz": {"backend": {"auth": {"mode": "tokenReview", "tokenReviewConfig": {"cacheTTL": "1m"}}}},
                "managerConfig": {"controllerManagerConfigYaml": CONFIGURATION},
                "enableKueueViz": False,
            },
            "valuesFrom": [{"kind": "Secret", "name": "values", "valuesKey": "token"}],
            "kubeConfig": {"secretRef": {"name": "worker", "key": "value"}},
            "suspend": False,
        },
    },
    {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "spec": {
            "path": "./kueue",
            "images": [{"name": "kueue", "newTag": "v0.10.0"}],
            "postBuild": {
                "substitute": {"kueue_version": "v0.10.0"},
                "substituteFrom": [{"kind": "Secret", "name": "s"}],
            },
            "patches": [
                {"target": {"kind": "Deployment"}, "patch": "- op: replace\n  path: /spec/replicas\n  value: 3\n"}
            ],
            "decryption": {"provider": "sops", "secretRef": {"name": "age"}},
        },
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "kueue", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
        "spec": {
            "source": {
                "repoURL": "oci://registry.k8s.io/kueue/charts",
                "chart": "kueue",
                "targetRevision": "0.10.0",
                "helm": {
                    "parameters": [
                        {"name": "controllerManager.manager.image.tag", "value": "v0.10.0", "forceString": True}
                    ],
                    "values": "# ours\ncontrollerManager:\n  replicas: 2\n",
                    "valuesObject": {
                        "enableCertManager": True,
                        "managerConfig": {"controllerManagerConfigYaml": CONFIGURATION},
                    },
                    "fileParameters": [{"name": "managerConfig.x", "path": "files/x"}],
                },
            },
            "syncPolicy": {"automated": {"prune": True}},
        },
        "status": {"resources": [{"kind": "Secret", "name": "hook", "namespace": "kueue-system", "version": "v1"}]},
    },
    {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
            "annotations": {"kueue.x-k8s.io/job-min-parallelism": "2"},
        },
        "spec": {"suspend": True, "parallelism": 3, "managedBy": "kueue.x-k8s.io/multikueue"},
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {
                "kueue.x-k8s.io/pod-suspending-parent": "deployment",
                "kueue.x-k8s.io/pod-group-total-count": "3",
            },
            "finalizers": ["kueue.x-k8s.io/managed"],
        },
        "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}], "priorityClassName": "high"},
    },
    {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "spec": {
            "enableInTreeAutoscaling": True,
            "autoscalerOptions": {"idleTimeoutSeconds": 60},
            "authOptions": {"mode": "token"},
            "headGroupSpec": {"rayStartParams": {"num-cpus": "2"}},
            "workerGroupSpecs": [{"groupName": "a", "replicas": 1, "minReplicas": 0, "maxReplicas": 4}],
        },
    },
    {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "spec": {
            "dynamicAllocation": {"enabled": True, "minExecutors": 1, "maxExecutors": 9},
            "sparkConf": {"spark.dynamicAllocation.enabled": "true", "spark.executor.instances": "4"},
            "executor": {
                "instances": 4,
                "memory": "512m",
                "secrets": [{"name": "s", "path": "/p", "secretType": "Generic"}],
            },
        },
    },
]


@pytest.mark.parametrize("obj", SURROUNDINGS, ids=lambda obj: str(obj["kind"]))
def test_what_surrounds_kueue_keeps_what_rules_read(obj: dict[str, Any]) -> None:
    redacted = REDACTOR.of_object(obj)
    assert redacted.value == obj
    assert redacted.tokens == 0


@pytest.mark.parametrize("obj", SURROUNDINGS, ids=lambda obj: str(obj["kind"]))
def test_a_last_applied_copy_of_it_keeps_its_bytes(obj: dict[str, Any]) -> None:
    copies = {
        "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(obj, indent=1)}}
    }
    assert REDACTOR.of_object(copies).value == copies


def test_a_custom_resource_definition_keeps_its_bytes() -> None:
    for release in ("0.12.2", "0.17.0"):
        for crd in bundled(release, service=None).values():
            assert REDACTOR.of_object(crd).value == crd


NAMES_THAT_TELL = ["env", "args", "command", "data", "password", "token", "message", "options", "annotations", "values"]


@pytest.mark.parametrize("name", NAMES_THAT_TELL)
def test_labels_and_specifications_of_kueues_kinds_may_have_any_name(name: str) -> None:
    """Undo writes them back; a token there would be written into a cluster."""
    flavor = {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "ResourceFlavor",
        "metadata": {"name": "a", "labels": {name: "prod"}},
        "spec": {"nodeLabels": {name: "prod"}, "nodeTaints": [{"key": name, "value": "prod", "effect": "NoSchedule"}]},
    }
    queue = {
        "apiVersion": f"{GROUP}/v1beta2",
        "kind": "ClusterQueue",
        "spec": {
            "namespaceSelector": {"matchLabels": {name: "prod"}},
            "resourceGroups": [{"coveredResources": [name]}],
        },
    }
    parameters = {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "ProvisioningRequestConfig",
        "spec": {"parameters": {name: "x"}},
    }
    for obj in (flavor, queue, parameters):
        assert REDACTOR.of_object(obj).value == obj


@given(st.sampled_from(sorted(STRATEGIES)).flatmap(STRATEGIES.__getitem__))
def test_no_specification_of_a_kueue_kind_is_altered(obj: dict[str, Any]) -> None:
    cleaned = REDACTOR.of_object(obj).value
    assert {key: item for key, item in cleaned.items() if key != "metadata"} == {
        key: item for key, item in obj.items() if key != "metadata"
    }
    assert cleaned["metadata"].get("labels") == obj["metadata"].get("labels")


@pytest.mark.parametrize(
    "message",
    [
        "couldn't assign flavors to pod set main: insufficient quota for example.com/token in flavor a, 4 more needed",
        'Can\'t find the Secret "worker1": secrets "worker1" not found',
        "load client config failed: secret not found",
        "The workload was preempted (UID: 6f1d2c3b-0000-4000-8000-000000000001, JobUID: 6f1d) due to prioritization",
        'topology "default" allows to fit only 2 out of 3 pod(s)',
        "Previously: Preempted to accommodate a workload",
        "object to bind; token requests are fine; authorization mode: rbac",
    ],
)
def test_sentences_of_kueue_are_not_taken_for_secrets(message: str) -> None:
    obj = {"apiVersion": f"{GROUP}/v1beta1", "kind": "Workload", "status": {"conditions": [{"message": message}]}}
    assert REDACTOR.of_object(obj).value == obj


def test_the_chart_of_kueue_keeps_its_values() -> None:
    values = SURROUNDINGS[7]["spec"]["values"]
    release = REDACTOR.of_release(values, SURROUNDINGS, kueue_chart=True)
    assert release.values.value == values
    assert release.manifest.value == SURROUNDINGS


def test_a_password_in_the_configuration_goes_and_the_rest_stays() -> None:
    text = CONFIGURATION + "metrics: {password: hunter22}\n"
    config_map = {"kind": "ConfigMap", "data": {"controller_manager_config.yaml": text}}
    cleaned = REDACTOR.of_object(config_map).value["data"]["controller_manager_config.yaml"]
    assert "hunter22" not in cleaned
    wanted = next(iter(yaml_text.load_all(CONFIGURATION, "the configuration")))
    found = next(iter(yaml_text.load_all(cleaned, "the redacted one")))
    assert {key: item for key, item in found.items() if key != "metrics"} == wanted
