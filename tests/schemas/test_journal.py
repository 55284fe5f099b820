"""Journal lines are on disk before what they announce; a crash costs at most the line being written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift import journal as journals
from kueuelift.errors import UntrustedError
from kueuelift.journal import FILE_NAME, Journal


def now() -> str:
    return "2026-01-01T00:00:00Z"


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", now) as journal:
        journal.append("run-started", plan="sha256:0")
        journal.append("intent", "10-check", kind="check")
        journal.append("done", "10-check")
    entries = list(journals.read(tmp_path / "j"))
    assert [(entry.event, entry.step, dict(entry.detail)) for entry in entries] == [
        ("run-started", "", {"plan": "sha256:0"}),
        ("intent", "10-check", {"kind": "check"}),
        ("done", "10-check", {}),
    ]


@given(st.integers(0, 400))
def test_cut_off_anywhere_it_reads_the_whole_lines_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    with Journal(folder, now) as journal:
        for number in range(5):
            journal.append("done", f"{number}-step", count=number)
    content = (folder / FILE_NAME).read_bytes()
    (folder / FILE_NAME).write_bytes(content[: min(cut, len(content))])
    whole = content[:cut].count(b"\n")
    assert len(list(journals.read(folder))) == whole
    with Journal(folder, now) as journal:
        journal.append("run-ended")
    assert [entry.event for entry in journals.read(folder)] == ["done"] * whole + ["run-ended"]


def test_what_lies_beside_the_lines(tmp_path: Path) -> None:
    folder = tmp_path / "j"
    Journal(folder, now).close()
    assert (journals.backups(folder), journals.has_record(folder), journals.is_cut_off(folder)) == ([], False, False)
    (folder / journals.BACKUPS).mkdir()
    for name in ("snapshot", "b.yaml"):
        (folder / journals.BACKUPS / name).touch()
    (folder / journals.RECORD).touch()
    (folder / FILE_NAME).write_text('{"at":')
    assert [path.name for path in journals.backups(folder)] == ["b.yaml", "snapshot"]
    assert (journals.has_record(folder), journals.is_cut_off(folder)) == (True, True)


def test_a_line_that_is_no_journal_line_is_refused_by_number(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("{}\n")
    with pytest.raises(UntrustedError, match=r"journal\.jsonl"):
        list(journals.read(tmp_path))
    (tmp_path / FILE_NAME).write_text("no json\n")
    with pytest.raises(UntrustedError, match="line 1 is not JSON"):
        list(journals.read(tmp_path))


def test_an_unknown_event_is_our_own_fault(tmp_path: Path) -> None:
    with Journal(tmp_path, now) as journal, pytest.raises(ValueError, match="event"):
        journal.append("guessed")


def test_it_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", now) as journal:
        journal.append("run-started")
    assert ((tmp_path / "j").stat().st_mode & 0o777, (tmp_path / "j" / FILE_NAME).stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )
