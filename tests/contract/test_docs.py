"""What the README shows is what the program says."""

import re

from docs_blocks import README, rewritten
from kueuelift.cli import SUMMARIES


def test_the_generated_blocks_are_up_to_date() -> None:
    text = README.read_text(encoding="utf-8")
    assert rewritten(text) == text, "run `make docs` and review the diff"


def test_every_command_has_its_help_there() -> None:
    text = README.read_text(encoding="utf-8")
    assert {f"help {name}" for name in SUMMARIES} <= set(re.findall(r"<!-- generated: ([^>]+) -->", text))
