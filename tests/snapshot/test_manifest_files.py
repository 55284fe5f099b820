"""What may lie in a folder or be named with --from: odd files neither stop, block nor betray anything."""

import os
import socket
import subprocess
import threading
from pathlib import Path

import orjson
import pytest

from kueuelift.cli import run
from kueuelift.errors import RefusedError, UsageError
from kueuelift.manifest_stream import LeftAside
from kueuelift.model import Failure
from kueuelift_snapshot.manifest_files import Text, read_files

COHORT = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {name: c}\n"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "z.yaml").write_text(COHORT)
    return tmp_path / "git"


def aside(git: Path) -> dict[str, str]:
    found = list(read_files([str(git)], None))
    assert [Path(it.origin).name for it in found if isinstance(it, Text)] == ["z.yaml"]
    return {Path(it.origin).name: it.reason for it in found if isinstance(it, LeftAside)}


def test_links_without_an_end_are_left_aside(git: Path) -> None:
    (git / "l.yaml").symlink_to("l.yaml")
    (git / "n.yaml").symlink_to("nothing.yaml")
    assert aside(git) == {"l.yaml": "a link that leads back to itself", "n.yaml": "a link that leads nowhere"}


def test_folders_may_be_nested_deeper_than_calls(git: Path) -> None:
    here = os.open(git, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    descriptor = os.open("a.yaml", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(descriptor, b"bottom")
    os.close(descriptor)
    os.close(here)
    found = [it.content for it in read_files([str(git)], None) if isinstance(it, Text)]
    subprocess.run(["rm", "-r", "git"], check=True)  # which Python, and so pytest, cannot: it calls itself a folder
    assert found == [b"bottom", COHORT.encode()]


def test_files_of_a_folder_come_in_the_order_of_their_names(git: Path) -> None:
    for name in ("b/2.yaml", "b/1.yaml", "a.yaml", "c.yml"):
        (git / name).parent.mkdir(exist_ok=True)
        (git / name).write_text("")
    found = [it.origin for it in read_files(["git"], None) if isinstance(it, Text)]
    assert found == ["git/a.yaml", "git/b/1.yaml", "git/b/2.yaml", "git/c.yml", "git/z.yaml"]


def test_a_pipe_is_read_where_it_is_named_only(git: Path) -> None:
    os.mkfifo(git / "p.yaml")
    assert aside(git) == {"p.yaml": "no plain file but a pipe, socket or device, which is not read"}
    writer = threading.Thread(target=(git / "p.yaml").write_text, args=("a: 1",))
    writer.start()
    assert list(read_files(["git/p.yaml"], None)) == [Text("git/p.yaml", b"a: 1")]
    writer.join()


def test_devices_and_sockets_are_refused(git: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("git/s.yaml")
        for path in ("/dev/zero", "git/s.yaml"):
            with pytest.raises(RefusedError, match="no plain file but a pipe, socket or device; name a file"):
                list(read_files([path], None))
        assert list(aside(git)) == ["s.yaml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_can_be_listed_but_not_entered_is_a_failure(git: Path) -> None:
    (git / "a").mkdir()
    (git / "a" / "a.yaml").write_text("")
    (git / "a").chmod(0o400)
    found = list(read_files([str(git)], None))
    (git / "a").chmod(0o700)
    assert [type(it) for it in found] == [Failure, Text]


def test_a_closed_standard_input_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="standard input is closed"):
        list(read_files(["-"], None))


def test_without_standard_input_the_command_says_so(
    git: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert run(["snapshot", "--out", "S", "--from", "-"]) == 2
    assert "standard input is closed" in capsys.readouterr().err


def test_names_that_are_no_text_are_escaped(git: Path) -> None:
    odd = os.fsencode(git) + b"/\xff.yaml"
    with open(odd, "w", encoding="utf-8") as file:  # noqa: PTH123 - a name of bytes
        file.write("a: 1\n")
    assert run(["snapshot", "--out", "S", "--from", "git", os.fsdecode(odd)]) == 0
    header = orjson.loads((git.parent / "S" / "snapshot.json").read_bytes())
    assert header["volatile"]["from"] == ["git", f"{git}/\\udcff.yaml"]
    assert header["skipped"]["unparsed"][0]["path"] == "git/\\udcff.yaml, document 1, line 1"


SECRET = "Hunter2Hunter2"
HEAD = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\n"


@pytest.mark.parametrize(
    "text",
    [
        f"password: *{SECRET}\n",
        f"password: !!int {SECRET}\n",
        f"password: !{SECRET} a\n",
        f"password: !a!{SECRET} a\n",
        f"password: &{SECRET}! a\n",
        f'password: "{SECRET}\n',
        f'{{"password": "{SECRET}" "a"}}',
        f"password={SECRET}: 1\npassword={SECRET}: 2\n",
        f'{{"password={SECRET}": 1, "password={SECRET}": 2}}',
        f"{HEAD}metadata: {{name: {{password: {SECRET}}}}}\n",
        f"{HEAD}metadata: {{name: {{token: {SECRET}}}}}\n",
        f"{HEAD}metadata: {{name: [{SECRET}]}}\n",
        f"{HEAD}metadata: {{name: a, labels: {{'{{{{x}}}}password={SECRET}': a}}}}\n",
        f"{HEAD}metadata: {SECRET}\n",
        f"{HEAD}metadata: {{name: a}}\nspec: {SECRET}\n",
        f"{SECRET}\n",
        "---\n".join(f"{HEAD}metadata: {{name: 'password={SECRET}'}}\nspec: {{a: {number}}}\n" for number in (1, 2)),
    ],
)
def test_no_message_repeats_a_secret(git: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (git / "a.yaml").write_text(f"{COHORT}---\n{text}")
    (git / "b.yaml").write_text(text)
    code = run(["snapshot", "--out", "S", "--from", "git/b.yaml", "git"])
    told = "".join(capsys.readouterr())
    assert code in (0, 1, 3), told
    assert SECRET not in told
    header = git.parent / "S" / "snapshot.json"
    assert not header.exists() or SECRET not in header.read_text()


def test_no_name_of_a_file_repeats_a_secret(git: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = f"password={SECRET}.yaml"
    (git / named).write_text("a: {{ x }}\n")
    assert run(["snapshot", "--out", "S", "--from", "git", f"git/{named}"]) == 3
    assert SECRET not in "".join(capsys.readouterr())
    assert SECRET not in (git.parent / "S" / "snapshot.json").read_text()
    assert run(["snapshot", "--out", "T", "--from", f"{named}.no"]) == 1
    assert SECRET not in "".join(capsys.readouterr())


def test_where_nothing_of_kueue_is_found_it_is_said(git: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (git / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    assert run(["snapshot", "--out", "S", "--from", "git/pod.yaml"]) == 0
    assert "no object of Kueue was found" in capsys.readouterr().err
    assert run(["snapshot", "--out", "T", "--from", "git"]) == 0
    assert "no object of Kueue" not in capsys.readouterr().err


@pytest.mark.parametrize("head", ["apiVersion: v1\nkind: List", "apiVersion: kueue.x-k8s.io/v1beta1\nkind: CohortList"])
@pytest.mark.parametrize(("items", "told"), [("5", "a number"), ("{a: {}}", "an object"), ("x", "a text")])
def test_a_list_whose_items_are_none_is_a_failure(
    git: Path, capsys: pytest.CaptureFixture[str], head: str, items: str, told: str
) -> None:
    (git / "a.yaml").write_text(f"{head}\nitems: {items}\n")
    assert run(["snapshot", "--out", "S", "--from", "git"]) == 3
    assert f"{told} as items, a list wanted" in capsys.readouterr().err
