"""What holds for every command."""

import subprocess
import sys

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
    assert "error: this is a fault of kueuelift (ZeroDivisionError)" in capsys.readouterr().err


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kueuelift.cli.kueuelift.main", interrupt)
    assert run([]) == 130
