"""The record: what the journal says was done, as the evidence that goes to the ticket."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuelift import journal as journals
from kueuelift.journal import Entry
from kueuelift.plan_dir import Plan
from kueuelift.sealed import canonical_json

_SHOWN = 3
"""Names of a list that the readable record shows; record.json has all."""
_LINES = {"done": "done", "already-done": "nothing to do", "failed": "failed"}


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRecord:
    """What became of one step, over all runs."""

    id: str
    title: str
    outcome: str
    started: str
    ended: str
    detail: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The step as record.json has it."""
        return {
            "id": self.id,
            "title": self.title,
            "outcome": self.outcome,
            "started": self.started,
            "ended": self.ended,
            "detail": self.detail,
        }


def write(plan: Plan, folder: Path) -> Path:
    """Write `record.json` and `record.md` beside the journal, over older ones; returns the readable one."""
    entries = [entry for entry in journals.read(folder) if entry.event != "batch"]
    steps = _steps(plan, entries)
    runs = [{"started": entry.at, **entry.detail} for entry in entries if entry.event == "run-started"]
    endings = [{"ended": entry.at, **entry.detail} for entry in entries if entry.event == "run-ended"]
    document = {
        "plan": plan.digest,
        "cluster": plan.cluster_uid,
        "runs": [{**start, **end} for start, end in _paired(runs, endings)],
        "windowWithoutKueue": _window(plan, steps),
        "steps": [step.to_dict() for step in steps],
    }
    _put(folder / journals.RECORD_FOR_PROGRAMS, canonical_json(document))
    _put(folder / journals.RECORD, _readable(document, steps).encode())
    return folder / journals.RECORD


def _paired(
    runs: Sequence[dict[str, Any]], endings: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each run with the first ending after it; a killed run has none."""
    pairs = []
    for number, run in enumerate(runs):
        before = runs[number + 1]["started"] if number + 1 < len(runs) else "~"
        ending = next((end for end in endings if run["started"] <= end["ended"] <= before), {"how": "killed"})
        pairs.append((run, ending))
    return pairs


def _steps(plan: Plan, entries: Sequence[Entry]) -> list[StepRecord]:
    steps = []
    for step in plan.steps:
        mine = [entry for entry in entries if entry.step == step.id]
        worked = [entry for entry in mine if entry.event == "done"]
        last = (worked or [entry for entry in mine if entry.event in _LINES])[-1:]
        intents = [entry.at for entry in mine if entry.event == "intent"]
        steps.append(
            StepRecord(
                id=step.id,
                title=step.title,
                outcome=_outcome(last, intents) if last else "not finished" if mine else "not reached",
                started=intents[0] if intents else "",
                ended=last[0].at if last else "",
                detail=dict(last[0].detail) if last else {},
            )
        )
    return steps


def _outcome(last: Sequence[Entry], intents: Sequence[str]) -> str:
    """A step that was begun, killed, and found done by a later run was done by the killed one."""
    if last[0].event == "already-done" and intents:
        return "done, by an interrupted run"
    return _LINES[last[0].event]


def _window(plan: Plan, steps: Sequence[StepRecord]) -> dict[str, str]:
    """From when to when no Kueue ran: from the first manager held to the new controller answering."""
    kinds = {step.id: step.kind for step in plan.steps}
    held = [step.started for step in steps if kinds[step.id] == "hold" and step.started]
    answered = [step.ended for step in steps if kinds[step.id] == "await" and step.outcome in {"done", "nothing to do"}]
    return {"from": held[0], "to": answered[-1] if answered else ""} if held else {}


def _readable(document: dict[str, Any], steps: Sequence[StepRecord]) -> str:
    window = document["windowWithoutKueue"]
    lines = [
        "# Record of kueuelift apply",
        "",
        f"- plan: `{document['plan']}`",
        f"- cluster: `{document['cluster']}`",
        *([f"- no Kueue ran from {window['from']} to {window['to'] or 'now'}"] if window else []),
        "",
        "## Runs",
        "",
        *(
            f"- {run['started']} to {run.get('ended', '?')} on {run['server']}: {run['how']}"
            for run in document["runs"]
        ),
        "",
        "## Steps",
        "",
        "| step | outcome | ended | what |",
        "|---|---|---|---|",
        *(f"| {step.id} | {step.outcome} | {step.ended} | {_cell(step)} |" for step in steps),
        "",
    ]
    return "\n".join(lines)


def _cell(step: StepRecord) -> str:
    told = "; ".join(f"{key}: {_short(value)}" for key, value in step.detail.items() if value not in ("", [], {}, None))
    return f"{step.title}" + (f" ({told})" if told else "")


def _short(value: Any) -> str:
    if isinstance(value, list):
        failed = [item["name"] for item in value if isinstance(item, dict) and not item.get("passed", True)]
        if value and isinstance(value[0], dict):
            return f"{len(value) - len(failed)} of {len(value)} passed"
        shown = ", ".join(str(item) for item in value[:_SHOWN])
        return shown if len(value) <= _SHOWN else f"{shown} and {len(value) - _SHOWN} more"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(below)}" for key, below in value.items())
    return str(value).replace("|", "\\|").replace("\n", " ")


def _put(path: Path, content: bytes) -> None:
    """Replace a file in one move, readable by its owner only."""
    unfinished = path.with_suffix(path.suffix + ".partial")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    unfinished.replace(path)
