"""One compiled walk against three plain ones, on any schema and on the bundled ones."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import structural_reference as reference
from kueue_objects import STRATEGIES
from kueuelift import crd, structural
from kueuelift.kinds import BY_NAME
from mutation import spoiled

KEYS = st.sampled_from(["a", "b", "c", "apiVersion", "metadata"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["", "x"]))
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(KEYS, below, max_size=4)),
    max_leaves=12,
)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for flag in ("nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
        if draw(st.integers(0, 4)) == 0:
            made[flag] = draw(st.booleans())
    if draw(st.booleans()):
        made["default"] = draw(VALUES)
    if depth:
        below = schemas(depth=depth - 1)
        made |= draw(
            st.one_of(
                st.just({}),
                st.fixed_dictionaries({"properties": st.dictionaries(KEYS, below, max_size=3)}),
                st.fixed_dictionaries({"additionalProperties": st.one_of(st.booleans(), below)}),
                st.fixed_dictionaries({"items": below}),
            )
        )
    return made


def assert_alike(obj: dict[str, Any], schema: dict[str, Any]) -> None:
    before = repr(obj)
    for name in ("coerce", "prune", "drop_nulls", "default", "pruned_paths"):
        wanted, found = getattr(reference, name)(obj, schema), getattr(structural, name)(obj, schema)
        # As text: 1 and True are equal, and the order of fields is part of it.
        assert repr(found) == repr(wanted), name
    assert repr(obj) == before


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, VALUES, max_size=4), schemas())
def test_any_schema(obj: dict[str, Any], schema: dict[str, Any]) -> None:
    assert_alike(obj, schema)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
@pytest.mark.parametrize("kind", list(STRATEGIES))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_kinds(kind: str, version: str, data: st.DataObject) -> None:
    schema = _schema(kind, version)
    obj = data.draw(STRATEGIES[kind])
    random = Random(data.draw(st.integers(0, 1000)))
    for times in range(5):
        assert_alike(spoiled(obj, random, times=times), schema)


_bundled = crd.bundled("0.17.0", service=None)


def _schema(kind: str, version: str) -> dict[str, Any]:
    return crd.schema(_bundled[BY_NAME[kind].plural], version)


@pytest.mark.parametrize("odd", [b"bytes", 2**70, float("nan"), "\ud800", {1: 2}, (1, 2)], ids=repr)
def test_values_that_json_does_not_have_go_the_plain_way(odd: Any) -> None:
    schema = {"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}
    obj = {"spec": {"a": odd, "b": 1}}
    assert structural.prune(obj, schema)["spec"].keys() == {"a"}
