"""The page of `inspect` as lines for a terminal."""

from collections.abc import Callable, Iterator
from typing import Any

from kueuelift import inspection_snapshot_text
from kueuelift.journal import RECORD
from kueuelift.text_table import block, labelled, listed, table

_MOST_ROWS = 20


def lines(content: dict[str, Any]) -> Iterator[str]:
    """The page, top to bottom: what it is and its seal, what its kind has to tell, what is broken."""
    seal, kind = content["seal"], _KINDS.get(content["what"])
    archive = " (archive)" if content.get("archive") else ""
    yield from labelled([(content["what"], f"{content['path']}{archive}"), ("seal", _seal(seal))])
    yield from labelled([("digest", content.get("digest", ""))])
    if kind and content.keys() - {"what", "path", "seal", "archive"}:
        for part in kind(content):
            yield from part
    if seal["problems"]:
        yield ""
        yield from table(("BROKEN",), [(problem,) for problem in seal["problems"]], most=_MOST_ROWS)


def _seal(seal: dict[str, Any]) -> str:
    if seal["state"] == "intact":
        return f"intact: every byte of {seal['files']} files is as its header says"
    if seal["state"] == "broken":
        return "broken: see below; only what can be believed is shown"
    return "none: a journal grows"


def _plan(content: dict[str, Any]) -> Iterator[Iterator[str]]:
    source, target, snapshot = content["source"], content["target"], content["snapshot"]
    counts = ", ".join(f"{count} {plural}" for plural, count in content["counts"].items() if count)
    settings = [f"{name}: {value}" for name, value in content["settings"].items()]
    yield labelled(
        [
            ("made by", content["tool"]),
            ("snapshot", f"{snapshot['digest']}{'' if snapshot['complete'] else ' (incomplete)'}"),
            ("cluster", f"{content['cluster']['uid']} ({content['cluster']['version']})"),
            ("way", f"{source['release'] or 'no Kueue'} -> {target['release']}, target {target['name']}"),
            ("hops", ", ".join(f"{hop['name']} ({hop['evidence']})" for hop in content["hops"]) or "none"),
            ("settings", listed(settings)),
            ("objects", counts or "none"),
            ("findings", _findings(content["findings"])),
            ("losses", "unknown" if content["losses"] is None else content["losses"] or "none"),
            ("apply", "yes" if content["applicable"] else "no: a blocker is open, or the snapshot is not whole"),
        ]
    )
    yield block(("OPEN BLOCKER",), [(it,) for it in content["open"]])
    for phase in content["phases"]:
        yield iter(["", *labelled([("phase", f"{phase['name']}: {phase['title']}")])])
        yield table(
            ("  STEP", "WHAT", "UNDO"),
            [(f"  {step['id']}", step["title"], _undo(step["undo"])) for step in phase["steps"]],
        )


def _undo(undo: dict[str, Any]) -> str:
    return "possible" if undo["possible"] else "no"


def _findings(findings: dict[str, dict[str, int]] | None) -> str:
    if findings is None:
        return "unknown"
    told = [
        f"{sum(states.values())} {severity} ({', '.join(f'{count} {state}' for state, count in states.items())})"
        for severity, states in findings.items()
    ]
    return ", ".join(told) or "none"


def _journal(content: dict[str, Any]) -> Iterator[Iterator[str]]:
    last = content["lastEvent"]
    finished = sum(step["outcome"].startswith(("done", "nothing")) for step in content["steps"])
    failed = sum(step["outcome"] == "failed" for step in content["steps"])
    yield labelled(
        [
            ("plan", listed(content["plan"])),
            ("cluster", listed(content["cluster"])),
            ("lines", f"{content['lines']}{', and one cut off by a crash' if content['cutOff'] else ''}"),
            ("steps", f"{finished} done, {failed} failed, {len(content['steps']) - finished - failed} not ended"),
            ("last", f"{last['event']} {last['step']} at {last['at']}" if last else "nothing yet"),
            ("record", RECORD if content["record"] else "none yet"),
        ]
    )
    yield block(
        ("RUN", "ENDED", "SERVER", "HOW"),
        [(it["started"], it["ended"], it["server"], it["how"]) for it in content["runs"]],
    )
    yield block(
        ("STEP", "OUTCOME", "AT", "REASON"),
        [(it["id"], it["outcome"], it["at"], it["reason"]) for it in content["steps"]],
    )
    yield block(
        ("BACKUP", "WHAT", "STATE", "DIGEST"),
        [(it["name"], it["what"], it["state"], it["digest"]) for it in content["backups"]],
    )


_KINDS: dict[str, Callable[[dict[str, Any]], Iterator[Iterator[str]]]] = {
    "snapshot": inspection_snapshot_text.snapshot,
    "plan": _plan,
    "journal": _journal,
}
