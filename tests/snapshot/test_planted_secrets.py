"""Secrets of every kind are planted in a cluster; none may be found in a snapshot, in clear or in base64."""

import base64
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fake_cluster import SECRETS, FakeCluster, queue, workload
from kueuelift import yaml_text
from kueuelift.progress import Silence
from kueuelift_snapshot.collect import collect
from release_secrets import release, secret

PLANTED = [f"PLANTED{number:02d}x{number * 7919 % 100000:05d}" for number in range(40)]


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def kubeconfig(token: str) -> str:
    return f"apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers:\n- name: a\n  user: {{token: {token}}}\n"


def planted_workload(take: Any) -> dict[str, Any]:
    obj = workload(1, env=[{"name": "HARMLESS", "value": take()}])
    pod = obj["spec"]["podSets"][0]["template"]["spec"]
    pod["initContainers"] = [{"name": "i", "env": [{"name": "B", "value": take()}], "args": [f"--password={take()}"]}]
    pod["containers"][0]["command"] = ["run", "--token", take()]
    pod["containers"][0]["args"] = ["sh", "-c", f"curl -H 'Authorization: Bearer {take()}' https://me:{take()}@host/"]
    obj["metadata"]["annotations"] = {
        "example.com/api-token": take(),
        "example.com/source": f"https://robot:{take()}@git.example/x.git",
        "kubectl.kubernetes.io/last-applied-configuration": json.dumps(
            {
                "apiVersion": "kueue.x-k8s.io/v1beta1",
                "kind": "Workload",
                "metadata": {"annotations": {"example.com/api-token": take()}},
                "spec": {"containers": [{"env": [{"name": "A", "value": take()}]}], "url": f"amqp://u:{take()}@mq"},
            }
        ),
        "example.com/config": json.dumps({"db": {"password": take()}, "list": [{"apiKey": take()}]}),
    }
    obj["status"] = {"conditions": [{"type": "Failed", "message": f"cannot pull https://u:{take()}@registry/x"}]}
    return obj


def planted_queue(take: Any) -> dict[str, Any]:
    obj = queue("shared")
    obj["metadata"]["annotations"] = {"password": take(), "kubeconfig": kubeconfig(take())}
    return obj


def planted_manifest(take: Any, repeated: str) -> str:
    data = {"a": b64(take()), "b": b64(take())}
    pod = {
        "containers": [
            {
                "name": "manager",
                "env": [{"name": "X", "value": take()}],
                "args": ["--config=/controller_manager_config.yaml", f"--db={repeated}"],
            }
        ]
    }
    annotation = json.dumps({"kind": "Secret", "stringData": {"c": take()}})
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": data, "stringData": {"c": take()}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"x.ini": f"pw = {take()}"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "k"}, "binaryData": {"x": b64(take())}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": "kueue",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": annotation},
            },
            "spec": {"template": {"spec": pod}},
        },
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "n"}, "data": {"a": b64(take())}}],
        },
    ]
    return "".join(f"---\n# {take()}\n{yaml_text.dump(obj)}" for obj in objects)


def planted_release(take: Any) -> dict[str, Any]:
    repeated = take()
    values = {
        "database": {"password": repeated, "host": take(), "port": 5432, "replicas": [take(), {"deep": take()}]},
        "controllerManager": {"replicas": 2, "sidecar": {"authToken": take()}},
        "kueueViz": {"backend": {"env": [{"name": "A", "value": take()}]}},
        "metrics": {"remoteWrite": f"https://u:{take()}@prometheus/write"},
        "managerConfig": {
            "controllerManagerConfigYaml": "apiVersion: config.kueue.x-k8s.io/v1beta1\n"
            f"kind: Configuration\n# https://u:{take()}@wiki/\n"
        },
    }
    return release(config=values, manifest=planted_manifest(take, repeated))


@pytest.fixture
def written(tmp_path: Path) -> tuple[dict[str, bytes], list[str]]:
    """Every file of the snapshot, compressed ones unpacked; and the secrets that were planted."""
    remaining = list(PLANTED)
    used: list[str] = []

    def take() -> str:
        used.append(remaining.pop(0))
        return used[-1]

    cluster = FakeCluster()
    cluster.install()
    cluster.add(planted_workload(take), planted_queue(take))
    cluster.lists[SECRETS] = [secret(planted_release(take))]
    captured = collect(
        cluster,
        tmp_path / "snapshot",
        server=f"https://u:{take()}@cluster.example",
        token_key=tmp_path / "key",
        progress=Silence(),
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert captured.complete
    files = {path.relative_to(captured.path).as_posix(): path for path in captured.path.rglob("*") if path.is_file()}
    return {
        name: gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
        for name, path in files.items()
    }, used


def forms(planted: str) -> list[bytes]:
    """A secret as it is, and its base64 at each of the three places it can begin within a longer text."""
    found = [planted.encode()]
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + planted.encode()).rstrip(b"=")
        found.append(encoded[(shift * 8 + 5) // 6 : -1])
    return found


def test_none_of_them_is_written(written: tuple[dict[str, bytes], list[str]]) -> None:
    files, used = written
    assert len(used) >= 30
    found = [
        (planted, name)
        for planted in used
        for name, content in files.items()
        if any(form in content for form in forms(planted))
    ]
    assert not found


def test_the_search_would_find_them() -> None:
    for shift in range(3):
        hidden = base64.b64encode(b"x" * shift + PLANTED[0].encode() + b"yy")
        assert any(form in hidden for form in forms(PLANTED[0]))


def test_what_is_no_secret_is_still_there(written: tuple[dict[str, bytes], list[str]]) -> None:
    files, _ = written
    assert b"replicas: 2" in files["helm/kueue-system/kueue/v1/values.yaml"]
    assert b"config.kueue.x-k8s.io/v1beta1" in files["helm/kueue-system/kueue/v1/values.yaml"]
    assert b"--config=/controller_manager_config.yaml" in files["helm/kueue-system/kueue/v1/manifest.yaml"]
    assert b"registry.example/work:1" in files["workloads/team-a.jsonl.gz"]


def test_the_key_lies_beside_the_snapshot_only(written: tuple[dict[str, bytes], list[str]], tmp_path: Path) -> None:
    files, _ = written
    key = (tmp_path / "key").read_bytes().strip()
    assert len(key) == 64
    assert not any(key in content or bytes.fromhex(key.decode()) in content for content in files.values())
