"""The page of `inspect` as lines for a terminal."""

from collections.abc import Callable, Iterator
from typing import Any

from kueuelift.journal import RECORD
from kueuelift.text_table import labelled, listed, table

_MOST_ROWS = 20

_HOW = {
    "stored": "as stored",
    "served": "converted",
    "fallback": "as stored, no conversion",
    "files": "from files",
}


def lines(content: dict[str, Any]) -> Iterator[str]:
    """The page, top to bottom: what it is and its seal, what its kind has to tell, what is broken."""
    seal, kind = content["seal"], _KINDS.get(content["what"])
    archive = " (archive)" if content.get("archive") else ""
    yield from labelled([(content["what"], f"{content['path']}{archive}"), ("seal", _seal(seal))])
    yield from labelled([("digest", content.get("digest", ""))])
    if kind and content.keys() - {"what", "path", "seal", "archive"}:
        for block in kind(content):
            yield from block
    if seal["problems"]:
        yield ""
        yield from table(("BROKEN",), [(problem,) for problem in seal["problems"]], most=_MOST_ROWS)


def _seal(seal: dict[str, Any]) -> str:
    if seal["state"] == "intact":
        return f"intact: every byte of {seal['files']} files is as its header says"
    if seal["state"] == "broken":
        return "broken: see below; only what can be believed is shown"
    return "none: a journal grows"


def _block(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Iterator[str]:
    """A table with an empty line before it."""
    if rows:
        yield ""
        yield from table(head, rows, most=_MOST_ROWS)


def _snapshot(content: dict[str, Any]) -> Iterator[Iterator[str]]:
    cluster, tokens = content["cluster"], content["tokens"]
    took = f" in {content['seconds']} s" if content["seconds"] is not None else ""
    yield labelled(
        [
            ("taken", f"{content['takenAt'] or 'at an unknown time'}{took} by {content['tool']}"),
            ("from", "files" if content["origin"] == "files" else content["server"]),
            ("cluster", f"{cluster['uid']} ({cluster['version']})" if cluster["uid"] else ""),
            ("complete", _completeness(content)),
            (
                "kueue",
                ""
                if content["kueueInstalled"] or content["origin"] == "files"
                else "not installed: no CRD of kueue.x-k8s.io",
            ),
            (
                "hidden",
                f"{tokens['values']} values in {tokens['files']} files behind tokens of key {tokens['keyId']}"
                if tokens["values"]
                else "",
            ),
            (
                "unknown",
                f"{listed(content['unknownKinds'])}: their CRDs are here, their objects are not"
                if content["unknownKinds"]
                else "",
            ),
            ("narrowed", " ".join(content["narrowed"])),
            ("without", _without(content)),
            (
                "unseen",
                f"{listed(content['unseen'])}: may not be listed; objects of them with a queue are not in here"
                if content["unseen"]
                else "",
            ),
            ("skipped", _skipped(content["skipped"])),
        ]
    )
    yield _block(
        ("KIND", "OBJECTS", "VERSION", "LISTED", "STORED VERSIONS", "BEING DELETED"),
        [_kind(it) for it in content["kinds"]],
    )
    names = [(kind, name) for kind, names in content["deleting"].items() for name in names]
    yield _block(("BEING DELETED", "NAME"), names)
    yield _block(
        ("HELM RELEASE", "REVISION", "STATUS", "CHART", "APP VERSION"), [_release(it) for it in content["helm"]]
    )
    yield _block(("AROUND KUEUE", "OBJECTS"), list(content["parts"].items()))
    yield _block(
        ("MISSING", "REASON", "REMEDY"),
        [
            (f"{it['what']}{' (foreign)' if it.get('foreign') else ''}", it["reason"], it["remedy"])
            for it in content["failures"]
        ],
    )


def _completeness(content: dict[str, Any]) -> str:
    if content["whole"]:
        return "yes, and not narrowed"
    if content["complete"]:
        return "narrowed: for reading and transform, its plan is not applied"
    return "no: see what is missing; for reading and transform, its plan is not applied"


def _without(content: dict[str, Any]) -> str:
    parts = content["without"]
    if not parts:
        return ""
    files = content["origin"] == "files"
    why = "the files hold none" if files else f"left out by {' '.join(f'--no-{part}' for part in parts)}"
    return f"{', '.join(parts)}: {why}"


def _skipped(skipped: dict[str, Any]) -> str:
    foreign = [f"{count} {kind}" for kind, count in sorted(skipped.get("foreign", {}).items())]
    unparsed = skipped.get("unparsed", [])
    told = [f"foreign objects: {listed(foreign)}"] if foreign else []
    if unparsed:
        told.append(f"not read: {listed([it['path'] for it in unparsed])}")
    return "; ".join(told)


def _kind(it: dict[str, Any]) -> tuple[Any, ...]:
    others = [f"{count} {version}" for version, count in it["versions"].items()]
    version = ", ".join(others) if len(others) > 1 else it["version"]
    how = _HOW.get(it["how"], it["how"]) + ("" if it["consistent"] else ", not at one moment")
    return it["kind"], it["count"], version, how, ", ".join(it["stored"]), it["deleting"] or ""


def _release(it: dict[str, Any]) -> tuple[Any, ...]:
    chart = it["chart"]
    kept = f"{it['revision']} ({it['revisions']} kept)" if it["revisions"] > 1 else str(it["revision"])
    deployed = it["deployed"]
    status = (
        it["status"] if it["status"] == "deployed" or not deployed else f"{it['status']} (deployed: {listed(deployed)})"
    )
    name = f"{chart.get('name', '?')} {chart.get('version', '?')}"
    return f"{it['namespace']}/{it['release']}", kept, status, name, chart.get("appVersion", "")


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
    yield _block(("OPEN BLOCKER",), [(it,) for it in content["open"]])
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
    yield _block(
        ("RUN", "ENDED", "SERVER", "HOW"),
        [(it["started"], it["ended"], it["server"], it["how"]) for it in content["runs"]],
    )
    yield _block(
        ("STEP", "OUTCOME", "AT", "REASON"),
        [(it["id"], it["outcome"], it["at"], it["reason"]) for it in content["steps"]],
    )
    yield _block(
        ("BACKUP", "WHAT", "STATE", "DIGEST"),
        [(it["name"], it["what"], it["state"], it["digest"]) for it in content["backups"]],
    )


_KINDS: dict[str, Callable[[dict[str, Any]], Iterator[Iterator[str]]]] = {
    "snapshot": _snapshot,
    "plan": _plan,
    "journal": _journal,
}
