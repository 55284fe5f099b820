"""What the node decides, without a cluster."""

from pathlib import Path
from typing import Any

import pytest

from bed import deployment as deployments
from bed import manager_configuration


def deployment(image: str = "registry.k8s.io/kueue/kueue:v0.17.0", replicas: int = 1) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "manager", "image": image}]}}
    metadata = {"name": "kueue-controller-manager", "namespace": "kueue-system", "uid": "1", "generation": 3}
    return {"metadata": metadata, "spec": {"replicas": replicas, "template": template}}


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("registry.k8s.io/kueue/kueue:v0.17.0", "v0.17.0"),
        ("mirror.example:5000/kueue:v0.17.0@sha256:abc", "v0.17.0"),
        ("mirror.example:5000/kueue", ""),
    ],
)
def test_the_tag_of_an_image(image: str, tag: str) -> None:
    assert deployments.image_tag(deployment(image)) == tag


def test_a_status_differs_until_it_is_written() -> None:
    live = deployment()
    wanted = deployments.status(live, running=1, ready=True)
    assert deployments.differs(live, wanted)
    assert not deployments.differs({**live, "status": wanted}, wanted)
    assert deployments.differs({**live, "status": wanted}, deployments.status(live, running=1, ready=False))


def test_scaled_to_zero_is_available_with_no_replicas() -> None:
    status = deployments.status(deployment(replicas=0), running=0, ready=False)
    assert status["replicas"] == 0
    assert status["conditions"][0] | {"message": ""} == {
        "type": "Available",
        "status": "True",
        "reason": "MinimumReplicasAvailable",
        "message": "",
    }


def test_a_changed_template_is_another_manager() -> None:
    assert deployments.template_hash(deployment()) == deployments.template_hash(deployment(replicas=2))
    assert deployments.template_hash(deployment()) != deployments.template_hash(deployment("kueue:v0.18.1"))


def test_the_configuration_keeps_all_but_addresses_election_and_frameworks() -> None:
    text = """
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
waitForPodsReady: {enable: true}
leaderElection: {leaderElect: true, resourceName: x}
integrations: {frameworks: [pod], externalFrameworks: [a.b.c]}
"""
    made = manager_configuration.on_loopback(
        text, webhook_port=1, health_port=2, metrics_port=3, certificates=Path("certs")
    )
    assert made == {
        "apiVersion": "config.kueue.x-k8s.io/v1beta1",
        "kind": "Configuration",
        "waitForPodsReady": {"enable": True},
        "leaderElection": {"leaderElect": False, "resourceName": "x"},
        "integrations": {"frameworks": ["batch/job"], "externalFrameworks": ["a.b.c"]},
        "health": {"healthProbeBindAddress": "127.0.0.1:2"},
        "metrics": {"bindAddress": "127.0.0.1:3"},
        "webhook": {"host": "127.0.0.1", "port": 1, "certDir": "certs"},
    }


@pytest.mark.parametrize(
    ("own", "gates_in_file", "made"),
    [
        (
            ["--config=/c", "--zap-log-level=2"],
            False,
            ["--zap-log-level=2", "--feature-gates=VisibilityOnDemand=false"],
        ),
        (["--feature-gates=A=true"], False, ["--feature-gates=A=true,VisibilityOnDemand=false"]),
        (["--zap-log-level=2"], True, ["--zap-log-level=2"]),
    ],
)
def test_the_arguments_are_merged(own: list[str], gates_in_file: bool, made: list[str]) -> None:
    arguments = manager_configuration.arguments(own, path=Path("mine"), gates_in_file=gates_in_file)
    assert arguments == ["--config=mine", *made]
