"""Reads a Configuration as the manager does: strictly, so that what it would refuse is refused here, with its place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift import go_duration, quantity, yaml_source, yaml_text
from kueuelift.errors import RefusedError, printable
from kueuelift.manager_config import KIND, ConfigField, Version, manager_config, version_in
from kueuelift.redaction import has_token
from kueuelift.release_profile import Release

_LARGEST_FLOAT32 = 3.4028235677973366e38
"""The first number that rounds to none of 32 bits."""
_MANY, _FEW = 5, 8


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Problem:
    """Why a manager would not start with a Configuration."""

    path: str
    found: str
    wanted: str
    line: int = 0
    """Of the text, counted from 1; 0 where it cannot be told."""

    def __str__(self) -> str:
        """`line 4: waitForPodsReady.timeout: found '5', wanted a duration such as 5m0s`."""
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.path}: found {self.found}, wanted {self.wanted}"


class ConfigurationError(RefusedError):
    """A text that the manager would not start with; `problems` has each reason."""

    def __init__(self, origin: str, problems: list[Problem], why: str) -> None:
        shown = "; ".join(map(str, problems[:_MANY]))
        more = f"; and {len(problems) - _MANY} more" if len(problems) > _MANY else ""
        super().__init__(f"{origin}: {shown}{more}: {why}; mend it and run again")
        self.problems = tuple(problems)


class HiddenError(RefusedError):
    """A text of which a snapshot hides a part: it cannot be carried over, as what is hidden is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoded:
    """A Configuration that the manager of a release can read."""

    value: Mapping[str, Any]
    """As it is written, apiVersion and kind with it."""
    version: Version
    lines: Mapping[str, int]
    """Of each path, the line it begins in."""


def decode(text: str, *, release: Release, origin: str) -> Decoded:
    """Read one document at either version; ConfigurationError, HiddenError or another RefusedError."""
    if has_token(text):
        raise HiddenError(f"{origin}: holds values that the snapshot hides, and what is hidden cannot be carried over")
    value = yaml_text.load(text, origin)
    if not isinstance(value, dict):
        raise RefusedError(f"{origin}: {_told(value)} found, a mapping wanted; give a Configuration")
    version = version_in(value, origin)
    shape = manager_config(release).shapes.get(version)
    if shape is None:
        raise RefusedError(f"{origin}: apiVersion {version} found, which the manager of {release} does not know")
    lines = _lines(text)
    body = {key: item for key, item in value.items() if key not in ("apiVersion", "kind")}
    problems = [
        Problem(path=path, found=found, wanted=wanted, line=lines.get(path, 0))
        for path, found, wanted in _misfits(body, shape, "")
    ]
    if problems:
        raise ConfigurationError(origin, problems, f"the manager of {release} would not start with such a {KIND}")
    return Decoded(value=value, version=version, lines=lines)


def _misfits(value: Any, shape: ConfigField, path: str) -> Iterator[tuple[str, str, str]]:
    """Where a value is not what Go can take: path, what was found, what is wanted."""
    if value is None:
        # Every type takes null for nothing, but for a duration that is no pointer.
        if shape.type == "duration" and not shape.pointer:
            yield path, "nothing", _WANTED["duration"]
    elif shape.fields is not None and isinstance(value, dict):
        for key, item in value.items():
            below = f"{path}.{key}" if path else key
            if key in shape.fields:
                yield from _misfits(item, shape.fields[key], below)
            else:
                yield below, "an unknown field", _known(key, shape.fields)
    elif shape.type == "list" and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _misfits(item, _inner(shape), f"{path}[{index}]")
    elif shape.type == "map" and isinstance(value, dict):
        for key, item in value.items():
            yield from _misfits(item, _inner(shape), f"{path}[{key}]")
    elif shape.type not in _FITS or not _FITS[shape.type](value):
        yield path, _told(value), _WANTED[shape.type]


def _inner(shape: ConfigField) -> ConfigField:
    assert shape.items is not None  # noqa: S101 - lists and maps have it
    return shape.items


def _known(key: str, fields: Mapping[str, ConfigField]) -> str:
    """What may stand in the place of an unknown key: the one that is meant, if it can be guessed."""
    meant = [name for name in fields if name.lower() == key.lower() or _near(name, key)]
    if len(meant) == 1:
        return repr(meant[0])
    return f"one of {', '.join(fields)}" if len(fields) <= _FEW else "a field that the manager knows"


def _near(name: str, key: str) -> bool:
    """Whether one letter too many or too few, or another, tells two names apart."""
    longer, shorter = sorted((name, key), key=len, reverse=True)
    if len(longer) - len(shorter) > 1:
        return False
    same = next((i for i, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    return longer[same + 1 :] in (shorter[same:], shorter[same + 1 :])


def _told(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return printable(repr(value), longest=60)


def _whole(bits: int) -> Callable[[Any], bool]:
    most = 1 << (bits - 1)
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and -most <= value < most


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _reads(reader: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            reader(value)
        except ValueError:
            return False
        return True

    return fits


_is_duration = _reads(go_duration.nanoseconds)
_is_quantity = _reads(quantity.canonical)

_FITS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "int32": _whole(32),
    "int64": _whole(64),
    "float32": lambda value: _number(value) and abs(value) < _LARGEST_FLOAT32,
    "float64": _number,
    "duration": lambda value: isinstance(value, str) and _is_duration(value),
    "quantity": lambda value: (isinstance(value, str) or _number(value)) and _is_quantity(value),
}

_WANTED = {
    "object": "a mapping",
    "list": "a list",
    "map": "a mapping",
    "string": "a text",
    "boolean": "true or false",
    "int32": "a whole number of 32 bits",
    "int64": "a whole number of 64 bits",
    "float32": "a number of 32 bits",
    "float64": "a number",
    "duration": "a duration such as 5m0s",
    "quantity": "a quantity such as 500m or 2Gi",
}


def _lines(text: str) -> dict[str, int]:
    """The line of every key and item of a document that could be read."""
    source = yaml_source.read(text)
    found: dict[str, int] = {}

    def line(place: int) -> int:
        return source.text.count("\n", 0, place) + 1

    def walk(node: yaml_source.Node, path: str) -> None:
        for key, item in node.pairs:
            dotted = f"{path}.{key.value}" if path else str(key.value)
            found[dotted] = found[f"{path}[{key.value}]"] = line(key.start)
            walk(item, dotted)
        for index, item in enumerate(node.items):
            found[f"{path}[{index}]"] = line(item.start)
            walk(item, f"{path}[{index}]")

    if source.root is not None:
        walk(source.root, "")
    return found
