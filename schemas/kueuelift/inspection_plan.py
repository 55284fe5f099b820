"""The page of a plan: from where to where, by which steps, and what stands in the way."""

from collections import Counter
from collections.abc import Callable, Set
from typing import Any

from kueuelift.errors import UntrustedError
from kueuelift.plan_dir import FINDINGS, LOSSES, Plan
from kueuelift.sealed import Sealed


def page(sealed: Sealed, intact: Set[str]) -> tuple[dict[str, Any], list[str]]:
    """What the header says, and what the intact files add; with a sentence for each thing that could not be read."""
    header, problems, plan = sealed.header, list[str](), Plan(sealed=sealed)
    findings = _read(FINDINGS, plan.findings, intact, problems)
    losses = _read(LOSSES, plan.losses, intact, problems)
    content = {
        "cluster": dict(header["cluster"]),
        "snapshot": dict(header["snapshot"]),
        "source": dict(header["source"]),
        "target": dict(header["target"]),
        "hops": list(header["hops"]),
        "settings": dict(header["settings"]),
        "applicable": header["applicable"],
        "counts": dict(header["counts"]),
        "phases": [
            {**phase, "steps": [_step(step) for step in header["steps"] if step["phase"] == phase["name"]]}
            for phase in header["phases"]
        ],
        "findings": None if findings is None else _counted(findings),
        "open": [f"{it.get('id')} {it.get('detail')}" for it in findings or [] if _is_open_blocker(it)],
        "losses": None if losses is None else sum(map(_lost, losses)),
    }
    return content, problems


def _lost(entry: dict[str, Any]) -> int:
    """How many objects an entry of losses.json has that lose what the field meant."""
    objects = entry.get("objects")
    return len(objects) if entry.get("meaning") != "kept" and isinstance(objects, list) else 0


def _step(step: dict[str, Any]) -> dict[str, Any]:
    return {key: step[key] for key in ("id", "kind", "title", "undo")}


def _counted(findings: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """By severity, then by state."""
    counted: dict[str, Counter[str]] = {}
    for finding in findings:
        counted.setdefault(str(finding.get("severity")), Counter())[str(finding.get("state"))] += 1
    return {severity: dict(sorted(states.items())) for severity, states in sorted(counted.items())}


def _is_open_blocker(finding: dict[str, Any]) -> bool:
    return finding.get("severity") == "blocker" and finding.get("state") == "open"


def _read(
    path: str, read: Callable[[], list[dict[str, Any]]], intact: Set[str], problems: list[str]
) -> list[dict[str, Any]] | None:
    """A list of objects; None where the plan has no such file, or a broken one."""
    if path not in intact:
        return None
    try:
        return read()
    except UntrustedError as error:
        problems.append(str(error))
        return None
