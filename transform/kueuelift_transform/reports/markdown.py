"""REPORT.md: what hangs on the change ticket."""

import re
from collections.abc import Iterator

from kueuelift_transform import document
from kueuelift_transform.document import Block, Items, Paragraph
from kueuelift_transform.report import Report
from kueuelift_transform.view import View


def _render(view: View) -> str:
    lines = [f"# {plain(document.title(view))}", ""]
    for section in document.sections(view):
        lines += [f"## {plain(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join(lines)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield plain(block.text)
    elif isinstance(block, Items):
        yield from (f"- {plain(text)}" for text in block.texts)
    else:
        yield _row(block.headers)
        yield "|" + "---|" * len(block.headers)
        yield from (_row(row) for row in block.rows)


def _row(cells: object) -> str:
    assert isinstance(cells, tuple | list)  # noqa: S101 - tells the type checker what a row is
    return f"| {' | '.join(plain(cell) for cell in cells)} |"


def plain(text: str) -> str:
    """Text that no Markdown reader takes for markup, on one line."""
    return re.sub(r"([\\`*|<]|^[>#+-]|(?<=\])\()", r"\\\1", " ".join(text.split()))


REPORT = Report(file="REPORT.md", title="The change, for the ticket", render=_render)
