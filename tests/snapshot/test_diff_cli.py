"""The command `diff`: its words and exit codes, with snapshots on disk and a cluster in memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fake_cluster import SECRETS, FakeCluster, answering, path_of, queue, workload
from kueuelift import format_schema, yaml_text
from kueuelift.cli import run
from kueuelift.model import Failure
from kueuelift.redaction import KEY_FILE
from release_secrets import secret
from snapshot_maker import Cluster, make_snapshot


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    opened = SimpleNamespace(get=fake.get, server="https://cluster.example")
    monkeypatch.setattr("kueuelift_snapshot.live.open_cluster", lambda **_: opened)
    return fake


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path


@pytest.fixture
def made(here: Path) -> Path:
    """Two snapshots that are alike, and one that differs."""
    make_snapshot(here / "A", Cluster(objects=[queue("a")]))
    make_snapshot(here / "same", Cluster(objects=[queue("a")]))
    make_snapshot(here / "other", Cluster(objects=[queue("a"), queue("b")]))
    lost = [Failure(what="secrets", reason="403: no")]
    make_snapshot(here / "lost", Cluster(objects=[queue("a")], records=(), failures=lost))
    return here


@pytest.mark.parametrize(("after", "code"), [("same", 0), ("other", 1), ("lost", 3)])
def test_two_snapshots(made: Path, capsys: pytest.CaptureFixture[str], after: str, code: int) -> None:
    assert run(["diff", "A", after]) == code
    out, err = capsys.readouterr()
    assert out.startswith("--- A  sha256:")
    assert f"+++ {after}  sha256:" in out
    assert ("+ ClusterQueue b" in out) is (code == 1)
    assert err.startswith("error: A and lost could not be compared in all" if code == 3 else "")
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["missing", "A"], 2),
        (["A", "missing"], 2),
        (["A", "same", "--guess"], 2),
        (["A", "same", "--context", "x"], 2),
        (["A", "same", "--request-timeout", "5s"], 2),
        (["A", "--kubeconfig", "missing"], 2),
        (["A", "--token-key", "missing"], 2),
        (["A", "--token-key", "A/snapshot.json"], 2),
        (["broken", "A"], 4),
    ],
)
def test_no_failure_is_1(made: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int) -> None:
    """As with kubectl diff, 1 says that something differs and nothing else."""
    (made / "broken").mkdir()
    (made / "broken" / "snapshot.json").write_text("{", encoding="utf-8")
    assert run(["diff", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "rror: " in err.splitlines()[-1]


def test_a_file_that_cannot_be_read_is_no_difference(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "A/x")

    monkeypatch.setattr("kueuelift_snapshot.comparison.compare", fail)
    assert run(["diff", "A", "same"]) == 2


def test_a_reader_that_goes_away_is_no_difference(made: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "kueuelift", "diff", "A", "other"]
    done = subprocess.run(command, cwd=made, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode > 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_the_result_as_data(made: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    assert run(["diff", "A", "other", "-o", output]) == 1
    out = capsys.readouterr().out
    data = json.loads(out) if output == "json" else yaml_text.load(out, "output")
    format_schema.check("comparison", data)
    assert [(change["how"], change["objects"]) for change in data["changes"]] == [("added", ["b"])]
    assert data["exitCode"] == 1


def test_the_live_cluster(cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.add(queue("a"), workload(1))
    cluster.lists[SECRETS] = [secret()]
    assert run(["snapshot", "--out", "A"]) == 0
    entries = sorted(here.rglob("*"))
    assert run(["diff", "A"]) == 0
    cluster.lists[path_of("clusterqueues", "v1beta1")][0]["spec"]["cohort"] = "other"
    capsys.readouterr()
    assert run(["diff", "A"]) == 1
    out, _ = capsys.readouterr()
    assert "+++ the live cluster  sha256:" in out
    assert '~ spec.cohort: "company" -> "other"' in out
    assert sorted(here.rglob("*")) == entries, "nothing is left behind"


def test_what_the_live_cluster_does_not_give_is_3(cluster: FakeCluster, here: Path) -> None:
    assert run(["snapshot", "--out", "A"]) == 0
    cluster.fail(path_of("clusterqueues", "v1beta1"), answering(403, "not for you"))
    assert run(["diff", "A"]) == 3


def test_the_live_cluster_is_read_as_the_snapshot_was(cluster: FakeCluster, here: Path) -> None:
    """In its versions where they are served, though another one is stored meanwhile."""
    assert run(["snapshot", "--out", "A"]) == 0
    cluster.lists = {path: [] for path in cluster.lists}
    cluster.install("0.17.0")
    for plural in ("clusterqueues", "workloads"):
        cluster.lists[path_of(plural, "v1beta1")] = []
    cluster.requests.clear()
    assert run(["diff", "A"]) in {1, 3}
    asked = {path for path, _ in cluster.requests}
    assert path_of("clusterqueues", "v1beta1") in asked
    assert path_of("clusterqueues", "v1beta2") not in asked


@pytest.mark.parametrize(("options", "compared"), [([], True), (["--token-key", "away/key"], True)])
def test_tokens_are_compared_with_the_key_of_the_snapshot(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], options: list[str], compared: bool
) -> None:
    cluster.add(workload(1, env=[{"name": "A", "value": "before"}]))
    assert run(["snapshot", "--out", "A"]) == 0
    if options:
        (here / "away").mkdir()
        (here / KEY_FILE).rename(here / "away" / "key")
    cluster.lists[path_of("workloads", "v1beta1")] = []
    cluster.add(workload(1, env=[{"name": "A", "value": "after"}]))
    capsys.readouterr()
    assert run(["diff", "A", *options]) == 1
    out, _ = capsys.readouterr()
    assert '"(hidden)" -> "(hidden)" (another hidden value)' in out
    assert "before" not in out
    assert "after" not in out


def test_without_the_key_hidden_values_are_counted(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.add(workload(1, env=[{"name": "A", "value": "before"}]))
    assert run(["snapshot", "--out", "A"]) == 0
    (here / KEY_FILE).unlink()
    capsys.readouterr()
    assert run(["diff", "A"]) == 3
    out, err = capsys.readouterr()
    assert "1 value hidden and not compared (give both snapshots the same --token-key)" in out
    assert err.splitlines()[-1].endswith("take both snapshots with the same --token-key")
    assert not (here / KEY_FILE).exists()
    cluster.add(queue("new"))
    assert run(["diff", "A"]) == 1, "what differs is an answer"


def test_some_kinds_and_no_status(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "A", "other", "--kinds", "LocalQueue,cohorts"]) == 0
    assert "note: --kinds=cohorts,localqueues: nothing else is compared" in capsys.readouterr().out
    assert run(["diff", "A", "other", "--kinds", "ClusterQueue"]) == 1
    assert run(["diff", "A", "lost", "--kinds", "ClusterQueue"]) == 0, "what failed is none of these"
    assert run(["diff", "A", "other", "--kinds", "Guess"]) == 2
    assert "--kinds Guess: no kind of Kueue" in capsys.readouterr().err
    changed = queue("a") | {"status": {"pendingWorkloads": 3}}
    make_snapshot(made / "busy", Cluster(objects=[changed]))
    assert run(["diff", "A", "busy"]) == 1
    assert run(["diff", "A", "busy", "--no-status"]) == 0
    assert "  status: 1 object; left out by --no-status" in capsys.readouterr().out


def test_of_the_live_cluster_only_these_kinds_are_read(cluster: FakeCluster, here: Path) -> None:
    cluster.add(queue("a"))
    assert run(["snapshot", "--out", "A"]) == 0
    cluster.requests.clear()
    cluster.lists[path_of("clusterqueues", "v1beta1")][0]["spec"]["cohort"] = "other"
    assert run(["diff", "A", "--kinds", "LocalQueue", "--no-status"]) == 0
    asked = {path for path, _ in cluster.requests}
    assert path_of("localqueues", "v1beta1") in asked
    assert path_of("clusterqueues", "v1beta1") not in asked
    assert run(["diff", "A", "--kinds", "ClusterQueue"]) == 1


def test_a_key_of_another_snapshot_is_refused(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["snapshot", "--out", "A"]) == 0
    assert run(["snapshot", "--out", "B", "--token-key", "other"]) == 0
    assert run(["diff", "A", "--token-key", "other"]) == 2
    assert "--token-key other: not the key that A was taken with" in capsys.readouterr().err


def test_colour_only_on_a_terminal(
    made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    run(["diff", "A", "other"])
    assert "\x1b[32m+ ClusterQueue b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    run(["diff", "A", "other"])
    assert "\x1b" not in capsys.readouterr().out
