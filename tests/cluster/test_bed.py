"""The bed itself: what it starts is real, and nothing of it stays."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bed import kueue as kueue_release
from bed.api import ApiError
from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.job import submit_job, wait_admitted
from bed.kueue import Kueue
from bed.node import Node
from bed.programs import Programs, locate
from bed.queue import queue_with_quota

pytestmark = pytest.mark.cluster

DEPLOYMENT = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"


def test_the_api_server_answers_by_client_and_by_kubectl(control_plane: ControlPlane) -> None:
    assert control_plane.api.get("/version")["gitVersion"] == "v1.35.4"
    assert "default" in control_plane.kubectl("get", "namespaces").stdout


def test_a_user_without_a_role_is_refused(control_plane: ControlPlane) -> None:
    with pytest.raises(BedError, match='User "reader" cannot list resource "namespaces"'):
        control_plane.kubectl("get", "namespaces", user="reader")


def test_a_failed_call_names_its_status(control_plane: ControlPlane) -> None:
    with pytest.raises(ApiError) as caught:
        control_plane.api.get("/api/v1/namespaces/nowhere")
    assert caught.value.status == 404
    assert control_plane.api.find("/api/v1/namespaces/nowhere") is None


def test_helm_waits_for_the_real_manager_and_a_job_is_admitted(kueue: Kueue) -> None:
    kueue.cluster.helm("upgrade", "kueue", str(kueue.cluster.programs.chart), "-n", "kueue-system", "--wait")
    queue_with_quota(kueue.cluster, namespace="team-a", name="free")
    submit_job(kueue.cluster, name="first", namespace="team-a", queue="free")
    workload = wait_admitted(kueue.cluster, name="first", namespace="team-a")
    assert workload["status"]["admission"]["clusterQueue"] == "free"


def test_the_manager_has_the_rights_of_its_chart_only(kueue: Kueue) -> None:
    assert kueue.manager
    done = kueue.cluster.kubectl(
        f"--kubeconfig={kueue.manager.directory / 'kubeconfig'}", "auth", "can-i", "delete", "nodes", check=False
    )
    assert done.stdout.strip() == "no"


def test_scale_to_zero_stops_the_manager_and_one_starts_it_again(clean_cluster: ControlPlane) -> None:
    with Node(clean_cluster, clean_cluster.programs) as node:
        kueue_release.install(clean_cluster)
        first = node.await_manager()
        clean_cluster.api.merge(DEPLOYMENT, {"spec": {"replicas": 0}})
        node.await_stopped()
        assert not first.process.running
        with pytest.raises(BedError, match="502 Bad Gateway"):
            clean_cluster.kubectl("create", "job", "refused", "--image=registry.example/work:1")
        clean_cluster.api.merge(DEPLOYMENT, {"spec": {"replicas": 1}})
        assert node.await_manager().process.handle.pid != first.process.handle.pid
        clean_cluster.helm("uninstall", "kueue", "-n", "kueue-system")
        node.await_stopped()
    assert not any(child.running for child in node.children)


def test_nothing_is_left_when_the_body_fails(programs: Programs) -> None:
    cluster = ControlPlane(programs)
    node = Node(cluster, programs)

    def fail_with_a_manager() -> None:
        with cluster, node:
            kueue_release.install(cluster)
            node.await_manager()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_with_a_manager()
    children = [*cluster.children, *node.children]
    assert len(children) == 3
    assert not any(child.running for child in children)
    assert not cluster.directory.exists()


def test_a_start_that_fails_shows_the_end_of_the_log(programs: Programs, tmp_path: Path) -> None:
    broken = tmp_path / "kube-apiserver"
    broken.write_text("#!/bin/sh\necho no such flag\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    cluster = ControlPlane(replace(programs, kube_apiserver=broken))
    with pytest.raises(BedError, match="no such flag"), cluster:
        pass
    assert not any(child.running for child in cluster.children)


def test_without_programs_the_bed_says_how_to_build_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path))
    with pytest.raises(BedError, match=r"lacks etcd, .*run `make testbed`"):
        locate()
