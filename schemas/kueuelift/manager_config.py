"""What the Configuration of Kueue's manager holds at a release: fields, defaults, frameworks and rules, as data.

`releases/manager_config.json` states it, and no other module. Paths are written as `metrics.customLabels[].name`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from kueuelift.errors import RefusedError, ToolError
from kueuelift.kinds import GROUP
from kueuelift.release_profile import Evidence, Release, profile

CONFIG_GROUP = f"config.{GROUP}"
KIND = "Configuration"
OLD, NEW = "v1beta1", "v1beta2"
Version = Literal["v1beta1", "v1beta2"]

_GROUPS = ["defaults", "evidence", "fields", "frameworks", "rules", "types", "versions"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigField:
    """One field, as Go has it."""

    type: str
    """`object`, `list`, `map`, `string`, `boolean`, `int32`, `int64`, `float32`, `float64`, `duration`, `quantity`."""
    pointer: bool = False
    """Whether Go can tell that it is absent; where it cannot, nothing, null and the zero value are the same."""
    fields: Mapping[str, "ConfigField"] | None = None
    """Of an object: its fields, none of which is open."""
    items: "ConfigField | None" = None
    """Of a list or a map: what each value is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Default:
    """What the manager fills in, one field at a time and in the order of the data."""

    path: str
    value: Any = None
    copy: str = ""
    """The path whose value is taken."""
    present: str = ""
    """Only where there is something at this path."""
    on: str = ""
    """Only where this path is true."""
    equals: tuple[str, str] | None = None
    """Only where this path has this value."""
    blank: bool = False
    """An empty text counts as nothing, too."""
    unless_gate: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigRule:
    """One thing that the manager checks before it starts."""

    field: str
    check: str
    """How; `kueuelift_transform.configuration_rules` knows each."""
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Framework:
    """One kind of job that the manager knows by a name of its own."""

    name: str
    kind: str
    """`Job.v1.batch`."""
    adapter: bool
    """Whether MultiKueue has an adapter of its own for it."""
    gate: str
    """The gate without which it cannot be named; empty where it needs none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ManagerConfig:
    """Everything that is known of the Configuration at one release."""

    release: Release
    shapes: Mapping[str, ConfigField]
    """By version that the release loads: the whole document, without apiVersion and kind."""
    defaults: Mapping[str, tuple[Default, ...]]
    """By version."""
    rules: tuple[ConfigRule, ...]
    """Held against the newest version, defaults filled in."""
    frameworks: Mapping[str, Framework]
    evidence: Evidence


def manager_config(release: Release) -> ManagerConfig:
    """The Configuration at a release of a known minor; RefusedError where the minor is not known."""
    return _manager_config(Release(major=release.major, minor=release.minor), str(release))


@cache
def _manager_config(line: Release, release: str) -> ManagerConfig:
    data = _load()
    loaded = profile(release).manager_config
    # A pre-release has what the release that it leads to has.
    return ManagerConfig(
        release=Release.parse(release),
        shapes={version: _shape(data, version, line) for version in loaded},
        defaults={version: _defaults(data["defaults"], version, line) for version in loaded},
        rules=tuple(
            ConfigRule(field=rule["field"], check=rule["check"], arguments=_without(rule, "field", "check"))
            for rule in data["rules"]
            if _known(rule, line)
        ),
        frameworks={
            name: Framework(name=name, kind=known["kind"], adapter=known["adapter"], gate=known.get("gate", ""))
            for name, known in data["frameworks"].items()
            if _known(known, line)
        },
        evidence=Evidence(**data["evidence"][line.line]),
    )


def version_in(document: Mapping[str, Any], origin: str) -> Version:
    """The version that a Configuration says it has; RefusedError where it is no Configuration or says none."""
    api, kind = document.get("apiVersion"), document.get("kind")
    for version in (OLD, NEW):
        if api == f"{CONFIG_GROUP}/{version}" and kind == KIND:
            return version  # type: ignore[return-value]
    wanted = f"{CONFIG_GROUP}/{OLD} or {NEW} with kind {KIND}"
    raise RefusedError(f"{origin}: apiVersion {api!r} with kind {kind!r} found, {wanted} wanted; write both down")


def _shape(data: Mapping[str, Any], version: str, line: Release) -> ConfigField:
    found: dict[str, str] = {}
    for name, entry in data["fields"].items():
        if _known(entry, line) and entry.get("only", version) == version:
            found[name.partition("@")[0]] = entry["type"]
    return ConfigField(type="object", fields=_fields(found, data["types"]))


def _fields(types: Mapping[str, str], named: Mapping[str, Mapping[str, str]]) -> dict[str, ConfigField]:
    """The fields of an object, of the types of all paths in it."""
    own = {path: kind for path, kind in types.items() if "." not in path}
    return {
        name: _field(kind, _below(types, f"{name}."), _below(types, f"{name}[]."), named) for name, kind in own.items()
    }


def _field(
    kind: str, below: Mapping[str, str], inside: Mapping[str, str], named: Mapping[str, Mapping[str, str]]
) -> ConfigField:
    bare, pointer = kind.removesuffix("?"), kind.endswith("?")
    outer, _, rest = bare.partition("[")
    if rest:
        return ConfigField(type=outer, items=_field(rest.removesuffix("]"), inside, {}, named))
    if bare in named:
        return ConfigField(type="object", pointer=pointer, fields=_fields(named[bare], named))
    return ConfigField(type=bare, pointer=pointer, fields=_fields(below, named) if bare == "object" else None)


def _below(types: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {path.removeprefix(prefix): kind for path, kind in types.items() if path.startswith(prefix)}


def _defaults(entries: Iterable[Mapping[str, Any]], version: str, line: Release) -> tuple[Default, ...]:
    return tuple(
        Default(**{**_without(entry), **({"equals": tuple(entry["equals"])} if "equals" in entry else {})})
        for entry in entries
        if _known(entry, line) and entry.get("version", version) == version
    )


def _known(entry: Mapping[str, Any], line: Release) -> bool:
    since, until = entry.get("since", "0.0"), entry.get("until")
    return Release.parse(since) <= line and not (until and Release.parse(until) <= line)


def _without(entry: Mapping[str, Any], *more: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("since", "until", "version", *more)}


@cache
def _load() -> dict[str, Any]:
    place = files("kueuelift").joinpath("releases").joinpath("manager_config.json")
    loaded: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    if sorted(loaded) != _GROUPS:
        raise ToolError(
            f"manager_config.json holds the keys {sorted(loaded)} where {_GROUPS} are wanted; repair the file"
        )
    return loaded
