"""What one Kueue release serves, stores, gates and ships: the data in `releases/` states it, and no other module."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, total_ordering
from importlib.resources import files
from typing import Any, Literal, Self

from kueuelift.errors import RefusedError, ToolError
from kueuelift.kinds import KINDS

Level = Literal["run", "read", "derived"]

_RELEASE = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_GROUPS = ("chart", "conversion", "gates", "kubernetes", "versions")


@total_ordering
@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A Kueue release, ordered as versions are: `0.20.0-devel` comes before `0.20.0`."""

    major: int
    minor: int
    patch: int = 0
    label: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `0.17.0`, `v0.17.0`, `0.20.0-devel`, or `0.17`, which means `0.17.0`; build metadata is dropped."""
        found = _RELEASE.fullmatch(text.strip())
        if found is None:
            raise RefusedError(f"release {text!r} is not a Kueue release: give it as 0.17.0 or v0.17.0")
        major, minor, patch, label = found.groups()
        return cls(major=int(major), minor=int(minor), patch=int(patch or 0), label=label or "")

    @property
    def line(self) -> str:
        """The minor that its profile is named after: `0.17`."""
        return f"{self.major}.{self.minor}"

    def __str__(self) -> str:
        text = f"{self.line}.{self.patch}"
        return f"{text}-{self.label}" if self.label else text

    def __lt__(self, other: "Release") -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[int, int, int, bool, list[tuple[bool, int, str]]]:
        # As semantic versions: no label is newer than any, and numbers in a label compare as numbers, before words.
        parts = [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in self.label.split(".")]
        return (self.major, self.minor, self.patch, not self.label, parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """How a group of facts is known: run on a real server by the tests, read from source, or derived; and where."""

    level: Level
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class KindVersions:
    """The API versions of one kind."""

    stored: str
    served: tuple[str, ...]
    deprecated: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """One feature gate as the manager of this release starts with it."""

    name: str
    stage: str
    default: bool
    locked: bool
    """Setting it to anything but its default stops the manager."""
    requires: tuple[str, ...] = ()
    """Gates that must be on for this one to be on."""
    must_also_disable: tuple[str, ...] = ()
    """Gates on by default that require this one: turn this one off and they must be off too, or the manager stops."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChartShape:
    """Where things are in the release's Helm chart."""

    name: str
    crds_in: str
    values: Mapping[str, str]
    """Dotted path in values.yaml by what it sets: image_repository, manager_config, feature_gates, replicas, …"""
    objects: Mapping[str, str]
    """What follows the chart's full name in an object's name, by what it is: deployment, webhook_service, …"""
    name_limit: int
    config_map_rendering: str
    """`verbatim`: the Configuration text goes into the ConfigMap as it is; `reserialised`: parsed and written again."""
    api_services: tuple[str, ...]

    def full_name(self, release_name: str, *, name: str = "", full_name: str = "") -> str:
        """Say what the chart puts before its objects' names, given the Helm release's name and the two overrides."""
        own = name or self.name
        chosen = full_name or (release_name if own in release_name else f"{release_name}-{own}")
        return chosen[: self.name_limit].removesuffix("-")

    def object_name(self, what: str, release_name: str, *, name: str = "", full_name: str = "") -> str:
        """Name one of `objects`, e.g. `deployment` of the Helm release `kueue` is `kueue-controller-manager`."""
        return self.full_name(release_name, name=name, full_name=full_name) + self.objects[what]


@dataclass(frozen=True, kw_only=True, slots=True)
class KubernetesSupport:
    """Kubernetes minors that go with the release, such as `1.33`; None where nothing says so."""

    documented_minimum: str | None
    tested_from: str
    tested_to: str
    client_library: str | None
    """Minor of the k8s.io libraries in it: its conversion webhook loses pod template fields newer than this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseProfile:
    """Everything that a plan may assume about a release of one minor."""

    release: Release
    kinds: Mapping[str, KindVersions]
    """By plural, all eleven."""
    webhook_kinds: tuple[str, ...]
    """Plurals of the kinds whose CRD names a conversion webhook."""
    crds_from_chart_only: bool
    """What it serves is not known here: `kinds` is a guess, and whoever installs it takes the CRDs from its chart."""
    gates: Mapping[str, Gate]
    """By name; naming a gate that is not here stops this release's manager."""
    at_most_one_on: tuple[tuple[str, ...], ...]
    """Sets of gates of which the manager allows one at most to be on."""
    chart: ChartShape
    kubernetes: KubernetesSupport
    manager_config: tuple[str, ...]
    """Versions of the manager's Configuration that it loads."""
    evidence: Mapping[str, Evidence]
    """By group: chart, conversion, gates, kubernetes, versions."""

    @property
    def line(self) -> str:
        """The minor, such as `0.17`."""
        return self.release.line


@cache
def known_releases() -> tuple[str, ...]:
    """Name the minors that have a profile, oldest first."""
    names = (entry.name.removesuffix(".json") for entry in _folder().iterdir() if entry.name.endswith(".json"))
    return tuple(sorted((n for n in names if _RELEASE.fullmatch(n)), key=Release.parse))


def profile(release: str) -> ReleaseProfile:
    """Read the profile of the release's minor; gates that came or went in a patch release follow the patch."""
    parsed = Release.parse(release)
    if parsed.line not in known_releases():
        raise RefusedError(
            f"release {release} is not one of {', '.join(known_releases())}: name one of these or a patch of it"
        )
    return _profile(parsed)


@cache
def _profile(release: Release) -> ReleaseProfile:
    data = _exactly(
        _load(f"{release.line}.json"),
        "release conversion_webhook chart crds_from_chart_only evidence kubernetes manager_config versions",
    )
    gates = _exactly(_load("feature_gates.json"), "at_most_one_on gates successors")
    # What was read at 0.20.0-devel stands under 0.20: a pre-release has the gates of the release that it leads to.
    present = _gates(gates["gates"], replace(release, label=""))
    exclusive = (tuple(name for name in names if name in present) for names in gates["at_most_one_on"])
    return ReleaseProfile(
        release=release,
        kinds=_kinds(_exactly(data["versions"], "default exceptions")),
        webhook_kinds=tuple(data["conversion_webhook"]),
        crds_from_chart_only=data["crds_from_chart_only"],
        gates=present,
        at_most_one_on=tuple(names for names in exclusive if len(names) > 1),
        chart=_chart(_load("chart.json"), data["chart"]),
        kubernetes=KubernetesSupport(**data["kubernetes"]),
        manager_config=tuple(data["manager_config"]),
        evidence={name: Evidence(**known) for name, known in _exactly(data["evidence"], " ".join(_GROUPS)).items()},
    )


def _kinds(data: dict[str, Any]) -> dict[str, KindVersions]:
    found = {kind.plural: data["exceptions"].get(kind.plural, data["default"]) for kind in KINDS}
    return {
        plural: KindVersions(
            stored=versions["stored"],
            served=tuple(versions["served"]),
            deprecated=tuple(versions.get("deprecated", ())),
        )
        for plural, versions in found.items()
    }


def _chart(common: dict[str, Any], own: dict[str, Any]) -> ChartShape:
    shape = {key: value for key, value in common.items() if key != "value_keys"}
    return ChartShape(
        **shape, config_map_rendering=own["config_map_rendering"], api_services=tuple(own["api_services"])
    )


def _gates(table: dict[str, Any], release: Release) -> dict[str, Gate]:
    entries = {name: entry for name, entry in sorted(table.items()) if _present(entry, release)}
    now = {
        name: [h for h in entry["history"] if Release.parse(h["since"]) <= release][-1]
        for name, entry in entries.items()
    }
    requires = {name: _requires(entry, release) for name, entry in entries.items()}
    return {
        name: Gate(
            name=name,
            stage=state["stage"],
            default=state["default"],
            locked=state.get("locked", False),
            requires=requires[name],
            must_also_disable=tuple(o for o in entries if name in requires[o] and now[o]["default"]),
        )
        for name, state in now.items()
    }


def _present(entry: dict[str, Any], release: Release) -> bool:
    def within(span: Mapping[str, str]) -> bool:
        return Release.parse(span["since"]) <= release and not (
            "until" in span and Release.parse(span["until"]) <= release
        )

    first = {"since": entry["history"][0]["since"]} | ({"until": entry["removed"]} if "removed" in entry else {})
    return within(first) or ("again" in entry and within(entry["again"]))


def _requires(entry: dict[str, Any], release: Release) -> tuple[str, ...]:
    needs = entry.get("requires")
    if needs is None or not (Release.parse(needs["since"]) <= release or _has_backport(needs, release)):
        return ()
    return () if "until" in needs and Release.parse(needs["until"]) <= release else tuple(needs["gates"])


def _has_backport(needs: Mapping[str, Any], release: Release) -> bool:
    """Whether a patch of an older minor that asks for the same came before the release or with it."""
    patches = map(Release.parse, needs.get("backports", ()))
    return any(patch.line == release.line and patch <= release for patch in patches)


@cache
def gate_successors() -> Mapping[str, str]:
    """By the name of a gate that is gone: the gate that does its work now."""
    return dict(_load("feature_gates.json")["successors"])


@cache
def chart_value_keys() -> frozenset[str]:
    """Top-level keys of the Kueue chart's values.yaml in any release: all else in a release's values is not Kueue's."""
    return frozenset(_load("chart.json")["value_keys"])


def _folder() -> Any:
    return files("kueuelift").joinpath("releases")


@cache
def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(_folder().joinpath(name).read_text(encoding="utf-8"))
    return loaded


def _exactly(data: dict[str, Any], keys: str) -> dict[str, Any]:
    wanted: Iterable[str] = sorted(keys.split())
    if sorted(data) != wanted:
        raise ToolError(f"a release data file holds the keys {sorted(data)} where {wanted} are wanted; repair the file")
    return data
