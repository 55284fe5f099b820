"""What a snapshot lacks, for a terminal: a narrow table, and the rules that would allow what was forbidden."""

import re
import textwrap
from collections.abc import Iterator, Sequence

from kueuelift import yaml_text
from kueuelift.cluster_role import merged
from kueuelift.errors import printable
from kueuelift.model import Failure
from kueuelift.text_table import table

_WIDTH, _LEAST = 110, 40
"""Of the table, and of its column with reasons where names are long."""

_FORBIDDEN = re.compile(r"(?P<status>\d+: ).* is forbidden: (?P<who>User \"[^\"]*\" cannot \w+) resource .*")
"""What every API server says of a right that is missing: the resource is in the first column, and in the rules."""


def missing(failures: Sequence[Failure], whole_role: str) -> Iterator[str]:
    """A table of what is missing and why, then one block of rules; `whole_role` says what prints the role with all."""
    room = max(_LEAST, _WIDTH - max((len(failure.what) for failure in failures), default=0))
    yield from table(("MISSING", "REASON AND REMEDY"), [row for failure in failures for row in _rows(failure, room)])
    if rules := merged(failure.rule for failure in failures if failure.rule):
        yield ""
        yield "These rules of a ClusterRole would allow it;"
        yield f"{whole_role}:"
        yield ""
        yield from (printable(line) for line in yaml_text.dump(rules).splitlines())


def _rows(failure: Failure, room: int) -> Iterator[tuple[str, str]]:
    what = f"{failure.what}{' (not Kueue)' if failure.foreign else ''}"
    known = _FORBIDDEN.fullmatch(failure.reason) if failure.rule else None
    reason = textwrap.wrap(f"{known['status']}{known['who']} it" if known else failure.reason, room)
    remedy = "" if failure.rule else failure.remedy
    lines = [*reason, *textwrap.wrap(remedy, room, initial_indent="-> ", subsequent_indent="   ")]
    for number, line in enumerate(lines):
        yield what if number == 0 else "", line
