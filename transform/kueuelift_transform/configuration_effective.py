"""What is in effect with a Configuration: defaults filled in and brought to the manager's own form, v1beta2."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from kueuelift import go_duration, quantity
from kueuelift.manager_config import NEW, OLD, ConfigField, Default, manager_config
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import field_at

NAMESPACE = "kueue-system"
"""What the manager takes for its namespace where it cannot ask its service account."""
_ZEROS: Mapping[str, Any] = {"string": "", "boolean": False, "duration": "0s"}


def effective(
    value: Mapping[str, Any], version: str, release: Release, *, namespace: str = NAMESPACE
) -> dict[str, Any]:
    """The v1beta2 form that a manager of the release works with; `value` has to be one that it can read.

    What Go cannot tell from nothing is left out; durations and quantities are as Go prints them.
    """
    known = manager_config(release)
    body = {key: item for key, item in value.items() if key not in ("apiVersion", "kind")}
    filled = canonical(body, known.shapes[version])
    gates = dict(body.get("featureGates") or {})
    for default in known.defaults[version]:
        if not gates.get(default.unless_gate):
            _fill(filled, default, namespace)
    if version == OLD:
        _to_new(filled)
    if gates.get("DisableWaitForPodsReady"):
        filled.pop("waitForPodsReady", None)
    # Defaults are written for people: their durations are printed as all others are.
    own: dict[str, Any] = canonical(filled, known.shapes.get(NEW, known.shapes[version]))
    return own


def canonical(value: Any, shape: ConfigField) -> Any:
    """A value without what Go cannot tell from nothing, its durations and quantities as Go prints them."""
    if shape.fields is not None:
        below = {
            key: canonical(item, shape.fields[key])
            for key, item in (value or {}).items()
            if item is not None and key in shape.fields
        }
        return {key: item for key, item in below.items() if not _is_nothing(item, shape.fields[key])}
    if shape.type == "list":
        return [canonical(_zero(shape.items) if item is None else item, _of(shape)) for item in value]
    if shape.type == "map":
        return {key: canonical(_zero(shape.items) if item is None else item, _of(shape)) for key, item in value.items()}
    if shape.type == "duration":
        return go_duration.printed(go_duration.nanoseconds(value))
    return quantity.canonical(value) if shape.type == "quantity" else value


def _to_new(filled: dict[str, Any]) -> None:
    """The manager's own conversion, which knows no defaults of the new version."""
    filled.pop("queueVisibility", None)
    filled.get("integrations", {}).pop("podOptions", None)
    for block in ("fairSharing", "waitForPodsReady"):
        settings = filled.get(block, {})
        if not settings.pop("enable", False):
            filled.pop(block, None)


def _fill(filled: dict[str, Any], default: Default, namespace: str) -> None:
    if not _applies(filled, default):
        return
    wanted = (
        field_at(filled, default.copy) if default.copy else _placed(default.value, filled.get("namespace", namespace))
    )
    *above, name = default.path.split(".")
    if wanted is None:
        return
    for holder in _holders(filled, above):
        if holder.get(name) is None or (default.blank and holder[name] == ""):
            holder[name] = deepcopy(wanted)


def _applies(filled: dict[str, Any], default: Default) -> bool:
    if default.present and field_at(filled, default.present) is None:
        return False
    if default.equals and field_at(filled, default.equals[0]) != default.equals[1]:
        return False
    return not default.on or field_at(filled, default.on) is True


def _holders(filled: dict[str, Any], above: list[str]) -> Iterator[dict[str, Any]]:
    """The mappings that a path's last key belongs in: made where missing, but for the items of lists."""
    if not above:
        yield filled
        return
    name, rest = above[0], above[1:]
    if name.endswith("[]"):
        for item in filled.get(name.removesuffix("[]")) or []:
            yield from _holders(item, rest)
    elif any(key.endswith("[]") for key in rest) and name not in filled:
        return
    else:
        yield from _holders(filled.setdefault(name, {}), rest)


def _placed(value: Any, namespace: str) -> Any:
    """A default with the namespace that the manager runs in."""
    if isinstance(value, dict):
        return {key: _placed(item, namespace) for key, item in value.items()}
    if isinstance(value, list):
        return [_placed(item, namespace) for item in value]
    return namespace if value == "$namespace" else value


def _is_nothing(value: Any, shape: ConfigField) -> bool:
    if shape.type in ("list", "map"):
        return not value
    if shape.pointer:
        return False
    return bool(value in ({}, _zero(shape)))


def _zero(shape: ConfigField | None) -> Any:
    if shape is None or shape.type == "object":
        return {}
    return _ZEROS.get(shape.type, 0 if "int" in shape.type or "float" in shape.type else "0")


def _of(shape: ConfigField) -> ConfigField:
    assert shape.items is not None  # noqa: S101 - lists and maps have it
    return shape.items
