"""Says where a custom object breaks its CRD: the schema by JSON Schema, the rules by CEL, each with its path."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Self

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.protocols import Validator as SchemaValidator
from jsonschema.validators import extend

from kueuelift import cel_rule, crd
from kueuelift.admission.crd_rule import ids_by_demand
from kueuelift.cel_rule import Part
from kueuelift.dialect import Dialect
from kueuelift.model import KubernetesObject
from kueuelift.verdict import compile_verdict

Cause = Literal["schema", "unknown-field", "rule"]

_BLOCKING = frozenset({"enum", "kueuelift-int64", "maxItems", "maxLength", "maxProperties", "required", "type"})
"""After one of these the API server does not run the rules: they may not fit the object."""
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?"
_DATE_TIME = re.compile(rf"(\d{{4}}-\d\d-\d\d)[Tt]{_TIME}(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_NOTHING = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One place where an object is not as its CRD wants it."""

    path: str
    """Such as `spec.resourceGroups[0].flavors[1].name`; empty for the object as a whole."""
    found: str
    wanted: str
    cause: Cause
    """`unknown-field`: the API server drops the field and does not refuse the object."""
    rule: str = ""
    """The number of the admission rule that says so, such as `CQ-05`, where there is one."""

    def __str__(self) -> str:
        """One line for a person."""
        number = f" ({self.rule})" if self.rule else ""
        return f"{self.path or '(object)'}: found {self.found}, wanted {self.wanted}{number}"


class Validator:
    """Validates objects of one version of one CRD; compiling costs milliseconds, so keep it."""

    def __init__(
        self,
        dialect: dict[str, Any],
        rules: cel_rule.RuleTree | None,
        left_to_server: tuple[str, ...],
        numbers: Mapping[str, str],
    ) -> None:
        self._keeps_schema = compile_verdict(dialect)
        self._schema = _KubernetesSchema(dialect)
        self._rules = rules
        self._numbers = numbers
        self.left_to_server = left_to_server
        """What is not checked here, a line each: rules that compare with the old object, and in CRDs that did not come
        with this package, rules and patterns that cannot be run here."""

    @classmethod
    def for_crd(cls, definition: KubernetesObject, version: str) -> Self:
        """Compile the schema and the rules of a version of a CRD."""
        structural = crd.schema(definition, version)
        left_out: list[str] = []
        dialect = Dialect(left_out).written(structural)
        rules = cel_rule.rule_tree(structural, left_out)
        numbers = ids_by_demand(definition["spec"].get("names", {}).get("kind", ""), structural)
        return cls(dialect, rules, tuple(left_out), numbers)

    def problems(self, obj: KubernetesObject) -> list[Problem]:
        """List what is wrong, sorted by path; nothing found means that the API server would create it.

        Give it what the API server sees after `structural.coerce`: a default not yet filled in counts as missing. Rules
        are run only where the server runs them: on objects whose types, required fields and sizes are right.
        """
        keeps_schema = self._keeps_schema(obj)
        if keeps_schema and (self._rules is None or self._rules.kept(obj)):
            return []
        errors = [] if keeps_schema else list(self._schema.iter_errors(obj))
        found = [_described(error) for error in errors]
        if self._rules is not None and not any(error.validator in _BLOCKING for error in errors):
            found += [_broken(rule, self._numbers) for rule in self._rules.broken(obj)]
        return [problem for _, problem in sorted(found, key=lambda one: (_sort_key(one[0]), one[1].wanted))]


def _check_pattern(
    _: SchemaValidator, pattern: tuple[str, re.Pattern[str]], value: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(value, str) and not pattern[1].search(value):
        yield ValidationError(f"text that matches {pattern[0]}")


def _check_int64(_: SchemaValidator, _wanted: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, int | float) and not -(1 << 63) <= value < 1 << 63:
        yield ValidationError("an integer of 64 bits")


def _check_date_time(_: SchemaValidator, _wanted: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _is_date_time(value):
        yield ValidationError("a date and time such as 2026-01-31T12:00:00Z")


def _check_closed(_: SchemaValidator, known: frozenset[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in sorted(set(value) - known):
            yield ValidationError("no such field", path=(name,), instance=value[name])


def _check_required(_: SchemaValidator, names: list[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("a value, it is required", path=(name,), instance=_NOTHING)


def _check_unique(_: SchemaValidator, keys: list[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, list):
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        if isinstance(item, dict):
            identity = json.dumps([item.get(key) for key in keys], sort_keys=True)
            if identity in seen:
                yield ValidationError(f"no second item with this {' and '.join(keys)}", path=(index,), instance=item)
            seen.add(identity)


def _check_unique_items(_: SchemaValidator, wanted: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not wanted or not isinstance(value, list):
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        identity = json.dumps(item, sort_keys=True)
        if identity in seen:
            yield ValidationError("no item twice", path=(index,), instance=item)
        seen.add(identity)


_KubernetesSchema: Callable[[dict[str, Any]], SchemaValidator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "required": _check_required,
        "uniqueItems": _check_unique_items,
        "kueuelift-pattern": _check_pattern,
        "kueuelift-int64": _check_int64,
        "kueuelift-date-time": _check_date_time,
        "kueuelift-closed": _check_closed,
        "kueuelift-unique-by": _check_unique,
    },
)


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return False
    try:
        date.fromisoformat(found[1])
    except ValueError:
        return False
    return True


def _described(error: ValidationError) -> tuple[tuple[Part, ...], Problem]:
    path = tuple(error.absolute_path)
    cause: Cause = "unknown-field" if error.validator == "kueuelift-closed" else "schema"
    return path, Problem(path=_text(path), found=_short(error.instance), wanted=_wanted(error), cause=cause)


def _wanted(error: ValidationError) -> str:
    limit: Any = error.validator_value
    phrases: dict[str, Callable[[], str]] = {
        "type": lambda: " or ".join([limit] if isinstance(limit, str) else limit),
        "enum": lambda: f"one of {', '.join(map(str, limit))}",
        "minimum": lambda: f"at least {limit}",
        "maximum": lambda: f"at most {limit}",
        "exclusiveMinimum": lambda: f"more than {limit}",
        "exclusiveMaximum": lambda: f"less than {limit}",
        "minLength": lambda: f"at least {limit} characters",
        "maxLength": lambda: f"at most {limit} characters, not {len(_instance(error))}",
        "minItems": lambda: f"at least {limit} items, not {len(_instance(error))}",
        "maxItems": lambda: f"at most {limit} items, not {len(_instance(error))}",
        "minProperties": lambda: f"at least {limit} entries, not {len(_instance(error))}",
        "maxProperties": lambda: f"at most {limit} entries, not {len(_instance(error))}",
    }
    name = str(error.validator)
    if name.startswith("kueuelift-") or name in {"required", "uniqueItems"}:
        return str(error.message)
    return phrases[name]() if name in phrases else f"what {name} allows"


def _instance(error: ValidationError) -> Any:
    return error.instance


def _broken(rule: cel_rule.BrokenRule, numbers: Mapping[str, str]) -> tuple[tuple[Part, ...], Problem]:
    return rule.path, Problem(
        path=_text(rule.path),
        found=_short(rule.value),
        wanted=rule.message,
        cause="rule",
        rule=numbers.get(rule.message, ""),
    )


def _short(value: Any) -> str:
    """Show a value in a few words; what lies deeper may be long, or secret, and is not shown."""
    if value is _NOTHING:
        return "nothing"
    if isinstance(value, dict):
        shown = ", ".join(f"{key}: {_flat(below)}" for key, below in sorted(value.items()))
        return _cut("{" + shown + "}")
    if isinstance(value, list):
        return _cut("[" + ", ".join(_flat(below) for below in value) + "]")
    return _cut(_flat(value))


def _flat(value: Any) -> str:
    if isinstance(value, dict | list):
        return ("{…}" if isinstance(value, dict) else "[…]") if value else json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _text(path: tuple[Part, ...]) -> str:
    text = ""
    for part in path:
        if isinstance(part, int) or not re.fullmatch(r"[A-Za-z0-9_-]+", part):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def _sort_key(path: tuple[Part, ...]) -> list[tuple[bool, int, str]]:
    return [(isinstance(p, str), p if isinstance(p, int) else 0, p if isinstance(p, str) else "") for p in path]
