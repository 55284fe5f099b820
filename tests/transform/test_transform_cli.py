"""The command: what it prints, and what it answers with."""

import re
from pathlib import Path

import pytest

from kueuelift.cli import run
from kueuelift.model import Failure
from kueuelift.plan_dir import Plan
from snapshot_maker import Cluster, legacy_cluster, make_chart, make_snapshot


@pytest.fixture(autouse=True)
def _without_helm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)


def command(cluster: Cluster, *words: str, chart: bool = True) -> int:
    make_snapshot(Path("snapshot"), cluster)
    make_chart(Path("kueue.tgz"))
    charts = ["--chart", "kueue.tgz"] if chart else []
    return run(["transform", "snapshot", "--out", "plan", *(words or ("--to", "v0.17.0", "--target", "helm")), *charts])


def test_the_way_the_counts_and_the_next_command_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(legacy_cluster(6)) == 0
    printed = capsys.readouterr()
    digest = Plan.open(Path("plan")).digest
    for line in (
        "plan      plan",
        f"digest    {digest}",
        "way       0.12.2 -> 0.17.0, target helm",
        "hops      bridge (run), 0.17.0 (run)",
        "losses    1",
        f"next      kueuelift apply plan --expect-digest {digest}",
    ):
        assert f"{line}\n" in printed.out
    assert "3 cohorts, 4 clusterqueues, 4 localqueues, 6 workloads" in printed.out
    assert printed.err.startswith("source: 0.12.2 (")
    assert "helm is not on PATH" in printed.err


def test_a_blocker_makes_a_plan_that_cannot_be_applied(capsys: pytest.CaptureFixture[str]) -> None:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "team-a"},
        "spec": {"admissionChecksStrategy": {}},
    }
    assert command(Cluster(objects=[queue], server="v1.29.0")) == 1
    printed = capsys.readouterr().out
    sentence = r"^not applicable: KL102 spec\.admissionChecksStrategy.*; see plan/REPORT\.md$"
    assert re.search(sentence, printed, re.MULTILINE)
    assert "kueuelift apply" not in printed
    assert Plan.open(Path("plan")).header["applicable"] is False


def test_a_snapshot_that_is_not_whole_cannot_be_applied(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(Cluster(failures=[Failure(what="workloads.kueue.x-k8s.io", reason="forbidden")])) == 1
    assert "not applicable: the snapshot is not whole" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "chart", "code", "sentence"),
    [
        (("--to", "0.17.0", "--target", "helm"), False, 2, "give it with --chart FILE.tgz"),
        (("--to", "0.17.0", "--target", "flex"), True, 2, "no such target; name one of helm"),
        (("--to", "soon", "--target", "helm"), True, 1, "is not a Kueue release"),
        (("--to", "0.18.1", "--target", "helm"), True, 1, "0.18.1 with v0.18.1 wanted"),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(
    words: tuple[str, ...], chart: bool, code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(Cluster(), *words, chart=chart) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err.splitlines()[-1]
    assert sorted(path.name for path in Path().iterdir()) == ["kueue.tgz", "snapshot"]


def test_a_damaged_snapshot_answers_4(capsys: pytest.CaptureFixture[str]) -> None:
    make_snapshot(Path("snapshot"), Cluster())
    make_chart(Path("kueue.tgz"))
    header = Path("snapshot/snapshot.json")
    header.write_text(header.read_text().replace("v1.35.4", "v1.35.5"))
    words = ["--out", "plan", "--to", "0.17.0", "--target", "helm", "--chart", "kueue.tgz"]
    assert run(["transform", "snapshot", *words]) == 4
    assert "altered after sealing" in capsys.readouterr().err


def test_an_existing_plan_is_never_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan").mkdir()
    assert command(Cluster()) == 1
    assert "exists already and is never overwritten" in capsys.readouterr().err
    assert list(Path("plan").iterdir()) == []
