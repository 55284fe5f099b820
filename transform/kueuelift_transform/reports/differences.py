"""diff.txt: every distinct edit, once."""

from kueuelift_transform.report import Report
from kueuelift_transform.view import View


def _render(view: View) -> str:
    return "".join(f"{entry}\n" for entry in view.ledger.differences.entries())


REPORT = Report(file="diff.txt", title="Every distinct edit, with how often it is made", render=_render)
