"""Writes a structural schema as JSON Schema 2020-12, with a few keywords of our own for what JSON Schema cannot say.

They are `kueuelift-pattern` (a Go pattern and its compiled form), `kueuelift-int64`, `kueuelift-date-time`,
`kueuelift-closed` (the fields that a pruned object may have) and `kueuelift-unique-by` (the keys of a list map).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelift.errors import ToolError
from kueuelift.go_regexp import compile_go

_COPIED = (
    "enum", "maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties", "multipleOf",
    "required", "uniqueItems",
)  # fmt: skip
_UNCHECKED_FORMATS = frozenset({"double", "float", "int32", "int64", "password"})
"""The API server lets 2147483648 pass as int32 (seen at 1.35.4)."""

_EITHER = [{"type": "integer"}, {"type": "string"}]
"""What structural schemas carry beside `x-kubernetes-int-or-string`; the type below says it already."""


class Dialect:
    """Writes structural schemas; what it cannot say goes to `left_out`, a line each."""

    def __init__(self, left_out: list[str]) -> None:
        self._left_out = left_out

    def written(self, structural: Mapping[str, Any]) -> dict[str, Any]:
        """Write the schema of a whole object, with `apiVersion`, `kind` and `metadata` as every object has them."""
        return self._written({**structural, "x-kubernetes-embedded-resource": True}, skeleton=True)

    def _written(self, structural: Mapping[str, Any], *, skeleton: bool) -> dict[str, Any]:
        """Write one schema; below `anyOf` and the like there is no skeleton: these only add conditions on values."""
        own = {key: structural[key] for key in _COPIED if key in structural}
        own |= self._values(structural)
        if "properties" in structural:
            own["properties"] = {
                name: self._written(below, skeleton=skeleton) for name, below in structural["properties"].items()
            }
        for key in ("items", "additionalProperties", "not"):
            if isinstance(structural.get(key), Mapping):
                own[key] = self._written(structural[key], skeleton=skeleton and key != "not")
        for key in ("allOf", "anyOf", "oneOf"):
            if key in structural and structural[key] != _EITHER:
                own[key] = [self._written(below, skeleton=False) for below in structural[key]]
        if structural.get("x-kubernetes-list-type") == "map":
            own["kueuelift-unique-by"] = structural["x-kubernetes-list-map-keys"]
        elif structural.get("x-kubernetes-list-type") == "set":
            own["uniqueItems"] = True
        if skeleton and _closed(structural):
            own["kueuelift-closed"] = frozenset(structural.get("properties", ()))
        if structural.get("x-kubernetes-embedded-resource"):
            self._open_metadata(own)
        return own

    def _values(self, structural: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        kind = ["integer", "string"] if structural.get("x-kubernetes-int-or-string") else structural.get("type")
        if kind and structural.get("nullable"):
            kind = [*([kind] if isinstance(kind, str) else kind), "null"]
        if kind:
            yield "type", kind
        if kind and "integer" in kind:
            yield "kueuelift-int64", True
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            # OpenAPI 3.0 has a flag beside the bound where JSON Schema has a bound of its own.
            if bound in structural:
                yield exclusive if structural.get(exclusive) else bound, structural[bound]
        if "pattern" in structural:
            yield from self._pattern(structural["pattern"])
        if structural.get("format") == "date-time":
            yield "kueuelift-date-time", True
        elif "format" in structural and structural["format"] not in _UNCHECKED_FORMATS:
            self._left_out.append(f"the format {structural['format']}")

    def _pattern(self, pattern: str) -> Iterator[tuple[str, Any]]:
        try:
            yield "kueuelift-pattern", (pattern, compile_go(pattern))
        except ToolError as error:
            self._left_out.append(str(error))

    def _open_metadata(self, own: dict[str, Any]) -> None:
        own["properties"] = own.get("properties", {}) | {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
        }
        if "kueuelift-closed" in own:
            own["kueuelift-closed"] |= {"apiVersion", "kind", "metadata"}


def _closed(structural: Mapping[str, Any]) -> bool:
    return (
        structural.get("type") == "object"
        and "additionalProperties" not in structural
        and not structural.get("x-kubernetes-preserve-unknown-fields")
    )
