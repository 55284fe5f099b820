"""report.html: the same document for a browser; it loads nothing and runs nothing."""

from html import escape

from kueuelift_transform import document
from kueuelift_transform.document import Block, Items, Paragraph
from kueuelift_transform.report import Report
from kueuelift_transform.view import View

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b1f24; }}
h1 {{ font-size: 1.6rem; }} h2 {{ border-bottom: 1px solid #d0d7de; margin-top: 2rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ border: 1px solid #d0d7de; padding: .3rem .6rem; text-align: left; vertical-align: top; }}
td {{ overflow-wrap: anywhere; }}
th {{ background: #f6f8fa; }}
</style>
</head>
<body>
"""


def _render(view: View) -> str:
    title = escape(document.title(view))
    parts = [_HEAD.format(title=title), f"<h1>{title}</h1>\n"]
    for section in document.sections(view):
        parts.append(f"<h2>{escape(section.title)}</h2>\n")
        parts += [_block(block) for block in section.blocks]
    return "".join([*parts, "</body>\n</html>\n"])


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>\n"
    if isinstance(block, Items):
        return f"<ul>\n{''.join(f'<li>{escape(text)}</li>{chr(10)}' for text in block.texts)}</ul>\n"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in block.headers)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in block.rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"


REPORT = Report(file="report.html", title="The change, for a browser", render=_render)
