"""What apply refuses, in one sentence, with the right exit code, and with nothing changed in the cluster."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bed.control_plane import ControlPlane
from bed.journey import Journey
from bed.kueue import Kueue
from bed.node import Node
from bed.programs import Programs
from bed.scenario import seed

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def planned(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    with ControlPlane(programs) as cluster, Node(cluster, programs):
        seed(cluster, workloads=20)
        journey = Journey(cluster=cluster, folder=tmp_path_factory.mktemp("refusals"))
        assert journey.snapshot().returncode == 0
        assert journey.transform().returncode == 0
        yield journey


@pytest.fixture(autouse=True)
def _unchanged(planned: Journey) -> Iterator[None]:
    """After each test the cluster is as before it."""
    before = planned.cluster.kubectl(
        "get", "crd,deployments,validatingwebhookconfigurations,secrets", "-A", "-o", "json"
    )
    yield
    after = planned.cluster.kubectl(
        "get", "crd,deployments,validatingwebhookconfigurations,secrets", "-A", "-o", "json"
    )
    assert json.loads(after.stdout)["items"] == json.loads(before.stdout)["items"]


def _sentence(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, stderr
    assert "Traceback" not in stderr
    return lines[0]


def _approved(journey: Journey, plan: str = "plan") -> list[str]:
    return ["apply", plan, "--expect-digest", journey.plan_digest]


def test_another_cluster_than_the_plans(planned: Journey, kueue: Kueue) -> None:
    elsewhere = Journey(cluster=kueue.cluster, folder=planned.folder)
    for words in (_approved(planned), ["verify", "plan"]):
        done = elsewhere.run(*words)
        assert done.returncode == 4
        assert "the plan is for" in _sentence(done.stderr)


def test_a_plan_altered_after_sealing(planned: Journey) -> None:
    shutil.copytree(planned.plan_dir, planned.folder / "altered")
    crd = planned.folder / "altered" / "crds" / "0.17.0" / "cohorts.yaml"
    crd.write_text(crd.read_text().replace("v1beta2", "v1beta3", 1))
    done = planned.run(*_approved(planned, "altered"))
    assert done.returncode == 4
    assert "crds/0.17.0/cohorts.yaml: altered after sealing" in _sentence(done.stderr)


def test_another_digest_than_the_approved_one(planned: Journey) -> None:
    done = planned.run("apply", "plan", "--expect-digest", f"sha256:{'0' * 64}")
    assert done.returncode == 4
    assert "approved" in _sentence(done.stderr)


def test_no_approval_and_nobody_to_ask(planned: Journey) -> None:
    done = planned.run("apply", "plan")
    assert done.returncode == 4
    assert "not approved" in _sentence(done.stderr)


def test_an_unknown_phase(planned: Journey) -> None:
    done = planned.run(*_approved(planned), "--phase", "everything")
    assert done.returncode == 2
    assert "its phases are prepare, stop, bridge, install, migrate, verify" in _sentence(done.stderr)


def test_a_phase_before_its_turn(planned: Journey) -> None:
    for phase, reason in (("bridge", "manager runs"), ("migrate", "storage version is v1beta1")):
        done = planned.run(*_approved(planned), "--phase", phase)
        assert done.returncode == 1, done.stderr
        assert reason in _sentence(done.stderr)


def test_a_user_without_rights(planned: Journey) -> None:
    done = planned.run(*_approved(planned), user="reader")
    assert done.returncode == 1
    assert "forbidden" in _sentence(done.stderr)
    assert 'namespaces "kube-system"' in done.stderr


def test_objects_that_changed_since_the_snapshot(planned: Journey) -> None:
    queue = "/apis/kueue.x-k8s.io/v1beta1/namespaces/team-a/localqueues/free"
    api = planned.cluster.api
    api.merge(queue, {"spec": {"stopPolicy": "Hold"}})
    try:
        done = planned.run(*_approved(planned), "--phase", "prepare")
    finally:
        api.merge(queue, {"spec": {"stopPolicy": "None"}})
    assert done.returncode == 4
    assert "LocalQueue team-a/free: changed: spec.stopPolicy: 'None' -> 'Hold'" in _sentence(done.stderr)
    assert "--accept-drift 'LocalQueue team-a/free'" in done.stderr


def test_an_expired_token(planned: Journey, tmp_path: Path) -> None:
    config = json.loads(planned.cluster.kubectl("config", "view", "--raw", "-o", "json").stdout)
    for user in config["users"]:
        user["user"] = {"token": "expired"}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    done = planned.run(*_approved(planned), "--kubeconfig", str(kubeconfig))
    assert done.returncode == 1
    assert "credentials were refused (401)" in _sentence(done.stderr)


def test_an_unreachable_server(planned: Journey, tmp_path: Path) -> None:
    config = json.loads(planned.cluster.kubectl("config", "view", "--raw", "-o", "json").stdout)
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    done = planned.run(*_approved(planned), "--kubeconfig", str(kubeconfig))
    assert done.returncode == 1
    assert "https://127.0.0.1:9: cannot be reached" in _sentence(done.stderr)


@pytest.mark.parametrize("words", [["--kubeconfig", "/nonexistent"], ["--context", "nobody"]])
def test_no_usable_kubeconfig(planned: Journey, words: list[str]) -> None:
    done = planned.run(*_approved(planned), *words)
    assert done.returncode == 1
    assert "kubeconfig" in _sentence(done.stderr)
