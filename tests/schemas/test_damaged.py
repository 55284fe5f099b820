"""Every damaged directory of the fixtures is refused by its sentence; the whole ones beside them are read."""

from pathlib import Path

import pytest

from kueuelift.cli import run
from kueuelift.errors import UntrustedError
from kueuelift.plan_dir import Plan
from kueuelift.snapshot_dir import Snapshot
from make_damaged import DAMAGES, FOLDER, WHOLE, directory, read_all, refusal
from snapshot_maker import make_chart

CASES = sorted(FOLDER.iterdir())


def test_every_damage_has_its_folder() -> None:
    assert [case.name for case in CASES] == sorted({*DAMAGES, *WHOLE})


@pytest.mark.parametrize("case", [case for case in CASES if case.name in DAMAGES], ids=lambda case: case.name)
def test_a_damaged_directory_is_refused_by_name(case: Path) -> None:
    expected = (case / "expected.txt").read_text(encoding="utf-8").strip()
    assert refusal(case) == expected
    assert UntrustedError.exit_code == 4
    assert "\n" not in expected


@pytest.mark.parametrize("name", [name for name, (what, _) in DAMAGES.items() if what != "plan"])
def test_transform_refuses_a_damaged_snapshot_with_4_and_writes_nothing(name: str, tmp_path: Path) -> None:
    snapshot, chart = directory(FOLDER / name), make_chart(tmp_path / "kueue-0.17.0.tgz")
    words = ["--to", "0.17.0", "--target", "helm", "--chart", str(chart)]
    assert run(["transform", str(snapshot), "--out", str(tmp_path / "plan"), *words]) == 4
    assert [path.name for path in tmp_path.iterdir()] == [chart.name]


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_whole_directory_is_read(name: str) -> None:
    read_all(FOLDER / name)


def test_the_whole_ones_carry_the_format_that_is_written_today() -> None:
    assert Snapshot.open(FOLDER / "snapshot-whole" / "snapshot").whole
    assert Plan.open(FOLDER / "plan-whole" / "plan").header["applicable"] is True
