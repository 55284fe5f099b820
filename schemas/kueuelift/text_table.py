"""Tables and labelled lines for a terminal; what comes from a cluster or a file is made printable."""

from collections.abc import Iterable, Iterator, Sequence

from kueuelift.errors import printable


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, most: int = 0) -> Iterator[str]:
    """Left-aligned columns under a head, nothing without rows; of those beyond `most` (0: no limit) a count is told."""
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    shown = cells[:most] if most else cells
    if not shown:
        return
    widths = [max(len(cell) for cell in column) for column in zip(head, *shown, strict=True)]
    for row in (head, *shown):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(shown) < len(cells):
        yield f"and {len(cells) - len(shown)} more"


def block(head: Sequence[str], rows: Iterable[Sequence[object]], *, most: int = 20) -> Iterator[str]:
    """A table with an empty line before it, nothing without rows."""
    for number, line in enumerate(table(head, rows, most=most)):
        yield from ("", line) if number == 0 else (line,)


def labelled(pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
    """`cluster   6f1c… (v1.35.4)`: a label and what it is; pairs without content are left out."""
    for label, content in pairs:
        if content not in ("", None):
            yield f"{label:<10}{printable(str(content))}"


def listed(names: Sequence[object], most: int = 5) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
