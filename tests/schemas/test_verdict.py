"""The quick yes against jsonschema, and rules that see parts of an object against rules that see all of it."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import cel
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kueue_objects import STRATEGIES
from kueuelift import crd, structural, yaml_text
from kueuelift.cel_rule import BrokenRule, rule_tree
from kueuelift.cel_view import names_seen, view_of
from kueuelift.dialect import Dialect
from kueuelift.kinds import BY_NAME
from kueuelift.validation import Validator
from kueuelift.verdict import compile_verdict
from mutation import ODD_VALUES, spoiled

CASES = yaml_text.load((Path(__file__).parent / "validation_cases.yaml").read_text(), "validation_cases.yaml")
SLOWLY_TOLD = ("2024-02-29T12:00:00Z",)
"""Right, but denied by the quick one, which has to be right only when it says yes."""


@cache
def _validator(release: str, plural: str, version: str) -> tuple[Validator, dict[str, Any]]:
    one = crd.bundled(release, service=None)[plural]
    return Validator.for_crd(one, version), crd.schema(one, version)


def _fits(validator: Validator, obj: Any) -> bool:
    return next(validator._schema.iter_errors(obj), None) is None


def assert_agreed(validator: Validator, obj: Any) -> None:
    assert validator._keeps_schema(obj) == _fits(validator, obj), obj


@pytest.mark.parametrize("kind", list(STRATEGIES))
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_valid_and_spoiled_objects(kind: str, data: st.DataObject) -> None:
    validator, schema = _validator("0.17.0", BY_NAME[kind].plural, "v1beta1")
    obj = data.draw(STRATEGIES[kind])
    random = Random(data.draw(st.integers(0, 1000)))
    assert validator._keeps_schema(structural.coerce(obj, schema))
    for times in (0, 1, 1, 1, 2, 4):
        own = spoiled(obj, random, times=times)
        for given_form in (own, structural.coerce(own, schema)):
            if not any(told in repr(given_form) for told in SLOWLY_TOLD):
                assert_agreed(validator, given_form)
            assert list(validator._rules.broken(given_form) if validator._rules else []) == _plainly(schema, given_form)


@pytest.mark.parametrize("case", [*CASES["good"], *CASES["bad"]], ids=lambda case: case["crd"])
def test_cases(case: dict[str, Any]) -> None:
    release, plural, version = case["crd"].split()
    validator, schema = _validator(release, plural, version)
    obj = {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": "K", "metadata": {"name": "x"}, **case["fields"]}
    assert_agreed(validator, structural.default(obj, schema))


FIELDS: list[dict[str, Any]] = [
    {"type": "string", "nullable": True, "minLength": 1, "maxLength": 3},
    {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "string", "pattern": "^(?i)[a-z]+$"},
    {"type": "string", "pattern": r"^\w\d\s$"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "enum": ["x", "", "1Gi"]},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "maximum": 2**62},
    {"type": "integer", "minimum": -(2**70), "maximum": 2**70},
    {"type": "number", "multipleOf": 0.5},
    {"type": "boolean"},
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+$"},
    {"type": "array", "uniqueItems": True, "items": {}, "minItems": 1, "maxItems": 2},
    {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["x"],
        "items": {"type": "object", "properties": {"x": {"type": "integer"}}},
    },
    {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1, "minProperties": 1},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "required": ["x"]},
    {"type": "object", "x-kubernetes-embedded-resource": True},
    {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
    {"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "^a"}], "allOf": [{"maxLength": 9}]},
    {"type": "string", "not": {"enum": ["x"]}},
    {"type": "string", "oneOf": [{"minLength": 1}, {"maxLength": 3}]},
]
_MORE: tuple[Any, ...] = (
    [1, 1.0], [1, True], [{"a": 1}, {"a": True}], [{"x": 1}, {"x": 1.0}], [{"x": 1}, {"x": 2}], [{"x": []}, {"x": []}],
    {"x": 1, "y": 2}, {"x": "y"}, {"kind": "K"}, 2**70, -(2**63) - 1, 1e19, float("nan"), float("inf"), "\ud800",
    b"x", {1: 2},
    "a1 ",
    "K", "٣", "0000-01-01T00:00:00Z", "2026-01-31t12:00:00z", "12", 0.3,
)  # fmt: skip


@pytest.mark.parametrize("field", FIELDS, ids=repr)
def test_every_keyword(field: dict[str, Any]) -> None:
    dialect = Dialect([]).written({"type": "object", "properties": {"a": field}})
    quick, slow = compile_verdict(dialect), Validator(dialect, None, (), {})
    sure = not {"not", "oneOf", "multipleOf"} & field.keys()
    told = [value for value in (*ODD_VALUES, *_MORE) if quick({"a": value})]
    assert [value for value in told if not _fits(slow, {"a": value})] == []
    assert bool(told) == sure


def test_a_schema_that_cannot_be_said_for_sure_is_never_quick() -> None:
    dialect = Dialect([]).written({"type": "object", "properties": {"a": {"items": {"oneOf": [{"minLength": 1}]}}}})
    assert not compile_verdict(dialect)({})


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("has(self.a) || self.b", {"has", "self", "a", "b"}),
        ("self.a == 'x' && size(self.b) == self.c", {"self", "a", "x", "size", "b", "c"}),
        ("self.a in ['x', \"y\"]", {"self", "a", "in", "x", "y"}),
        ("self.a.size() == 1 ? 'b' in self.c : true", {"self", "a", "size", "b", "in", "c", "true"}),
        ("self.a == self.b", None),
        ("self.filter(i, self.exists(j, j == i)).size() == 0", None),
        ("self.a in self.b", None),
        ("(self.a) == self.b", None),
        ("self.a in ['x', self.b]", None),
        (r"self.a == 'x\'y'", None),
        ("self.a == r'x' && self.b == {'a': self.c}", None),
    ],
)
def test_names_that_a_rule_can_see(rule: str, names: set[str] | None) -> None:
    seen = names_seen(rule)
    assert (None if seen is None else set(seen)) == names


def test_a_view_keeps_maps_whole_and_cuts_objects() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    fields = {
        "list": {"type": "array", "items": inner},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "other": inner,
    }
    view = view_of({"type": "object", "properties": fields}, frozenset({"list", "map", "a"}))
    assert view is not None
    value = {"list": [{"a": "1", "b": "2"}, {}], "map": {"c": "3"}, "other": {"a": "4"}}
    assert view(value) == {"list": [{"a": "1"}, {}], "map": {"c": "3"}}
    assert view_of(inner, frozenset({"a", "b"})) is None


def test_a_name_that_kubernetes_escapes_is_left_to_the_server() -> None:
    left: list[str] = []
    assert rule_tree({"x-kubernetes-validations": [{"rule": "self.__namespace__ == 'a'"}]}, left) is None
    assert left == ["(root): self.__namespace__ == 'a'"]


def _plainly(schema: dict[str, Any], value: Any, path: tuple[Any, ...] = ()) -> list[BrokenRule]:
    """Run every rule on the whole of its value."""
    found = [
        BrokenRule(path=path, value=value, message=rule["message"])
        for rule in schema.get("x-kubernetes-validations", ())
        if "oldSelf" not in rule["rule"] and not _holds(rule["rule"], value)
    ]
    if isinstance(value, dict):
        for name, below in schema.get("properties", {}).items():
            if name in value:
                found += _plainly(below, value[name], (*path, name))
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += _plainly(schema["items"], item, (*path, index))
    return found


_compiled = cache(cel.compile)


def _holds(rule: str, value: Any) -> bool:
    try:
        return _compiled(rule).execute({"self": value}) is True
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError):
        return False
