"""Columns of text for a terminal, and budgets that hold or are broken."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One ratio and its budget."""

    what: str
    found: float
    budget: float
    at_least: bool
    """Otherwise at most."""

    @property
    def held(self) -> bool:
        """Whether the ratio is within the budget."""
        return self.found >= self.budget if self.at_least else self.found <= self.budget

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the table of verdicts."""
        side = "at least" if self.at_least else "at most"
        return self.what, f"{self.found:.2f}", f"{side} {self.budget:g}", "held" if self.held else "BROKEN"


VERDICTS = ("BUDGET", "FOUND", "WANTED", "")
"""The head of the table of verdicts."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of columns, the first two to the left and the others to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_placed(line, widths)).rstrip() for line in lines)


def _placed(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    pairs = zip(line, widths, strict=True)
    return [cell.ljust(width) if at < 2 else cell.rjust(width) for at, (cell, width) in enumerate(pairs)]
