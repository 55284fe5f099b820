"""The command's words, with a cluster in memory behind it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fake_cluster import SECRETS, FakeCluster, answering, path_of, queue
from kueuelift.cli import run
from kueuelift.redaction import KEY_FILE as TOKEN_KEY
from kueuelift.snapshot_dir import Snapshot
from release_secrets import secret


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()
    opened = SimpleNamespace(get=fake.get, server="https://cluster.example")
    monkeypatch.setattr("kueuelift_snapshot.cluster.open_cluster", lambda **_: opened)
    return fake


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_result_is_on_standard_output_and_progress_is_not(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.install()
    cluster.add(queue("shared"))
    cluster.lists[SECRETS] = [secret()]
    assert run(["snapshot", "--out", "S"]) == 0
    out, err = capsys.readouterr()
    digest = Snapshot.open(here / "S").digest
    assert out.splitlines()[:4] == [
        "snapshot  S",
        f"digest    {digest}",
        "cluster   6f1c2f0e-0000-4000-8000-000000000002 (v1.35.4)",
        "complete  yes",
    ]
    assert "ClusterQueue               v1beta1   1\n" in out
    assert "kueue-system/kueue  1         deployed  kueue 0.12.2\n" in out
    assert "clusterqueues: 1\n" in err
    assert "sha256" not in err


def test_an_incomplete_snapshot_is_3_and_tells_what_would_mend_it(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.install()
    cluster.fail(path_of("clusterqueues", "v1beta1"), answering(403, "not for you"))
    assert run(["snapshot", "--out", "S"]) == 3
    out, err = capsys.readouterr()
    assert "complete  no" in out
    (row,) = [line for line in out.splitlines() if line.startswith("clusterqueues.kueue.x-k8s.io ")]
    assert "403: not for you" in row
    assert "{apiGroups: [kueue.x-k8s.io], resources: [clusterqueues], verbs: [list]}" in row
    assert err.splitlines()[-1].startswith("error: S is sealed but incomplete, without clusterqueues.kueue.x-k8s.io:")
    assert not Snapshot.open(here / "S").whole


def test_a_cluster_without_kueue_is_0_and_said(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["snapshot", "--out", "S"]) == 0
    assert "kueue     not installed" in capsys.readouterr().out


def test_the_key_is_made_beside_and_used_again(cluster: FakeCluster, here: Path) -> None:
    cluster.lists[SECRETS] = [secret()]
    (here / "sub").mkdir()
    assert run(["snapshot", "--out", "A"]) == run(["snapshot", "--out", "B"]) == 0
    assert run(["snapshot", "--out", "sub/C", "--token-key", TOKEN_KEY]) == run(["snapshot", "--out", "sub/D"]) == 0
    a, b, c, d = (Snapshot.open(here / name).digest for name in ("A", "B", "sub/C", "sub/D"))
    assert a == b == c != d
    assert sorted(path.relative_to(here).as_posix() for path in here.rglob("*.key")) == [TOKEN_KEY, f"sub/{TOKEN_KEY}"]
    assert (here / TOKEN_KEY).stat().st_mode & 0o777 == 0o600


def test_a_spoilt_key_is_refused(cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / TOKEN_KEY).write_text("short", encoding="utf-8")
    assert run(["snapshot", "--out", "S"]) == 1
    assert "no token key found" in capsys.readouterr().err
    assert not (here / "S").exists()


@pytest.mark.parametrize("out", ["taken", "missing/S"])
def test_a_bad_place_is_refused_before_anything_is_asked(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    (here / "taken").mkdir()
    assert run(["snapshot", "--out", out]) == 1
    assert capsys.readouterr().err.startswith(f"error: {out}: ")
    assert cluster.requests == []
    assert sorted(path.name for path in here.iterdir()) == ["taken"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_polite_kill_and_ctrl_c_leave_nothing(cluster: FakeCluster, here: Path, number: signal.Signals) -> None:
    cluster.install()
    # A shell that starts the tests in the background has Ctrl-C ignored; Python then leaves it so.
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)

    def kill(_: object) -> None:
        os.kill(os.getpid(), number)

    cluster.fail(path_of("workloads", "v1beta1"), kill)
    before = signal.getsignal(signal.SIGTERM)
    assert run(["snapshot", "--out", "S"]) == 130
    assert [path.name for path in here.iterdir()] == [TOKEN_KEY]
    assert signal.getsignal(signal.SIGTERM) is before
    signal.signal(signal.SIGINT, ctrl_c)


def test_help_needs_neither_the_client_nor_the_story() -> None:
    program = (
        "import sys; from kueuelift.cli import run; run(['snapshot', '--help']);"
        "sys.stderr.write(' '.join({'kubernetes', 'kueuelift_snapshot.collect', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
