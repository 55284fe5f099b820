"""Hundreds of secrets of every kind are planted in a cluster; none may be found in what is written or told."""

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

import planted_objects
from fake_cluster import BUILT_IN, SECRETS, FakeCluster, answering, path_of
from kueuelift import yaml_text
from kueuelift.cli import run
from kueuelift.model import KubernetesObject
from kueuelift.redaction import KEY_FILE, TokenKey
from kueuelift_snapshot.redaction import Redactor
from part_recorder import serve
from planted_release import planted_release
from release_secrets import release, secret

CUSTOM = {
    "AppWrapper": "appwrappers",
    "Application": "applications",
    "HelmRelease": "helmreleases",
    "HelmRepository": "helmrepositories",
    "JobSet": "jobsets",
    "Kustomization": "kustomizations",
    "LeaderWorkerSet": "leaderworkersets",
    "RayJob": "rayjobs",
    "SparkApplication": "sparkapplications",
}


class Planted:
    """Takes one secret after the other and knows them all."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def __call__(self) -> str:
        number = len(self.taken)
        self.taken.append(f"PLANTED{number:03d}x{number * 7919 % 100000:05d}")
        return self.taken[-1]


def encodings(planted: str) -> Iterator[bytes]:
    """A secret in each of the forms in which somebody could still read it."""
    yield planted.encode()
    yield quote(planted, safe="").encode()
    yield planted.encode().hex().encode()
    yield json.dumps(planted)[1:-1].encode()
    for once in within_base64(planted.encode()):
        yield once
        yield from within_base64(once)


def within_base64(content: bytes) -> Iterator[bytes]:
    """What is always the same in base64, standard and for URLs, at each of the three places where it can begin."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + content).rstrip(b"=")
        yield encoded[(shift * 8 + 5) // 6 : -1]
        yield encoded[(shift * 8 + 5) // 6 : -1].translate(bytes.maketrans(b"+/", b"-_"))


def found_in(planted: Planted, contents: dict[str, bytes]) -> list[tuple[str, str]]:
    """Which secrets stand in which contents."""
    everything = b"\n".join(contents.values())
    shown = {text: form for text in planted.taken for form in encodings(text) if form in everything}
    return [(name, text) for text, form in shown.items() for name, content in contents.items() if form in content]


def test_the_search_would_find_them() -> None:
    text = "PLANTED000x00000"
    hidden = [
        quote(f"ü{text}").encode(),
        text.encode().hex().encode(),
        *(base64.b64encode(b"x" * shift + text.encode() + b"yy") for shift in range(3)),
        *(base64.b64encode(b"x" * shift + base64.b64encode(f"z{text}".encode())) for shift in range(3)),
    ]
    planted = Planted()
    assert planted() == text
    for content in hidden:
        assert found_in(planted, {"file": content})


@pytest.mark.parametrize("part", [planted_objects.workload_parts, planted_objects.installation, planted_objects.gitops])
def test_no_object_shows_one_even_before_it_is_reduced(part: Any) -> None:
    planted = Planted()
    redactor = Redactor(TokenKey(b"k" * 32))
    for obj in part(planted):
        redacted = redactor.of_object(obj).value
        assert not found_in(
            planted, {obj["kind"]: json.dumps(redacted).encode(), "yaml": yaml_text.dump(redacted).encode()}
        )
        assert redactor.of_object(redacted).value == redacted


def place(cluster: FakeCluster, obj: KubernetesObject) -> None:
    """Put an object into the list that it belongs to."""
    kind, api_version = obj["kind"], obj["apiVersion"]
    group, _, version = api_version.rpartition("/")
    if kind == "Workload":
        cluster.add(obj)
    elif kind in CUSTOM:
        cluster.lists.setdefault(serve(cluster, group, CUSTOM[kind], kind, version), []).append(obj)
    else:
        plural = f"{kind.lower()}s"
        resource = next((it for it in BUILT_IN.values() if (it.group, it.plural) == (group, plural)), None)
        if resource is not None:
            cluster.lists.setdefault(resource.path(), []).append(obj)


@pytest.fixture
def planted() -> Planted:
    return Planted()


@pytest.fixture
def cluster(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    for obj in planted_objects.everything(planted):
        place(fake, obj)
    marks = {
        "kustomize.toolkit.fluxcd.io/name": "kueue",
        "kustomize.toolkit.fluxcd.io/namespace": "team-a",
        "helm.toolkit.fluxcd.io/name": "kueue",
        "helm.toolkit.fluxcd.io/namespace": "team-a",
        "argocd.argoproj.io/instance": "kueue",
    }
    queue = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "spec": {"cohort": "company"}}
    fake.add(
        queue
        | {
            "metadata": {
                "name": "shared",
                "uid": "u",
                "labels": marks,
                "annotations": planted_objects.annotations(planted),
            }
        }
    )
    unreadable = release(version=7, manifest=f"kind: Queue # kueue\npassword: *{planted()}\n")
    fake.lists[SECRETS] = [secret(planted_release(planted)), secret(unreadable)]
    called = f"https://u:{planted()}@hook/convert?token={planted()}&x=1"
    told = f'conversion failed: Post "{called}": refused, password: {planted()}'
    fake.fail(path_of("cohorts", "v1alpha1"), answering(400, told))
    fake.fail(path_of("cohorts", "v1beta1"), answering(400, told))
    opened = SimpleNamespace(get=fake.get, server=f"https://u:{planted()}@cluster.example")
    monkeypatch.setattr("kueuelift_snapshot.live.open_cluster", lambda **_: opened)
    return fake


def written(folder: Path) -> dict[str, bytes]:
    """Every file, compressed ones unpacked."""
    return {
        path.relative_to(folder).as_posix(): gzip.decompress(path.read_bytes())
        if path.suffix == ".gz"
        else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_none_of_them_is_written_or_told(
    cluster: FakeCluster,
    planted: Planted,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["snapshot", "--out", "S"]) == 3
    assert run(["inspect", "S"]) in {0, 3}
    out, err = capsys.readouterr()
    files = written(tmp_path / "S")
    assert len(set(planted.taken)) > 300
    assert not found_in(planted, files | {"stdout": out.encode(), "stderr": err.encode()})
    assert not any(text in name for name in files for text in planted.taken)

    # What is no secret is still there, so the search has looked at something.
    assert {name.split("/")[0] for name in files} >= {
        "gitops",
        "helm",
        "installation",
        "objects",
        "running",
        "workloads",
    }
    assert "conversion failed" in out
    assert b"replicas: 2" in files["helm/kueue-system/kueue/v1/values.yaml"]
    assert b"config.kueue.x-k8s.io/v1beta1" in files["helm/kueue-system/kueue/v1/values.yaml"]
    assert b"--config=/controller_manager_config.yaml" in files["helm/kueue-system/kueue/v1/manifest.yaml"]
    assert b"registry.example/work:1" in files["workloads/team-a.jsonl.gz"]

    header = json.loads(files["snapshot.json"])
    owners = (
        "applications.argoproj.io",
        "helmreleases.helm.toolkit.fluxcd.io",
        "kustomizations.kustomize.toolkit.fluxcd.io",
    )
    assert {f"gitops/{name}" for name in owners} <= header["parts"].keys()
    assert {"installation/deployments.apps", "installation/configmaps", "running/pods"} <= header["parts"].keys()

    # The key lies beside the snapshot, never in it.
    key = (tmp_path / KEY_FILE).read_bytes().strip()
    assert len(key) == 64
    assert not any(key in content or bytes.fromhex(key.decode()) in content for content in files.values())

    # What was hidden is listed, by file and path.
    paths = header["redaction"]["paths"]
    assert paths["workloads/team-a.jsonl.gz"]["spec.podSets[*].template.spec.initContainers[*].env[*].value"] >= 1
    assert paths["helm/kueue-system/kueue/v1/values.yaml"]["database.password"] == 1
