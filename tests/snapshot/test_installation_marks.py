"""What is taken for a manager of Kueue or for an operator beside it, and what is not."""

import pytest

from installed_parts import deployment
from kueuelift_snapshot.installation_marks import repository, runs_kueue, runs_operator


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
