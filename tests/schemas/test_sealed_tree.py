"""What an archive may be; the archives of `fixtures/damaged` have one fault each, here are the odder ones."""

import gc
import gzip
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from archive_maker import Member, link, member, members, packed, tar
from kueuelift import sealed_tree, tar_members
from kueuelift.errors import RefusedError, ToolError, UntrustedError
from kueuelift.journal import Journal
from kueuelift.sealed import refuse_inside_sealed
from kueuelift.sealed_tree import open_tree
from kueuelift.snapshot_dir import Snapshot
from make_damaged import FOLDER

WHOLE = (FOLDER / "archive-whole" / "snapshot.tar.gz").read_bytes()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "snap.tar.gz"


def refused(place: Path, content: bytes) -> str:
    place.write_bytes(content)
    with pytest.raises(ToolError) as caught:
        Snapshot.open(place).sealed.verify()
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(place))
    assert caught.value.exit_code in {1, 4}
    return str(caught.value).removeprefix(f"{place}: ")


def repacked(*more: Member, how: int = tarfile.PAX_FORMAT) -> bytes:
    return packed([*members(WHOLE), *more], how)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (tarfile.SYMTYPE, "a symlink"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.CONTTYPE, "a special file"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
    ],
)
def test_only_plain_files_and_folders(place: Path, kind: bytes, told: str) -> None:
    assert refused(place, repacked(link("snapshot/x", "y", kind))).startswith(f"snapshot/x: {told}")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../x", "a name that is no path below one folder"),
        ("snapshot/../../x", "a name that is no path"),
        ("snapshot/./x", "a name that is no path"),
        ("snapshot//x", "a name that is no path"),
        ("/snapshot/x", "an absolute name"),
        ("x", "a second top folder"),
        ("other/x", "a second top folder"),
        ("snapshot", "a file outside of any folder"),
        ("snapshot/snapshot.json", "stands twice"),
        ("snapshot/\x1b[31mred", "x1b[31mred: not listed in snapshot.json"),
    ],
)
@pytest.mark.parametrize("how", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT], ids=["pax", "gnu"])
def test_names_lead_nowhere_else(place: Path, name: str, told: str, how: int) -> None:
    assert told in refused(place, repacked(member(name, b"x"), how=how))


def test_a_name_of_a_pax_header_is_held_to_the_same(place: Path) -> None:
    assert "an absolute name" in refused(place, repacked(member("/" + "x" * 300, b"")))
    sparse, _ = member("snapshot/x", b"")
    sparse.pax_headers = {"GNU.sparse.major": "1"}
    assert "sparse" in refused(place, repacked((sparse, b"")))


def test_odd_headers_neither_keep_it_busy_nor_fill_the_memory(place: Path) -> None:
    long_name = member("snapshot/x", b"x" * (1 << 20), tarfile.GNUTYPE_LONGNAME)
    began = time.monotonic()
    assert "damaged" in refused(place, repacked(long_name, how=tarfile.GNU_FORMAT))
    assert "damaged" in refused(place, gzip.compress(tar([member("x", b"no length", tarfile.XHDTYPE)])))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("size", [b"7" * 11 + b"\0", b"\x80" + b"\xff" * 11, b"-0000000001\0", b"99999999999\0"])
def test_a_size_is_what_is_there(place: Path, size: bytes) -> None:
    whole = bytearray(tar(members(WHOLE)))
    whole[124:136] = size
    whole[148:156] = b" " * 8
    whole[148:156] = b"%06o\0 " % sum(whole[:512])
    assert any(word in refused(place, gzip.compress(bytes(whole))) for word in ("cut off", "damaged"))


def test_a_broken_header_in_the_middle_hides_nothing(place: Path) -> None:
    whole = bytearray(tar(members(WHOLE)))
    second = 512 + -(-members(WHOLE)[0][0].size // 512) * 512
    whole[second + 150] ^= 1
    assert f"no tar header at byte {second}" in refused(place, gzip.compress(bytes(whole)))


def test_a_tar_without_its_end_and_one_that_goes_on(place: Path) -> None:
    whole = tar(members(WHOLE))
    ended = len(whole.rstrip(b"\0")) // 512 * 512 + 512
    assert "cut off" in refused(place, gzip.compress(whole[:ended]))
    assert "cut off" in refused(place, gzip.compress(whole[: ended + 512]))
    assert "something follows" in refused(place, gzip.compress(whole + tar([member("other/x", b"")])))
    assert "cut off" in refused(place, gzip.compress(b""))


@pytest.mark.parametrize("more", [b"\0", b"more", gzip.compress(b"more"), WHOLE])
def test_nothing_follows_the_gzip(place: Path, more: bytes) -> None:
    assert "something follows the end" in refused(place, WHOLE + more)


def test_a_gzip_is_whole_and_sound(place: Path) -> None:
    for end in range(2, len(WHOLE), 7):
        assert "cut off before its end" in refused(place, WHOLE[:end])
    assert "damaged" in refused(place, WHOLE[:-8] + b"\0\0\0\0" + WHOLE[-4:])


@pytest.mark.parametrize("content", [b"", b"\x1f", b"notes\n", b"PK\3\4", b"\xff\xfe-\0-\0"])
def test_another_file_is_no_archive(place: Path, content: bytes) -> None:
    told = refused(place, content)
    assert "neither a directory nor an archive" in told or "UTF-16" in told


def test_a_bomb_is_given_up_before_it_takes_the_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "as no snapshot or plan does" in refused(place, gzip.compress(bytes(100 << 20)))
    monkeypatch.setattr(sealed_tree, "_MOST_BYTES", 1 << 20)
    assert "as no snapshot or plan does" in refused(place, repacked(member("snapshot/x", os.urandom(1 << 20))))


@pytest.mark.parametrize("limit", ["_MOST_HEADERS", "_MOST_NAME_BYTES"])
def test_too_many_files_are_given_up(place: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(tar_members, limit, 3)
    assert "more files than any" in refused(place, WHOLE)


def test_what_compresses_best_of_all_real_things_is_no_bomb(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_tree, "_FREE_BYTES", 1 << 20)
    text = b"apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nspec:\n  clusterQueue: shared\n" * 12
    queues = [member(f"snapshot/objects/localqueues/team-{number}/default.yaml", text) for number in range(5_000)]
    place.write_bytes(packed([*members(WHOLE), *queues]))
    with pytest.raises(UntrustedError, match=r"not listed in snapshot\.json"):
        Snapshot.open(place)


def test_nothing_is_unpacked_to_any_path(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place.write_bytes(WHOLE)
    snapshot = Snapshot.open(place)
    snapshot.sealed.verify()
    assert [entry.name for entry in tmp_path.iterdir()] == [place.name]


def test_no_room_is_told_with_what_to_do(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object, __: object) -> Iterator[bytes]:
        raise OSError(28, "No space left on device")

    place.write_bytes(WHOLE)
    monkeypatch.setattr(sealed_tree, "_decompressed", full)
    with pytest.raises(RefusedError, match=r"No space left on device.*TMPDIR"):
        Snapshot.open(place)


def test_an_archive_is_let_go_with_its_last_reader(place: Path) -> None:
    def held() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names only

    place.write_bytes(WHOLE)
    gc.collect()
    before = held()
    tree = open_tree(place, "snapshot")
    file = tree.open("snapshot.json")
    del tree
    gc.collect()
    assert file.read(1) == b"{"
    del file
    gc.collect()
    assert held() == before


def test_files_of_an_archive_are_read_in_any_order(place: Path) -> None:
    place.write_bytes(WHOLE)
    tree = open_tree(place, "snapshot")
    one, other = tree.open("snapshot.json"), tree.open("snapshot.json")
    first = one.read(10)
    assert other.read(10) == first
    assert one.seek(0) == 0
    assert one.read() == members(WHOLE)[0][1]
    assert one.read(1) == b""
    assert one.seek(-1, os.SEEK_END) > 0
    assert one.read() == b"\n"
    assert not tree.holds("nothing")


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: Path(path).symlink_to("/dev/zero")])
def test_what_is_no_plain_file_is_not_even_opened(place: Path, make: Callable[[Path], None]) -> None:
    make(place)
    with pytest.raises(RefusedError, match="neither a directory nor a plain file"):
        Snapshot.open(place)


def test_nothing_is_put_below_an_archive(place: Path) -> None:
    place.write_bytes(WHOLE)
    with pytest.raises(RefusedError, match="is a file, not a folder"):
        refuse_inside_sealed(place / "journal")
    with pytest.raises(RefusedError, match="no such directory or archive"):
        Snapshot.open(place / "snapshot")
    beside = Path(f"{place}.journal")
    refuse_inside_sealed(beside)
    Journal(beside, lambda: "now").close()


def test_deep_folders_are_walked_without_depth(tmp_path: Path) -> None:
    root = tmp_path / "s"
    shutil.copytree(FOLDER / "snapshot-whole" / "snapshot", root)
    before = Path.cwd()
    try:
        os.chdir(root)
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
        Path("x").touch()
        with pytest.raises(UntrustedError, match=r"not listed in snapshot\.json"):
            Snapshot.open(root)
    finally:
        os.chdir(before)
        subprocess.run(["rm", "-r", root], check=True)  # shutil would go too deep


def test_zlib_flags_of_other_writers_are_fine(place: Path) -> None:
    named = zlib.compressobj(9, zlib.DEFLATED, 31)
    place.write_bytes(named.compress(tar(members(WHOLE))) + named.flush())
    Snapshot.open(place).sealed.verify()
