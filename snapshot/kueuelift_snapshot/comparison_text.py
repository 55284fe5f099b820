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
_SIGNS = {How.CHANGED: "~", How.ADDED: "+", How.REMOVED: "-", How.RECREATED: "="}
_DIFFERENT = (How.CHANGED, How.ADDED, How.REMOVED)

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


def shortcoming(comparison: Comparison) -> str:
    """Why an answer is none, and what to do: of a comparison that ends with 3."""
    both = f"{comparison.before.name} and {comparison.after.name}"
    if any(gap.failed for gap in comparison.gaps):
        return (
            f"{both} could not be compared in all: see what was not compared and why, and take another snapshot where "
            "one is incomplete"
        )
    if comparison.tokens:
        values = "1 hidden value was" if comparison.tokens == 1 else f"{comparison.tokens} hidden values were"
        return (
            f"{both} do not differ in what could be compared, but {values} not compared, since two keys hide them; "
            "take both snapshots with the same --token-key"
        )
    return (
        f"{both} do not differ in what could be compared, but they have objects in two versions: see which fields were "
        "not compared"
    )


def _identity(side: Side) -> str:
    header = side.snapshot.header
    cluster = header["cluster"]
    where = f"cluster {cluster['uid']} ({cluster['version']})" if cluster["uid"] else "from files"
    taken = header["volatile"].get("takenAt")
    return printable(", ".join(filter(None, (side.snapshot.digest[:19], where, f"taken {taken}" if taken else ""))))


def _summary(comparison: Comparison) -> str:
    sums = {word: sum(getattr(tally, word) for tally in comparison.tallies) for word in ("same", "recreated")}
    different = {how: sum(getattr(tally, how) for tally in comparison.tallies) for how in _DIFFERENT}
    again = f" ({sums['recreated']} of them re-created)" if sums["recreated"] else ""
    counts = f"{sums['same']} same, {', '.join(f'{count} {how}' for how, count in different.items())}{again}"
    if any(different.values()):
        return f"{counts}{_uncompared_tokens(comparison)}"
    whole = comparison.exit_code == 0
    what = f"no differences{'' if whole else ' in what could be compared'}"
    return f"{what}: {counts}{_uncompared_tokens(comparison)}"


def _uncompared_tokens(comparison: Comparison) -> str:
    count = comparison.tokens
    values = f"{count} value{'' if count == 1 else 's'} hidden and not compared"
    return f"; {values} (give both snapshots the same --token-key)" if count else ""


def _change(change: Change, paint: Paint) -> Iterator[str]:
    sign = _SIGNS[change.how]
    names = ", ".join(map(printable, change.objects[:_NAMES]))
    more = f", … ({change.count})" if change.count > _NAMES else ""
    yield paint(sign, f"{sign} {change.what} {names}{more}")
    yield from (paint("~", f"    {printable(note)}") for note in change.notes)
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
        yield "hidden (--show-volatile tells what changes by itself):"
        for hidden in comparison.hidden:
            yield f"  {hidden.field}: {hidden.objects} object{'' if hidden.objects == 1 else 's'}; {hidden.reason}"
    if comparison.tokens or comparison.gaps:
        yield ""
        yield "not compared:"
    if comparison.tokens:
        yield f"  hidden values: {comparison.tokens}; the keys that hide them are not the same"
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
                "recreated": tally.recreated,
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
                "notes": list(change.notes),
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
