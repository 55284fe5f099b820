"""Every command that reads a snapshot or a plan takes an archive in its place."""

from pathlib import Path

import pytest

from kueuelift.archive import save_archive
from kueuelift.cli import run
from kueuelift.plan_dir import Plan
from snapshot_maker import legacy_cluster, make_chart, make_snapshot


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_snapshot(tmp_path / "snap", legacy_cluster())
    make_chart(tmp_path / "kueue-0.17.0.tgz")
    return tmp_path


def transform(folder: Path, snapshot: str, plan: str) -> Path:
    words = ["--to", "0.17.0", "--target", "helm", "--chart", str(folder / "kueue-0.17.0.tgz")]
    assert run(["transform", str(folder / snapshot), "--out", str(folder / plan), *words]) == 0
    return folder / plan


@pytest.mark.parametrize("armor", [False, True], ids=["plain", "armor"])
def test_transform_makes_the_same_plan_of_it(folder: Path, armor: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # without helm
    save_archive(folder / "snap", folder / "packed", armor=armor)
    one, other = transform(folder, "snap", "plan-1"), transform(folder, "packed", "plan-2")
    assert Plan.open(one).digest == Plan.open(other).digest


def test_apply_reads_a_plan_from_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    plan = transform(folder, "snap", "plan")
    save_archive(plan, folder / "plan.tar.gz", armor=False)
    capsys.readouterr()
    told = []
    for place in (plan, folder / "plan.tar.gz"):
        digest = Plan.open(plan).digest
        assert run(["apply", str(place), "--dry-run=client", "--expect-digest", digest]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert run(["apply", str(folder / "plan.tar.gz"), "--dry-run=client", "--expect-digest", f"sha256:{'0' * 64}"]) == 4
    assert f"{folder / 'plan.tar.gz'}: digest sha256:" in capsys.readouterr().err
