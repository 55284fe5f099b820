"""Reads the cases of `schemas/admission_cases.yaml`: what breaks each admission rule, and what just keeps it."""

from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kueuelift import crd, yaml_text
from kueuelift.kinds import BY_NAME, TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift.structural import coerce

PATH = Path(__file__).parent / "schemas" / "admission_cases.yaml"

_PLAIN: dict[str, dict[str, Any]] = {
    "ResourceFlavor": {"spec": {}},
    "Workload": {"spec": {"podSets": [{"name": "main", "count": 2, "template": {"spec": {"containers": []}}}]}},
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case, with the object that breaks the rule and the one that does not."""

    number: int
    rule: str
    kind: str
    bad: KubernetesObject
    good: KubernetesObject
    paths: tuple[str, ...]
    release: Release
    by_crd: bool = False
    rewritable: bool = False
    gates: dict[str, bool] = field(default_factory=dict)
    not_at: tuple[Release, ...] = ()
    server: str = ""
    """A path as the server writes it; empty where its text is not looked at."""

    @property
    def id(self) -> str:
        return f"{self.rule}-{self.number}"


def read() -> list[Case]:
    given = yaml_text.load(PATH.read_bytes(), PATH.name)
    assert isinstance(given, list)
    return [_case(number, entry) for number, entry in enumerate(given)]


def stored(obj: KubernetesObject, release: Release) -> KubernetesObject:
    """The object as a server with the release's CRDs takes it."""
    return coerce(obj, crd.schema(crds(release)[BY_NAME[obj["kind"]].plural], TARGET_VERSION))


def crds(release: Release) -> dict[str, KubernetesObject]:
    """The release's CRDs; where none are bundled, and where they have no v1beta2, those of a release that has."""
    known = [bundled for bundled in crd.bundled_releases() if Release.parse(bundled).line == release.line]
    return crd.bundled(known[0] if known and known[0] != "0.12.2" else "0.16.0", service=None)


def _case(number: int, entry: dict[str, Any]) -> Case:
    paths = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
    return Case(
        number=number,
        rule=entry["rule"],
        kind=entry["kind"],
        bad=_object(entry["kind"], entry["bad"]),
        good=_object(entry["kind"], entry["good"]),
        paths=tuple(paths),
        release=Release.parse(entry.get("release", "0.17.0")),
        by_crd=entry.get("by") == "crd",
        rewritable=entry.get("rewritable", False),
        gates=entry.get("gates", {}),
        not_at=tuple(map(Release.parse, entry.get("not_at", ()))),
        server=str(entry.get("server", paths[0])),
    )


def _object(kind: str, given: dict[str, Any]) -> KubernetesObject:
    namespace = {"namespace": "default"} if BY_NAME[kind].namespaced else {}
    made: dict[str, Any] = {"apiVersion": api_version(TARGET_VERSION), "kind": kind}
    made |= deepcopy({**_PLAIN.get(kind, {}), **given})
    made["metadata"] = {"name": "case", **namespace, **given.get("metadata", {})}
    shape = made.get("spec", {}).get("resourceGroups")
    if isinstance(shape, dict):
        made["spec"]["resourceGroups"] = [
            _group(group, flavors, resources)
            for group, (flavors, resources) in enumerate(zip(shape["flavors"], shape["resources"], strict=True))
        ]
    return made


def _group(group: int, flavors: int, resources: int) -> dict[str, Any]:
    covered = [f"x.io/r-{group}-{index}" for index in range(resources)]
    return {
        "coveredResources": covered,
        "flavors": [
            {
                "name": f"flavor-{group}-{index}",
                "resources": [{"name": resource, "nominalQuota": "1"} for resource in covered],
            }
            for index in range(flavors)
        ],
    }
