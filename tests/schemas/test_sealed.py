import errno
import json
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift import sealed
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.sealed import Format, Sealed, Writer, canonical_json, digest_of, file_name, writing
from snapshot_maker import snapshot_header

FORMAT = Format(name="snapshot", version=1)
HEADER = snapshot_header(kueue={"installed": False, "crds": {}})


def seal(place: Path, files: Mapping[str, str] | None = None, volatile: Mapping[str, Any] | None = None) -> str:
    with writing(place, FORMAT) as writer:
        for path, content in ({"a/b.txt": "hello"} if files is None else files).items():
            writer.write(path, content)
        return writer.seal(HEADER, volatile or {})


def test_nothing_is_written_below_a_sealed_directory(tmp_path: Path) -> None:
    seal(tmp_path / "s")
    for inside in (tmp_path / "s" / "t", tmp_path / "s" / "a" / "t"):
        with pytest.raises(RefusedError, match="lies inside the sealed snapshot"):
            seal(inside)
    Sealed.open(tmp_path / "s", FORMAT).verify()


def test_somebody_elses_plan_json_is_no_sealed_directory(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"terraform_version": "1"}')
    assert seal(tmp_path / "s").startswith("sha256:")


def test_what_is_sealed_reads_back(tmp_path: Path) -> None:
    digest = seal(tmp_path / "s", {"a/b.txt": "hello", "a/c.txt": "there", "d.txt": ""})
    found = Sealed.open(tmp_path / "s", FORMAT)
    found.verify()
    assert found.digest == digest
    assert found.names("a") == ["a/b.txt", "a/c.txt"]
    assert found.read("a/b.txt") == b"hello"
    with pytest.raises(UntrustedError, match=r"lists no file a/x\.txt"):
        found.read("a/x.txt")


def test_it_knows_which_of_several_formats_it_has(tmp_path: Path) -> None:
    plan = Format(name="plan", version=1)
    seal(tmp_path / "s")
    for formats in ((FORMAT,), (FORMAT, plan), (plan, FORMAT)):
        assert Sealed.open(tmp_path / "s", *formats).format == FORMAT
    (tmp_path / "empty").mkdir()
    with pytest.raises(UntrustedError, match=r"has no header plan\.json"):
        Sealed.open(tmp_path / "empty", plan, FORMAT)


def test_the_digest_is_of_the_content_and_not_of_the_time(tmp_path: Path) -> None:
    first = seal(tmp_path / "1", volatile={"takenAt": "now"})
    assert seal(tmp_path / "2", volatile={"takenAt": "later"}) == first
    assert seal(tmp_path / "3", {"a/b.txt": "hello!"}) != first
    assert seal(tmp_path / "4", {"a/c.txt": "hello"}) != first


def test_the_digest_is_the_hash_of_the_canonical_header(tmp_path: Path) -> None:
    digest = seal(tmp_path / "s", volatile={"takenAt": "now"})
    header = json.loads((tmp_path / "s" / "snapshot.json").read_bytes())
    assert digest == header["digest"] == digest_of(header)
    assert (tmp_path / "s" / "snapshot.json").read_bytes() == canonical_json(header)


def test_everything_is_for_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        seal(tmp_path / "s", {"a/b/c/d.txt": "x"})
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "s", *(tmp_path / "s").rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


@pytest.mark.parametrize("how", ["file", "folder", "dangling link"])
def test_what_exists_is_never_overwritten(tmp_path: Path, how: str) -> None:
    place = tmp_path / "s"
    if how == "file":
        place.write_text("mine", encoding="utf-8")
    elif how == "folder":
        place.mkdir()
    else:
        place.symlink_to("nowhere")
    with pytest.raises(RefusedError, match="exists already and is never overwritten"):
        seal(place)


def test_what_comes_into_being_meanwhile_is_not_overwritten_either(tmp_path: Path) -> None:
    with writing(tmp_path / "s", FORMAT) as writer:
        (tmp_path / "s").mkdir()
        with pytest.raises(RefusedError, match="exists already"):
            writer.seal(HEADER, {})
    assert list((tmp_path / "s").iterdir()) == []


def test_a_missing_parent_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"its parent folder .* does not exist"):
        seal(tmp_path / "missing" / "s")


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_what_was_not_sealed_is_gone(tmp_path: Path, error: type[BaseException]) -> None:
    def break_off() -> None:
        with writing(tmp_path / "s", FORMAT) as writer:
            writer.write("a/b.txt", "half")
            raise error

    with pytest.raises(error):
        break_off()
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_cleaning_is_heeded_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shutil.rmtree

    def interrupted(*place: Any, **how: Any) -> None:
        monkeypatch.setattr("shutil.rmtree", whole)
        raise KeyboardInterrupt

    def break_off() -> None:
        with writing(tmp_path / "s", FORMAT) as writer:
            writer.write("a/b.txt", "half")
            monkeypatch.setattr("shutil.rmtree", interrupted)

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_with_the_place(tmp_path: Path) -> None:
    def fill() -> None:
        with writing(tmp_path / "s", FORMAT) as writer:
            writer.write("a/b.txt", "half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/s'"):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_leaving_without_sealing_leaves_nothing(tmp_path: Path) -> None:
    with writing(tmp_path / "s", FORMAT) as writer:
        writer.write("a.txt", "half")
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_does_not_fit_its_format_is_our_own_fault(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="snapshot at"), writing(tmp_path / "s", FORMAT) as writer:
        writer.seal({**HEADER, "origin": "hearsay"}, {})
    assert list(tmp_path.iterdir()) == []


def test_discarded_files_are_as_if_never_written(tmp_path: Path) -> None:
    with writing(tmp_path / "s", FORMAT) as writer:
        writer.write("objects/a/Name.yaml", "1")
        writer.write("objects/ab/x.yaml", "2")
        writer.discard("objects/a")
        writer.discard("objects/never")
        assert writer.write("objects/a/name.yaml", "3") == "objects/a/name.yaml"
        writer.seal(HEADER, {})
    assert Sealed.open(tmp_path / "s", FORMAT).names("objects") == ["objects/a/name.yaml", "objects/ab/x.yaml"]


def test_names_that_differ_in_case_only_get_files_of_their_own(tmp_path: Path) -> None:
    with writing(tmp_path / "s", FORMAT) as writer:
        placed = [writer.write(f"a/{name}.yaml", name) for name in ("x", "X")]
        again = writer.place("a/X.yaml")
        writer.seal(HEADER, {})
    assert len({path.casefold() for path in placed}) == 2
    assert again == placed[1]
    assert [Sealed.open(tmp_path / "s", FORMAT).read(path) for path in placed] == [b"x", b"X"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a-b.c_D9", "a-b.c_D9"),
        ("system:node", "system%3Anode"),
        ("../x", "..%2Fx"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("", ""),
        ("ü", "%C3%BC"),
    ],
)
def test_names_become_file_names(name: str, wanted: str) -> None:
    assert file_name(name) == wanted


def test_long_names_are_cut_and_told_apart() -> None:
    one, two = (file_name("a" * 253 + end, ".jsonl.gz") for end in "xy")
    assert one != two
    assert max(len(one), len(two)) <= sealed.LONGEST_NAME
    assert one.endswith(".jsonl.gz")


@given(st.text(min_size=1, max_size=260))
def test_every_name_is_one_safe_part_of_a_path(name: str) -> None:
    found = file_name(name, ".yaml")
    assert "/" not in found
    assert found.isascii()
    assert len(found) <= 255
    assert found not in {".", ".."}


def test_a_link_to_a_whole_directory_is_read_as_the_directory(tmp_path: Path) -> None:
    seal(tmp_path / "s")
    (tmp_path / "link").symlink_to("s")
    Sealed.open(tmp_path / "link", FORMAT).verify()


@pytest.mark.parametrize("kind", ["folder link", "fifo"])
def test_special_files_are_refused_and_never_followed(tmp_path: Path, kind: str) -> None:
    seal(tmp_path / "s")
    odd = tmp_path / "s" / "odd"
    if kind == "fifo":
        os.mkfifo(odd)
    else:
        odd.symlink_to(tmp_path)
    with pytest.raises(UntrustedError, match="odd: a symlink or special file"):
        Sealed.open(tmp_path / "s", FORMAT)


def test_no_directory_is_a_refusal_and_not_a_suspicion(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no such directory"):
        Sealed.open(tmp_path / "missing", FORMAT)


@given(position=st.integers(min_value=0), bit=st.integers(0, 7))
def test_no_changed_bit_of_a_header_passes(tmp_path_factory: pytest.TempPathFactory, position: int, bit: int) -> None:
    place = tmp_path_factory.mktemp("bits") / "s"
    seal(place, volatile={})
    header = place / "snapshot.json"
    content = bytearray(header.read_bytes())
    content[position % len(content)] ^= 1 << bit
    header.write_bytes(content)
    if is_same_json(bytes(content)):
        return
    with pytest.raises(UntrustedError):
        Sealed.open(place, FORMAT)


def is_same_json(content: bytes) -> bool:
    """White space may change without meaning; and what is volatile is not sealed."""
    try:
        header = json.loads(content)
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("digest") == digest_of(header) and "volatile" in header


def test_a_writer_shows_where_it_writes_only_under_another_name(tmp_path: Path) -> None:
    with writing(tmp_path / "s", FORMAT) as writer:
        assert isinstance(writer, Writer)
        writer.write("a.txt", "x")
        (partial,) = tmp_path.iterdir()
        assert partial.name.startswith(".s.")
        assert partial.name.endswith(".partial")
        assert not (partial / "snapshot.json").exists()
