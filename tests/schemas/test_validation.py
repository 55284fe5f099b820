"""Good and bad objects by the S and CEL rows of the admission rules, and how problems are told."""

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kueuelift import crd, structural, yaml_text
from kueuelift.validation import Problem, Validator

DATES = ["2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31T12:00:00.123456789+02:00"]
CASES = yaml_text.load((Path(__file__).parent / "validation_cases.yaml").read_text(), "validation_cases.yaml")


@cache
def _validator(release: str, plural: str, version: str) -> tuple[Validator, dict[str, Any]]:
    one = crd.bundled(release, service=None)[plural]
    return Validator.for_crd(one, version), crd.schema(one, version)


def _problems(release: str, plural: str, version: str, **fields: Any) -> list[Problem]:
    validator, schema = _validator(release, plural, version)
    obj = {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": "K", "metadata": {"name": "x"}, **deepcopy(fields)}
    # Unknown fields are left in, so that they can be told.
    return validator.problems(structural.default(structural.drop_nulls(obj, schema), schema))


def _pod_set(**fields: Any) -> dict[str, Any]:
    return {"name": "main", "count": 2, "template": {"spec": {"containers": []}}, **fields}


@pytest.mark.parametrize("case", CASES["good"], ids=lambda case: case["crd"])
def test_good(case: dict[str, Any]) -> None:
    assert _problems(*case["crd"].split(), **case["fields"]) == []


@pytest.mark.parametrize("case", CASES["bad"], ids=lambda case: f"{case['row']} {case['crd']}")
def test_bad(case: dict[str, Any]) -> None:
    problems = _problems(*case["crd"].split(), **case["fields"])
    assert [problem.path for problem in problems] == [case["path"]]
    assert case["wanted"] in problems[0].wanted


def test_a_final_newline_is_no_end_of_text_for_go() -> None:
    [problem] = _problems("0.17.0", "localqueues", "v1beta2", spec={"clusterQueue": "q\n"})
    assert problem.path == "spec.clusterQueue"


def test_unknown_fields_are_told_apart() -> None:
    problems = _problems("0.17.0", "clusterqueues", "v1beta2", spec={"cohort": "a", "cohortName": "b"}, colour=1)
    assert [(p.path, p.cause) for p in problems] == [("colour", "unknown-field"), ("spec.cohort", "unknown-field")]
    assert str(problems[1]) == 'spec.cohort: found "a", wanted no such field'


def test_problems_come_in_the_order_of_paths() -> None:
    pod_sets = [_pod_set(name=f"p{i}", count=-1) for i in range(10)] + [{"name": "p10"}]
    problems = _problems("0.19.2", "workloads", "v1beta2", spec={"podSets": pod_sets, "active": "yes"})
    assert [p.path for p in problems] == [
        "spec.active",
        *(f"spec.podSets[{i}].count" for i in range(10)),
        "spec.podSets[10].template",
    ]


def test_rules_wait_until_the_object_has_its_shape() -> None:
    preemption = {"borrowWithinCohort": {"policy": "LowerPriority"}}
    [problem] = _problems("0.17.0", "clusterqueues", "v1beta2", spec={"preemption": preemption, "stopPolicy": "Halt"})
    assert problem.path == "spec.stopPolicy"
    both = _problems("0.17.0", "clusterqueues", "v1beta2", spec={"preemption": preemption, "cohortName": "-"})
    assert [(p.path, p.cause) for p in both] == [("spec.cohortName", "schema"), ("spec.preemption", "rule")]


def test_what_lies_deep_is_not_shown() -> None:
    pod_set = _pod_set(minCount=3, template={"spec": {"containers": [{"env": [{"name": "A", "value": "secret"}]}]}})
    [problem] = _problems("0.17.0", "workloads", "v1beta2", spec={"podSets": [pod_set]})
    assert problem.found == '{count: 2, minCount: 3, name: "main", template: {…}}'


def test_transition_rules_are_left_to_the_server() -> None:
    validator, _ = _validator("0.17.0", "localqueues", "v1beta2")
    assert validator.left_to_server == ("spec.clusterQueue: the value is fixed once set",)


def _foreign(**field: Any) -> Validator:
    structural_schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": field}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": structural_schema}}
    return Validator.for_crd({"metadata": {"name": "as.b"}, "spec": {"versions": [version]}}, "v1")


def test_what_a_foreign_crd_asks_beyond_us_is_named() -> None:
    left = _foreign(
        type="string",
        pattern=r"^\pL+$",
        format="ipv4",
        **{"x-kubernetes-validations": [{"rule": "isQuantity(self)"}, {"rule": "self.?b.orValue('') == ''"}]},
    )
    assert len(left.left_to_server) == 4
    assert left.problems({"spec": {"a": "anything"}}) == []


def test_a_rule_without_message_is_shown_itself() -> None:
    validator = _foreign(type="integer", **{"x-kubernetes-validations": [{"rule": "self > 2"}]})
    [problem] = validator.problems({"spec": {"a": 1}})
    assert problem.wanted == "the rule self > 2 holds"


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ({"type": "string", "nullable": True}, [None, "a"], [1]),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, [2], [1]),
        ({"type": "integer", "maximum": 3, "exclusiveMaximum": False}, [3], [4]),
        ({"type": "number", "multipleOf": 2}, [4], [3]),
        ({"type": "integer", "format": "int32"}, [2**63 - 1, -(2**63)], [2**63, -(2**63) - 1, 1e19]),
        ({"type": "string", "format": "date-time"}, DATES, ["2026-01-31 12:00:00Z", "2026-01-31T24:00:00Z", "", "x"]),
        ({"type": "integer"}, [1, 1.0], [1.5, True, "1"]),
        ({"type": "array", "uniqueItems": True}, [[1, 2]], [[1, 1]]),
        ({"type": "object", "additionalProperties": {"type": "string"}}, [{"x/y": "z"}], [{"x/y": 1}]),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, [{"x": 1}], [[]]),
        ({"type": "object", "x-kubernetes-embedded-resource": True}, [{"kind": "K", "metadata": {}}], [{"x": 1}]),
        ({"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "^a"}]}, ["abc", "a"], ["b"]),
        ({"type": "string", "not": {"enum": ["x"]}}, ["y"], ["x"]),
    ],
)
def test_keywords_of_structural_schemas(field: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    validator = _foreign(**field)
    assert [value for value in good if validator.problems({"spec": {"a": value}})] == []
    assert [value for value in bad if not validator.problems({"spec": {"a": value}})] == []


def test_keys_that_are_no_words_are_bracketed() -> None:
    validator = _foreign(type="object", additionalProperties={"type": "string"})
    [problem] = validator.problems({"spec": {"a": {"example.com/zone": 1}}})
    assert problem.path == "spec.a[example.com/zone]"
