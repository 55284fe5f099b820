"""What is taken for a manager of Kueue or for an operator beside it, and what is not."""

import json

import pytest

from installed_parts import deployment
from kueuelift.redaction import TokenKey, is_token
from kueuelift_snapshot.installation_marks import (
    external_frameworks,
    holds_configuration,
    is_kueues_role,
    mentions_kueue,
    repository,
    runs_kueue,
    runs_operator,
)
from kueuelift_snapshot.redaction import Redactor
from part_recorder import obj

VERSION = "config.kueue.x-k8s.io/v1beta1"
REDACTOR = Redactor(TokenKey(b"k" * 32))


@pytest.mark.parametrize(
    ("name", "image", "labels"),
    [
        ("kueue-controller-manager", "registry.k8s.io/kueue/kueue:v0.12.2", {}),
        ("batch-controller-manager", "mirror.example:5000/mirrors/kueue-kueue@sha256:00", {}),
        ("kueue-extension", "mcr.example/oss/v2/agent:1", {}),
        ("x-kueueviz-backend", "mirror.example/approved/4711:1", {}),
        ("populator", "mirror.example/kueue-populator:main", {}),
        ("boss", "mirror.example/approved/4711:1", {"app.kubernetes.io/part-of": "kueue"}),
    ],
)
def test_what_runs_a_manager(name: str, image: str, labels: dict[str, str]) -> None:
    assert runs_kueue(deployment(name, image, labels=labels))
    assert runs_kueue(deployment(name, image, pods=labels or {"app": "x"}))


@pytest.mark.parametrize(
    ("name", "image", "labels"),
    [
        ("serving", "mirror.example/team/serving:1", {"kueue.x-k8s.io/queue-name": "main"}),
        ("controller-manager", "mirror.example/other/manager:1", {"control-plane": "controller-manager"}),
        ("web", "kueue.example:5000/team/web:1", {}),
    ],
)
def test_what_does_not(name: str, image: str, labels: dict[str, str]) -> None:
    assert not runs_kueue(deployment(name, image, labels=labels, pods=labels))


def test_the_pods_behind_a_service_that_kueue_calls_run_a_manager() -> None:
    hidden = deployment("boss", "mirror.example/approved/4711:1", pods={"app": "boss", "hash": "1"})
    assert runs_kueue(hidden, [{"app": "boss"}])
    assert not runs_kueue(hidden, [{"app": "other"}, {}, None])


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("registry.k8s.io/kueue/kueue:v0.12.2", "kueue/kueue"),
        ("mirror.example:5000/a/kueue:v1@sha256:12", "a/kueue"),
        ("localhost/kueue", "kueue"),
        ("library/busybox", "library/busybox"),
        ("busybox:1", "busybox"),
    ],
)
def test_the_repository_of_an_image(image: str, path: str) -> None:
    assert repository(image) == path


@pytest.mark.parametrize(
    ("image", "known"),
    [
        ("ghcr.io/kubeflow/spark-operator/controller:2.3.0", True),
        ("mirror.example/kubeflow-spark-operator:2.3.0", True),
        ("quay.io/kuberay/operator:v1.3", True),
        ("registry.k8s.io/lws/lws:v0.6.0", True),
        ("ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.0", True),
        ("mirror.example/team/personal-trainer:1", False),
        ("mirror.example/team/allowlws:1", False),
    ],
)
def test_operators_whose_version_matters(image: str, known: bool) -> None:
    assert runs_operator(deployment("controller", image)) is known


@pytest.mark.parametrize(
    "text",
    [
        f"apiVersion: {VERSION}\nkind: Configuration\n",
        f"kind: Configuration\napiVersion: '{VERSION}' # of the manager\n",
        f"{{apiVersion: {VERSION}, kind: Configuration}}\n",
        f"{{kind: Configuration, apiVersion: {VERSION}}}",
        json.dumps({"kind": "Configuration", "apiVersion": VERSION}),
        json.dumps({"kind": "Configuration", "apiVersion": VERSION}, indent=2),
        f"# of the chart\n---\na: b\n---\napiVersion:\n  {VERSION}\nkind: Configuration\n",
    ],
)
def test_a_configuration_is_kept_and_stays_clear(text: str) -> None:
    config_map = obj("v1", "ConfigMap", "c", "n", data={"settings": text})
    assert holds_configuration(config_map)
    assert REDACTOR.of_object(config_map).value == config_map


@pytest.mark.parametrize(
    "text",
    [
        f"see: {VERSION}\n",
        f"# apiVersion: {VERSION}\nuser: root\n",
        f"apiVersion: old.{VERSION}\nkind: Configuration\n",
        f"config: |\n  apiVersion: {VERSION}\n  kind: Configuration\n",
        f"- apiVersion: {VERSION}\n",
        "apiVersion: v1\nkind: Configuration\n",
        "apiVersion: [config.kueue.x-k8s.io/v1beta1]\n",
        f"{VERSION}",
    ],
)
def test_what_is_no_configuration_is_left_out_and_hidden(text: str) -> None:
    config_map = obj("v1", "ConfigMap", "c", "n", data={"settings": text})
    assert not holds_configuration(config_map)
    assert is_token(REDACTOR.of_object(config_map).value["data"]["settings"])


@pytest.mark.parametrize("text", [f"apiVersion: {VERSION}\na: b: c\n", f"{{kind: Configuration, apiVersion: {VERSION}"])
def test_a_configuration_that_no_manager_could_read_is_kept_and_hidden(text: str) -> None:
    config_map = obj("v1", "ConfigMap", "c", "n", data={"settings": text})
    assert holds_configuration(config_map)
    assert is_token(REDACTOR.of_object(config_map).value["data"]["settings"])
    assert not list(external_frameworks(config_map))


def test_only_a_configuration_names_frameworks() -> None:
    named = {"integrations": {"externalFrameworks": ["A.v1.example.com"]}}
    own = json.dumps({"kind": "Configuration", "apiVersion": VERSION} | named)
    other = json.dumps({"apiVersion": "example.com/v1"} | {"integrations": {"externalFrameworks": ["B.v1.b"]}})
    config_map = obj("v1", "ConfigMap", "c", "n", data={"settings": f"{other}\n---\n{own}", "other": other})
    assert list(external_frameworks(config_map)) == ["A.v1.example.com"]


@pytest.mark.parametrize("name", ["kueue-batch-user-role", "Kueue:admins", "team:KUEUE"])
def test_names_of_roles_may_be_written_in_any_case(name: str) -> None:
    role = obj("rbac.authorization.k8s.io/v1", "ClusterRole", name, rules=[])
    assert mentions_kueue(role)
    assert is_kueues_role(role)


def test_a_label_may_name_kueue() -> None:
    assert mentions_kueue(obj("v1", "Service", "x", "n", labels={"app.kubernetes.io/part-of": "Kueue"}))
    assert not mentions_kueue(obj("v1", "Service", "x", "n", labels={"kueue.x-k8s.io/queue-name": "main"}))
