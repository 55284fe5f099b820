"""What holds for every command."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kueuelift.cli import SUMMARIES, run
from kueuelift.errors import EXIT_CODES, OWN_EXIT_CODES

COMMANDS = ("snapshot", "transform", "apply", "verify", "diff", "inspect")


def kueuelift(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kueuelift", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_prints_the_exit_codes(command: str) -> None:
    done = kueuelift(command, "--help")
    assert done.returncode == 0
    for code, meaning in OWN_EXIT_CODES.get(command, EXIT_CODES).items():
        assert f"{code:<4} {meaning}" in done.stdout


def test_the_list_of_commands_is_the_list_of_summaries() -> None:
    assert set(COMMANDS) == set(SUMMARIES)
    assert all(summary in " ".join(kueuelift("--help").stdout.split()) for summary in SUMMARIES.values())


@pytest.mark.parametrize(
    "arguments", [["guess"], ["apply"], ["verify", "p", "--wrong"], ["snapshot", "--wrong"], ["transform", "s"]]
)
def test_wrong_words_are_a_usage_error(arguments: list[str]) -> None:
    done = kueuelift(*arguments)
    assert done.returncode == 2
    assert "Usage:" in done.stderr
    assert not done.stdout


def test_a_fault_of_ours_is_told_apart_and_leaves_its_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kueuelift.cli.kueuelift.main", lambda **_: 1 / 0)
    assert run([]) == 5
    err = capsys.readouterr().err
    assert "error: this is a fault of kueuelift (ZeroDivisionError)" in err
    assert "cli.py:" in err


def test_the_trace_of_a_fault_says_where_and_repeats_no_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def odd(**_: object) -> None:
        try:
            int("abc")
        except ValueError as error:
            raise ValueError("Invalid header value b'Bearer abc'") from error

    monkeypatch.setattr("kueuelift.cli.kueuelift.main", odd)
    assert run([]) == 5
    err = capsys.readouterr().err
    assert "test_command_line.py:" in err
    assert " in odd\n" in err
    assert "builtins.ValueError\nafter\n" in err
    assert "abc" not in err


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kueuelift.cli.kueuelift.main", interrupt)
    assert run([]) == 130


SLOW = """
import shutil, sys, time
from kueuelift import cli
whole = shutil.rmtree
def slow(*place, **how):
    sys.stderr.write("cleaning\\n"); sys.stderr.flush()
    time.sleep(0.3)
    whole(*place, **how)
shutil.rmtree = slow
sys.exit(cli.run(["snapshot", "--out", "S", "--from", "p"]))
"""


@pytest.mark.parametrize(
    "numbers",
    [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)],
)
def test_a_second_signal_does_not_break_off_the_cleaning(tmp_path: Path, numbers: tuple[signal.Signals, ...]) -> None:
    os.mkfifo(tmp_path / "p")
    # A shell that starts the tests in the background has Ctrl-C ignored, which children inherit.
    program = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{SLOW}"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as child:
        with (tmp_path / "p").open("w"):  # from here on it reads, with its folder made
            child.send_signal(numbers[0])
            assert child.stderr
            assert child.stderr.readline() == "cleaning\n"
            for number in numbers[1:]:
                child.send_signal(number)
        told = child.stderr.read()
    assert child.returncode == 130
    assert "error: interrupted" in told
    assert sorted(it.name for it in tmp_path.iterdir()) == ["kueuelift-token.key", "p"]
