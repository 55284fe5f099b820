"""What Kueue's webhook does to JSON by passing it through Go structs: unknown keys vanish, empty ones come or go.

The shapes are data (`structs/*.json`). A field's type is written `string`, `bool`, `int32`, `int64`, `quantity`,
`time`, `int-or-string`, `any` or the name of a struct, after `*` for a pointer, `[]` for a list, `{}` for a map. A `!`
behind it means that the field is written even when empty, a `?` that it is left out when zero although it is a struct
or a time; others are left out when empty.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from kueuelift_transform import go_scalar
from kueuelift_transform.go_scalar import MismatchError
from kueuelift_transform.go_settled import Shapes, compile_settled

Step = Callable[[Any], Any]

_STRUCT_LIKE = frozenset({"quantity", "time"})
"""Leaves that are structs in Go, and hence never empty in the sense of `omitempty`."""

_PLAIN: Mapping[str, type] = {"string": str, "bool": bool}
_LARGE = 12
"""Fields of a struct from which on it is quicker to ask first whether a value is settled."""
_PAYS_FROM = 64
"""Values of a struct read before it is compiled whether such a value is settled, which takes milliseconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Codec:
    """How a type is read and written; what is read may share parts with what was given."""

    decode: Step
    """JSON to value; drops unknown keys and nulls, and raises MismatchError where Go could not."""
    encode: Step
    """Value to JSON, with every field that the struct always writes."""
    zero: Callable[[], Any]
    """What stands in the JSON for a value that was never given."""
    plain: type | None = None
    """Values of this very type are given back as they are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Field:
    codec: Codec
    omitted_when_empty: bool
    omitted_when_zero: bool
    filled: bool
    """Written although absent."""


@cache
def codec(struct: str, version: str, library: str) -> Codec:
    """Find the codec of a Kueue struct (`ClusterQueue`, `v1beta1`), given the minor of its Kubernetes libraries."""
    return _Reader(version, library).named(struct)


@cache
def metadata_codec() -> Codec:
    """Find the codec of `metadata`, which every API server applies to every object, whatever its minor."""
    return _Reader(None, "0.35").named("ObjectMeta")


class _Reader:
    """Builds codecs out of shapes.

    A struct of Kubernetes itself is the same on both sides of a conversion, so that decoding it does all the work.
    """

    def __init__(self, version: str | None, library: str) -> None:
        self._own = _load(f"kueue-{version}")["structs"] if version else {}
        self._shared = _shared_structs(library)
        self._known: dict[str, Codec] = {}

    def named(self, name: str) -> Codec:
        if name not in self._known:
            shared = name not in self._own
            shape = self._shared[name] if shared else self._own[name]
            fields = {key: self._field(text) for key, text in shape.items()}
            self._known[name] = _settling(_shared_struct(fields), name, self._shared) if shared else _own_struct(fields)
        return self._known[name]

    def _field(self, text: str) -> _Field:
        kind = text.rstrip("!?")
        struct_like = kind in _STRUCT_LIKE or kind in self._own or kind in self._shared
        return _Field(
            codec=self._codec(kind),
            omitted_when_empty=text == kind and not struct_like and not kind.startswith("*"),
            omitted_when_zero=text.endswith("?"),
            filled=text.endswith("!") or (text == kind and struct_like),
        )

    def _codec(self, kind: str) -> Codec:
        if kind.startswith("*"):
            inner = self._codec(kind[1:])
            return Codec(decode=inner.decode, encode=inner.encode, zero=_null, plain=inner.plain)
        if kind.startswith("[]"):
            return _list(self._codec(kind[2:]))
        if kind.startswith("{}"):
            return _map(self._codec(kind[2:]))
        if kind in go_scalar.DECODE:
            zero = go_scalar.ZERO[kind]
            return Codec(decode=go_scalar.DECODE[kind], encode=_same, zero=lambda: zero, plain=_PLAIN.get(kind))
        return self.named(kind)


def _own_struct(fields: Mapping[str, _Field]) -> Codec:
    def encode(value: Any) -> Any:
        written = {}
        for key, item in value.items():
            step = steps.get(key)
            if step is None:
                continue
            encode_field, omitted_when_empty, zero = step
            if omitted_when_empty and not item:
                continue
            encoded = item if encode_field is None else encode_field(item)
            if zero is None or encoded != zero():
                written[key] = encoded
        return _filled(written, filled)

    steps = {
        key: (
            None if field.codec.encode is _same else field.codec.encode,
            field.omitted_when_empty,
            field.codec.zero if field.omitted_when_zero else None,
        )
        for key, field in fields.items()
    }
    filled = _always_written(fields)
    return Codec(decode=_decoder(fields), encode=encode, zero=lambda: _filled({}, filled))


def _shared_struct(fields: Mapping[str, _Field]) -> Codec:
    read = _decoder(fields)
    omitted = frozenset(key for key, field in fields.items() if field.omitted_when_empty)
    filled = _always_written(fields)

    def decode(value: Any) -> Any:
        known = read(value)
        return _filled({key: item for key, item in known.items() if item or key not in omitted}, filled)

    return Codec(decode=decode, encode=_same, zero=lambda: _filled({}, filled))


def _settling(slow: Codec, name: str, shapes: Shapes) -> Codec:
    """The same codec, which hands back what is as it should be; the question is compiled once it pays."""
    if len(shapes[name]) < _LARGE:
        return slow
    calls = 0
    settled: Callable[[Any], bool] = _never

    def decode(value: Any) -> Any:
        nonlocal calls, settled
        if calls < _PAYS_FROM:
            calls += 1
            if calls == _PAYS_FROM:
                settled = compile_settled(name, shapes)
        return value if settled(value) else slow.decode(value)

    return Codec(decode=decode, encode=slow.encode, zero=slow.zero)


def _never(_value: Any) -> bool:
    return False


def _decoder(fields: Mapping[str, _Field]) -> Step:
    steps = {key: (field.codec.decode, field.codec.plain) for key, field in fields.items()}

    def decode(value: Any) -> Any:
        known = {}
        key = ""
        try:
            for key, item in _object(value).items():
                step = steps.get(key)
                if step is None or item is None:
                    continue
                given = item if item.__class__ is step[1] else step[0](item)
                if given is not None:
                    known[key] = given
        except MismatchError as wrong:
            raise wrong.under(key) from None
        return known

    return decode


def _always_written(fields: Mapping[str, _Field]) -> list[tuple[str, Callable[[], Any]]]:
    return [(key, field.codec.zero) for key, field in fields.items() if field.filled]


def _filled(written: dict[str, Any], filled: list[tuple[str, Callable[[], Any]]]) -> dict[str, Any]:
    for key, zero in filled:
        if key not in written:
            written[key] = zero()
    return written


def _list(item: Codec) -> Codec:
    def decode(value: Any) -> Any:
        if not isinstance(value, list):
            raise MismatchError(value, "a list")
        if item.plain is not None and all(one.__class__ is item.plain for one in value):
            return list(value)
        read: list[Any] = []
        try:
            for one in value:
                read.append(item.zero() if one is None else item.decode(one))  # noqa: PERF401 - its length tells where it failed
        except MismatchError as wrong:
            raise wrong.under(f"[{len(read)}]") from None
        return read

    encode = _same if item.encode is _same else lambda value: [item.encode(one) for one in value]
    return Codec(decode=decode, encode=encode, zero=_null)


def _map(item: Codec) -> Codec:
    def decode(value: Any) -> Any:
        key = ""
        read = {}
        given = _object(value)
        if item.plain is not None and all(one.__class__ is item.plain for one in given.values()):
            return dict(given)
        try:
            for key, one in given.items():
                read[key] = item.zero() if one is None else item.decode(one)
        except MismatchError as wrong:
            raise wrong.under(key) from None
        return read

    return Codec(decode=decode, encode=_same, zero=_null)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MismatchError(value, "an object")
    return value


def _same(value: Any) -> Any:
    return value


def _null() -> None:
    return None


def _shared_structs(library: str) -> dict[str, dict[str, str]]:
    """Read the Kubernetes structs as one minor of its libraries has them."""
    data = _load("kubernetes")
    structs: dict[str, dict[str, str]] = {name: dict(shape) for name, shape in data["structs"].items()}
    for path, (first, last) in data["only_in"].items():
        struct, field = path.split(".")
        if not _minor(first) <= _minor(library) <= _minor(last or library):
            del structs[struct][field]
    return structs


def _minor(library: str) -> int:
    return int(library.partition(".")[2])


@cache
def _load(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        files("kueuelift_transform").joinpath("structs", f"{name}.json").read_text(encoding="utf-8")
    )
    return data
