"""The page of a snapshot: when, from where, how many of what, and what it lacks."""

from collections.abc import Iterator, Set
from itertools import groupby, islice
from typing import Any

import orjson

from kueuelift.errors import ToolError
from kueuelift.inspection_installation import installation
from kueuelift.kinds import BY_PLURAL, KINDS, Kind
from kueuelift.model import ObjectRef
from kueuelift.sealed import Sealed
from kueuelift.snapshot_dir import Snapshot

_MOST_NAMES = 100
"""Of objects being deleted, a kind: enough to find the cause, and a page stays a page."""


def page(sealed: Sealed, intact: Set[str]) -> tuple[dict[str, Any], list[str]]:
    """What the header says, and what the intact files add; with a sentence for each thing that could not be read."""
    header, problems = sealed.header, list[str]()
    volatile = header["volatile"]
    helm = list(_helm(sealed, intact, problems))
    content = {
        "origin": header["origin"],
        "takenAt": _of(str, volatile.get("takenAt"), ""),
        "seconds": _of(float, volatile.get("seconds"), None),
        "server": _of(str, volatile.get("server"), ""),
        "cluster": dict(header["cluster"]),
        "complete": header["complete"],
        "whole": Snapshot(sealed=sealed).whole,
        "kueueInstalled": header["kueue"]["installed"],
        "unknownKinds": sorted(header["kueue"]["crds"].keys() - BY_PLURAL.keys()),
        "kinds": [_kind(kind, header) for kind in KINDS if kind.plural in header["lists"]],
        "deleting": _deleting(sealed, problems),
        "helm": helm,
        **installation(sealed, intact, helm, problems),
        "parts": dict(header["parts"]),
        "tokens": _tokens(header["redaction"]),
        "failures": list(header["failures"]),
        "unseen": list(header["unseen"]),
        "narrowed": list(header["narrowed"]),
        "without": list(header["without"]),
        "skipped": dict(header.get("skipped", {})),
    }
    return content, problems


def _kind(kind: Kind, header: Any) -> dict[str, Any]:
    """One list as it was obtained, with the versions in which the cluster has ever stored its kind."""
    crd = header["kueue"]["crds"].get(kind.plural, {})
    obtained = _of(dict, _of(dict, header["volatile"].get("lists"), {}).get(kind.plural), {})
    return {
        "kind": kind.name,
        **header["lists"][kind.plural],
        "stored": crd.get("storedVersions", []),
        "consistent": _of(bool, obtained.get("consistent"), True),
    }


def _tokens(redaction: Any) -> dict[str, Any]:
    """How many values are hidden, in how many files, and under which key."""
    counts = [sum(fields.values()) for fields in redaction["paths"].values()]
    return {"values": sum(counts), "files": len(counts), "keyId": redaction["keyId"]}


def _of(wanted: type, found: Any, otherwise: Any) -> Any:
    """A value of the volatile block, which is not sealed and can be anything."""
    return found if isinstance(found, wanted) else otherwise


def _deleting(sealed: Sealed, problems: list[str]) -> dict[str, list[str]]:
    """By kind, the names of objects with a deletionTimestamp; only kinds that have some are read."""
    found: dict[str, list[str]] = {}
    for kind in KINDS:
        if sealed.header["lists"].get(kind.plural, {}).get("deleting"):
            names = found.setdefault(kind.name, [])
            try:
                names.extend(islice(_names_of_deleted(sealed, kind), _MOST_NAMES))
            except ToolError as error:
                problems.append(str(error))
    return found


def _names_of_deleted(sealed: Sealed, kind: Kind) -> Iterator[str]:
    for obj in Snapshot(sealed=sealed).objects(kind):
        if obj["metadata"].get("deletionTimestamp"):
            ref = ObjectRef.of(obj)
            yield f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _helm(sealed: Sealed, intact: Set[str], problems: list[str]) -> Iterator[dict[str, Any]]:
    """The newest revision of each release, with how many are there and which one is deployed."""
    records = sorted(
        _records(sealed, intact, problems),
        key=lambda it: (it["namespace"], it["release"], it["driver"], it["revision"]),
    )
    for (namespace, release, driver), revisions in groupby(
        records, key=lambda it: (it["namespace"], it["release"], it["driver"])
    ):
        known = list(revisions)
        yield {
            "namespace": namespace,
            "release": release,
            "driver": driver,
            "revision": known[-1]["revision"],
            "status": known[-1]["status"],
            "chart": known[-1]["chart"],
            "revisions": len(known),
            "deployed": [it["revision"] for it in known if it["status"] == "deployed"],
        }


def _records(sealed: Sealed, intact: Set[str], problems: list[str]) -> Iterator[dict[str, Any]]:
    for path in sealed.names("helm"):
        if path not in intact or not path.endswith("/release.json"):
            continue
        try:
            yield _record(orjson.loads(sealed.read(path)))
        except (ValueError, TypeError, KeyError) as error:
            problems.append(f"{sealed.where(path)}: no record of a Helm revision ({error}); take the snapshot again")


def _record(found: Any) -> dict[str, Any]:
    """What a page needs of a record; KeyError or TypeError where it has another shape."""
    wanted = {"namespace": str, "release": str, "revision": int, "status": str, "chart": dict}
    for name, kind in wanted.items():
        if not isinstance(found[name], kind):
            raise TypeError(name)
    return {name: found[name] for name in wanted} | {"driver": str(found.get("driver", ""))}
