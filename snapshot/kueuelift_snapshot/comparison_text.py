"""A comparison as a person reads it on a terminal, and as data."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from kueuelift.difference import MISSING, Edit
from kueuelift.errors import printable
from kueuelift.meaning import written
from kueuelift.redaction import has_token, told
from kueuelift.text_table import table
from kueuelift_snapshot.changes import Change, How
from kueuelift_snapshot.comparison_result import Comparison, Side

FORMAT = "kueuelift.comparison/v1"
"""What `-o json` and `-o yaml` print."""

_NAMES = 3
_EDITS = 40
"""Fields told per object: two releases of a CRD differ in hundreds."""
_LONGEST = 120
_SIGNS = {How.CHANGED: "~", How.ADDED: "+", How.REMOVED: "-"}

Paint = Callable[[str, str], str]
"""Gives a line the colour of its sign."""


def text(comparison: Comparison, paint: Paint) -> Iterator[str]:
    """The lines: which snapshots, how much differs, each change, what was hidden or could not be compared."""
    for sign, side in (("-", comparison.before), ("+", comparison.after)):
        yield f"{sign * 3} {side.name}  {_identity(side)}"
    yield from (f"note: {note}" for note in comparison.notes)
    yield ""
    yield _summary(comparison)
    for change in comparison.changes:
        yield ""
        yield from _change(change, paint)
    yield from _table(comparison)
    yield from _hidden(comparison)


def _identity(side: Side) -> str:
    header = side.snapshot.header
    cluster = header["cluster"]
    where = f"cluster {cluster['uid']} ({cluster['version']})" if cluster["uid"] else "from files"
    taken = header["volatile"].get("takenAt")
    return printable(", ".join(filter(None, (side.snapshot.digest[:19], where, f"taken {taken}" if taken else ""))))


def _summary(comparison: Comparison) -> str:
    sums = {how: sum(getattr(tally, how) for tally in comparison.tallies) for how in ("same", *How)}
    counts = f"{sums['same']} same, {', '.join(f'{sums[how]} {how}' for how in How)}"
    if any(sums[how] for how in How):
        return counts
    whole = comparison.exit_code == 0
    return f"no differences{'' if whole else ' in what could be compared'}: {counts}"


def _change(change: Change, paint: Paint) -> Iterator[str]:
    sign = _SIGNS[change.how]
    names = ", ".join(map(printable, change.objects[:_NAMES]))
    more = f", … ({change.count})" if change.count > _NAMES else ""
    yield paint(sign, f"{sign} {change.what} {names}{more}")
    for edit in change.edits[:_EDITS]:
        yield from _edit(edit, paint)
    if len(change.edits) > _EDITS:
        yield f"    … and {len(change.edits) - _EDITS} more; -o json tells all"
    for field in change.fields:
        yield paint("~", f"    ~ {printable(field)}: other values in each")


def _edit(edit: Edit, paint: Paint) -> Iterator[str]:
    path = printable(edit.path)
    if edit.before is MISSING:
        yield paint("+", f"    + {path}: {_value(edit.after)}")
    elif edit.after is MISSING:
        yield paint("-", f"    - {path}: {_value(edit.before)}")
    else:
        another = " (another hidden value)" if has_token(edit.before) and has_token(edit.after) else ""
        yield paint("~", f"    ~ {path}: {_value(edit.before)} -> {_value(edit.after)}{another}")


def _value(value: Any) -> str:
    """As JSON of one line, which leaves no control character to a terminal."""
    line = json.dumps(told(written(value)), sort_keys=True, ensure_ascii=False)
    return printable(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")


def _table(comparison: Comparison) -> Iterator[str]:
    rows = [
        (tally.what, tally.same, tally.changed, tally.added, tally.removed)
        for tally in comparison.tallies
        if tally.same or tally.changed or tally.added or tally.removed
    ]
    if rows:
        yield ""
    yield from table(("WHAT", "SAME", "CHANGED", "ADDED", "REMOVED"), rows)


def _hidden(comparison: Comparison) -> Iterator[str]:
    if comparison.hidden:
        yield ""
        yield "hidden, since they change by themselves (--show-volatile tells them):"
        for hidden in comparison.hidden:
            yield f"  {hidden.field}: {hidden.objects} object{'' if hidden.objects == 1 else 's'}; {hidden.reason}"
    if comparison.tokens or comparison.gaps:
        yield ""
        yield "not compared:"
    if comparison.tokens:
        yield f"  hidden values: {comparison.tokens}; give both snapshots one --token-key"
    for gap in comparison.gaps:
        yield f"  {printable(gap.what)}: {printable(gap.reason)}"


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """As `-o json` prints it: formats/comparison.v1.json."""
    return {
        "format": FORMAT,
        "exitCode": comparison.exit_code,
        "before": _side(comparison.before),
        "after": _side(comparison.after),
        "counts": [
            {
                "what": tally.what,
                "same": tally.same,
                "changed": tally.changed,
                "added": tally.added,
                "removed": tally.removed,
            }
            for tally in comparison.tallies
        ],
        "changes": [
            {
                "how": str(change.how),
                "what": change.what,
                "count": change.count,
                "objects": change.objects,
                "edits": [_edit_to_dict(edit) for edit in change.edits],
                "fields": list(change.fields),
            }
            for change in comparison.changes
        ],
        "hidden": [
            {"field": hidden.field, "reason": hidden.reason, "objects": hidden.objects} for hidden in comparison.hidden
        ],
        "tokens": {"compared": comparison.tokens_compared, "notCompared": comparison.tokens},
        "notCompared": [
            {"what": gap.what, "reason": gap.reason, "incomplete": gap.failed, "versions": gap.versions}
            for gap in comparison.gaps
        ],
        "notes": list(comparison.notes),
    }


def _side(side: Side) -> dict[str, Any]:
    header = side.snapshot.header
    return {
        "name": side.name,
        "digest": side.snapshot.digest,
        "origin": header["origin"],
        "cluster": dict(header["cluster"]),
        "complete": header["complete"],
    }


def _edit_to_dict(edit: Edit) -> dict[str, Any]:
    sides = {"before": edit.before, "after": edit.after}
    return {"path": edit.path} | {side: told(written(value)) for side, value in sides.items() if value is not MISSING}
