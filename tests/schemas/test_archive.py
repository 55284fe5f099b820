"""An archive is its directory again, byte for byte the same each time; nothing half written is left."""

import io
import os
import stat
import subprocess
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from archive_maker import members
from kueuelift.archive import save_archive, write_archive
from kueuelift.armor import BEGIN, END
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.kinds import KINDS
from kueuelift.plan_dir import Plan
from kueuelift.sealed import writing
from kueuelift.snapshot_dir import FORMAT, Snapshot
from make_damaged import write_plan, write_snapshot
from snapshot_maker import snapshot_header

ARMOR = pytest.mark.parametrize("armor", [False, True], ids=["plain", "armor"])


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_snapshot(tmp_path / "snap")
    return tmp_path / "snap"


def archive(root: Path, *, armor: bool = False) -> bytes:
    stream = io.BytesIO()
    write_archive(root, stream, armor=armor)
    return stream.getvalue()


@ARMOR
def test_an_archive_is_read_as_its_directory(snapshot: Path, armor: bool) -> None:
    place = snapshot.with_name("snap.packed")
    save_archive(snapshot, place, armor=armor)
    one, other = Snapshot.open(snapshot), Snapshot.open(place)
    assert dict(one.header) == dict(other.header)
    assert [list(one.objects(kind)) for kind in KINDS] == [list(other.objects(kind)) for kind in KINDS]
    assert one.crds() == other.crds()
    assert one.helm_records() == other.helm_records()
    assert other.sealed.root == place
    assert other.sealed.where("crds/x.yaml") == f"{place}: crds/x.yaml"
    assert one.sealed.where("crds/x.yaml") == str(snapshot / "crds/x.yaml")


def test_a_plan_is_archived_too_and_its_files_are_there_for_helm_for_a_while(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan")
    save_archive(tmp_path / "plan", tmp_path / "plan.tar.gz", armor=False)
    plan = Plan.open(tmp_path / "plan.tar.gz")
    with plan.file("REPORT.md") as copy:
        assert copy.read_text() == "# Nothing to do\n"
        assert copy.name == "REPORT.md"
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    assert not copy.exists()


@ARMOR
def test_the_same_directory_gives_the_same_bytes_wherever_it_lies(snapshot: Path, tmp_path: Path, armor: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_snapshot(tmp_path / "elsewhere" / "snap")
    assert archive(snapshot, armor=armor) == archive(tmp_path / "elsewhere" / "snap", armor=armor)


def test_the_header_comes_first_and_nothing_tells_of_owners_and_times(snapshot: Path) -> None:
    found = [it for it, _ in members(archive(snapshot))]
    names = [it.name for it in found]
    assert names[0] == "snap/snapshot.json"
    assert names[1:] == sorted(names[1:])
    assert {(it.uid, it.gid, it.uname, it.gname, it.mtime, it.mode, it.type) for it in found} == {
        (0, 0, "", "", 0, 0o600, tarfile.REGTYPE)
    }
    assert archive(snapshot)[4:8] == bytes(4)


@pytest.mark.parametrize("name", ["s", "ü" * 80, "long" * 50, "with space"])
def test_any_name_of_a_directory_is_the_top_folder(tmp_path: Path, name: str) -> None:
    write_snapshot(tmp_path / name)
    save_archive(tmp_path / name, tmp_path / "s.tar.gz", armor=False)
    assert {it.name.split("/")[0] for it, _ in members((tmp_path / "s.tar.gz").read_bytes())} == {name}
    Snapshot.open(tmp_path / "s.tar.gz").sealed.verify()


def test_the_directory_one_stands_in_has_a_name_too(snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(snapshot)
    assert members(archive(Path()))[0][0].name == "snap/snapshot.json"
    monkeypatch.chdir(snapshot / "objects")
    assert members(archive(Path("..")))[0][0].name == "snap/snapshot.json"


@pytest.mark.parametrize(
    "words",
    [
        ("--format=gnu", "snap"),
        ("--format=pax", "./snap"),
        ("--format=ustar", "--sort=name", "snap"),
        ("--format=v7", "snap"),
    ],
)
def test_what_tar_itself_packs_is_read(snapshot: Path, words: tuple[str, ...]) -> None:
    subprocess.run(["tar", "-czf", "own.tgz", *words], cwd=snapshot.parent, check=True)
    Snapshot.open(snapshot.with_name("own.tgz")).sealed.verify()


def test_long_names_survive_tar_of_every_kind(tmp_path: Path) -> None:
    with writing(tmp_path / "snap", FORMAT) as writer:
        writer.write(f"helm/{'n' * 200}/{'r' * 200}/v1/release.json", "{}")
        writer.seal({**snapshot_header(), "kueue": {"installed": False, "crds": {}}}, {})
    save_archive(tmp_path / "snap", tmp_path / "snap.tar.gz", armor=False)
    for how in ("gnu", "pax"):
        subprocess.run(["tar", f"--format={how}", "-czf", f"{how}.tgz", "snap"], cwd=tmp_path, check=True)
    for name in ("snap.tar.gz", "gnu.tgz", "pax.tgz"):
        Snapshot.open(tmp_path / name).sealed.verify()


@ARMOR
def test_a_saved_archive_is_for_its_owner_and_overwrites_nothing(snapshot: Path, armor: bool) -> None:
    place = snapshot.with_name("s.tar.gz")
    save_archive(snapshot, place, armor=armor)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with pytest.raises(RefusedError, match="exists already"):
        save_archive(snapshot, place, armor=armor)
    with pytest.raises(RefusedError, match="does not exist"):
        save_archive(snapshot, snapshot.with_name("none") / "s.tar.gz", armor=armor)
    with pytest.raises(RefusedError, match="lies inside the sealed snapshot"):
        save_archive(snapshot, snapshot / "s.tar.gz", armor=armor)
    assert sorted(entry.name for entry in snapshot.parent.iterdir()) == ["s.tar.gz", "snap"]


@ARMOR
def test_of_an_altered_directory_nothing_is_left_that_could_be_taken_for_its_archive(
    snapshot: Path, armor: bool
) -> None:
    (snapshot / "objects/clusterqueues/shared.yaml").write_text("kind: Other\n")
    place = snapshot.with_name("s.tar.gz")
    with pytest.raises(UntrustedError, match="altered after sealing"):
        save_archive(snapshot, place, armor=armor)
    assert [entry.name for entry in snapshot.parent.iterdir()] == ["snap"]
    stream = io.BytesIO()
    with pytest.raises(UntrustedError, match="altered after sealing"):
        write_archive(snapshot, stream, armor=armor)
    place.write_bytes(stream.getvalue())
    with pytest.raises((UntrustedError, RefusedError)):
        Snapshot.open(place)


def test_armor_is_short_lines_of_plain_text(snapshot: Path) -> None:
    lines = archive(snapshot, armor=True).split(b"\n")
    assert (lines[0], lines[-2], lines[-1]) == (BEGIN, END, b"")
    assert max(map(len, lines)) <= 1024
    assert all(line.isascii() for line in lines)


def test_writing_and_reading_take_little_memory(tmp_path: Path) -> None:
    with writing(tmp_path / "snap", FORMAT) as writer:
        with writer.open("workloads/a.jsonl.gz") as file:
            for _ in range(24):
                file.write(os.urandom(1 << 20))
        writer.seal({**snapshot_header(), "kueue": {"installed": False, "crds": {}}}, {})
    tracemalloc.start()
    try:
        save_archive(tmp_path / "snap", tmp_path / "s.log", armor=True)
        Snapshot.open(tmp_path / "s.log").sealed.verify()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 12 << 20
