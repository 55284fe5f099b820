"""The page of a journal: which runs there were, what became of each step, and which backups lie there."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kueuelift import journal
from kueuelift.errors import ToolError, printable
from kueuelift.journal import Entry
from kueuelift.snapshot_dir import FORMAT, Snapshot

_OUTCOMES = {
    "intent": "begun, not ended",
    "batch": "begun, not ended",
    "already-done": "nothing to do",
    "done": "done",
    "failed": "failed",
}


def page(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """What the readable lines say, up to the first that is broken; with a sentence for each broken thing."""
    problems: list[str] = []
    entries: list[Entry] = []
    try:
        for entry in journal.read(folder):
            entries.append(entry)  # noqa: PERF402 - what was read before a broken line stays
    except ToolError as error:
        problems.append(str(error))
    steps = _steps(entries)
    started = [entry for entry in entries if entry.event == "run-started"]
    last = entries[-1] if entries else None
    content = {
        "plan": sorted({str(entry.detail.get("plan", "")) for entry in started}),
        "cluster": sorted({str(entry.detail.get("cluster", "")) for entry in started}),
        "lines": len(entries),
        "cutOff": journal.is_cut_off(folder),
        "runs": list(_runs(entries)),
        "steps": [{"id": step, **outcome} for step, outcome in steps.items()],
        "lastEvent": {"at": last.at, "event": last.event, "step": last.step} if last else None,
        "backups": list(_backups(folder, problems)),
        "record": journal.has_record(folder),
    }
    return content, problems


def _runs(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Each run with its ending; one that the next run found without an ending was killed."""
    running: dict[str, Any] | None = None
    for entry in entries:
        if entry.event == "run-started":
            if running:
                yield running | {"ended": "", "how": "killed"}
            running = {"started": entry.at, **{key: entry.detail.get(key, "") for key in ("server", "context")}}
        elif entry.event == "run-ended" and running:
            yield running | {"ended": entry.at, "how": str(entry.detail.get("how", ""))}
            running = None
    if running:
        yield running | {"ended": "", "how": "not ended: it runs at this moment, or was killed"}


def _steps(entries: Sequence[Entry]) -> dict[str, dict[str, str]]:
    """What became of each step, in the order in which they were begun; what was done stays done."""
    steps: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.step and entry.event in _OUTCOMES:
            before = steps.get(entry.step, {}).get("outcome")
            if entry.event == "already-done" and before is not None:
                outcome = before if before in {"done", "nothing to do"} else "done, by an interrupted run"
            else:
                outcome = _OUTCOMES[entry.event]
            reason = str(entry.detail.get("reason", "")) if entry.event == "failed" else ""
            steps[entry.step] = {"outcome": outcome, "at": entry.at, "reason": reason}
    return steps


def _backups(folder: Path, problems: list[str]) -> Iterator[dict[str, Any]]:
    """Snapshots with their digest, every byte verified, and objects as they were before they were removed."""
    for entry in journal.backups(folder):
        if not (entry / FORMAT.header_name).is_file():
            yield {"name": printable(entry.name), "what": "object", "digest": "", "state": ""}
            continue
        try:
            snapshot = Snapshot.open(entry)
            snapshot.sealed.verify()
        except ToolError as error:
            if not entry.name.startswith(journal.UNUSABLE):
                problems.append(str(error))
            yield {"name": printable(entry.name), "what": "snapshot", "digest": "", "state": "broken"}
        else:
            state = "intact" if snapshot.whole else "intact, not complete"
            yield {"name": printable(entry.name), "what": "snapshot", "digest": snapshot.digest, "state": state}
