"""The page of a snapshot as lines for a terminal: about forty of them, whatever it holds."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kueuelift.text_table import block, labelled, listed

_MOST_ROWS = 6
"""Of a table whose length nobody can tell beforehand."""

_NAMED = 5
"""Objects being deleted, a kind."""

_HOW = {
    "stored": "as stored",
    "served": "converted",
    "fallback": "as stored, no conversion",
    "files": "from files",
}


def snapshot(content: dict[str, Any]) -> Iterator[Iterator[str]]:
    """The blocks of the page, top to bottom."""
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
            ("deleting", _deleting(content["deleting"], content["kinds"])),
            ("webhooks", listed([_webhook(it) for it in content["webhooks"]])),
            ("silent", _silent(content["withoutEndpoints"])),
            ("operators", listed([_operator(it) for it in content["deployments"] if not it["kueue"]])),
            ("around", _around(content["parts"])),
        ]
    )
    yield block(
        ("KIND", "OBJECTS", "VERSION", "LISTED", "STORED VERSIONS", "BEING DELETED"),
        [_kind(it) for it in content["kinds"]],
    )
    yield block(
        ("HELM RELEASE", "REVISION", "STATUS", "CHART", "APP VERSION"),
        [_release(it) for it in content["helm"]],
        most=_MOST_ROWS,
    )
    yield block(
        ("DEPLOYMENT", "IMAGE", "FEATURE GATES"),
        [_deployment(it) for it in content["deployments"] if it["kueue"]],
        most=_MOST_ROWS,
    )
    yield block(("OWNER", "NAME", "OBJECTS", "SOURCE"), [_owner(it) for it in content["owners"]], most=_MOST_ROWS)
    yield block(
        ("MISSING", "REASON", "REMEDY"),
        [
            (f"{it['what']}{' (foreign)' if it.get('foreign') else ''}", it["reason"], it["remedy"])
            for it in content["failures"]
        ],
        most=_MOST_ROWS,
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


def _deleting(names: dict[str, list[str]], kinds: list[dict[str, Any]]) -> str:
    """Some names of each kind; the page's data have more of them, and the kind's list the number."""
    counts = {it["kind"]: it["deleting"] for it in kinds}
    told = []
    for kind, found in names.items():
        more = counts.get(kind, len(found)) - min(len(found), _NAMED)
        told.append(f"{kind} {', '.join(found[:_NAMED])}" + (f" and {more} more" if more > 0 else ""))
    return "; ".join(told)


def _webhook(it: dict[str, Any]) -> str:
    return f"{it['name']} ({it['hooks']} hooks, {it['failing']} with failurePolicy Fail)"


def _silent(services: list[str]) -> str:
    return f"{listed(services)}: Services without a ready pod, nothing answers there" if services else ""


def _operator(it: dict[str, Any]) -> str:
    return f"{it['namespace']}/{it['name']} ({listed(it['images'])})"


def _around(parts: dict[str, int]) -> str:
    """`installation 45 of 14 resources, running 1200 of 3`."""
    objects, resources = Counter[str](), Counter[str]()
    for place, count in parts.items():
        folder = place.partition("/")[0]
        objects[folder] += count
        resources[folder] += 1
    told = [f"{folder} {count} of {resources[folder]} resources" for folder, count in sorted(objects.items())]
    return f"Kueue: {', '.join(told)}" if told else ""


def _deployment(it: dict[str, Any]) -> tuple[Any, ...]:
    return f"{it['namespace']}/{it['name']}", ", ".join(it["images"]), it["featureGates"]


def _owner(it: dict[str, Any]) -> tuple[Any, ...]:
    name = f"{it['namespace']}/{it['name']}" if it["namespace"] else it["name"]
    return it["tool"], name, it["objects"], it["source"]
