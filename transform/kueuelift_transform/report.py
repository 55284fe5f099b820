"""What a report is: one file of the plan, made from the whole view."""

from collections.abc import Callable
from dataclasses import dataclass

from kueuelift.catalogue import discover
from kueuelift_transform import reports
from kueuelift_transform.view import View


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One item of the catalogue `reports/`."""

    file: str
    """Its name in the plan."""
    title: str
    render: Callable[[View], str]


def all_reports() -> list[Report]:
    """Every report, by module."""
    return discover(reports, "REPORT", Report)
