"""The rules of Kueue's webhooks, by case: what breaks each, what just keeps it, and at which release."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import admission_cases
from admission_cases import Case, crds, stored
from bed.seed_workloads import workloads
from kueue_objects import STRATEGIES
from kueuelift import admission, crd
from kueuelift.admission import all_rules, left_to_server, problems
from kueuelift.admission.crd_rule import ids_by_demand
from kueuelift.admission.workload_quick import surely_fine
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, KINDS, TARGET_VERSION
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release, profile
from kueuelift.validation import Validator

CASES = admission_cases.read()
JUDGED = [case for case in CASES if not case.by_crd]
RELEASE = Release.parse("0.17.0")

by_id = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
judged_by_id = pytest.mark.parametrize("case", JUDGED, ids=lambda case: case.id)


@cache
def validator_of(kind: str, release: Release) -> Validator:
    return Validator.for_crd(crds(release)[BY_NAME[kind].plural], TARGET_VERSION)


def refused_by_crd(obj: KubernetesObject, release: Release) -> list[tuple[str, str]]:
    return [(problem.rule, problem.path) for problem in validator_of(obj["kind"], release).problems(obj)]


def refused(obj: KubernetesObject, release: Release, gates: dict[str, bool]) -> list[tuple[str, str]]:
    return [(broken.rule, broken.path) for broken in problems(obj, release=release, gates=gates)]


@by_id
def test_the_bad_object_is_refused_for_that_and_for_nothing_else(case: Case) -> None:
    bad = stored(case.bad, case.release)
    wanted = [(case.rule, path) for path in case.paths]
    by_crd = refused_by_crd(bad, case.release)
    assert by_crd == (wanted if case.by_crd else [])
    if not case.by_crd:
        assert refused(bad, case.release, case.gates) == wanted


@by_id
def test_the_good_object_passes(case: Case) -> None:
    good = stored(case.good, case.release)
    assert refused_by_crd(good, case.release) == []
    assert refused(good, case.release, case.gates) == []


@judged_by_id
def test_it_says_whether_a_rewrite_passes(case: Case) -> None:
    found = problems(stored(case.bad, case.release), release=case.release, gates=case.gates)
    assert {broken.rewritable for broken in found} == {case.rewritable}


@judged_by_id
def test_releases_that_have_no_such_rule_let_it_pass(case: Case) -> None:
    for release in case.not_at:
        assert refused(stored(case.bad, case.release), release, case.gates) == [], release


@judged_by_id
def test_a_gate_turns_a_rule_off_unless_it_is_locked(case: Case) -> None:
    rules = [rule for rule in all_rules()[case.kind] if rule.id == case.rule]
    for gate in {rule.gate for rule in rules} - {""}:
        known = profile(str(case.release)).gates.get(gate)
        found = refused(stored(case.bad, case.release), case.release, {**case.gates, gate: False})
        assert bool(found) == (known is None or known.locked)


def test_every_rule_has_a_case() -> None:
    judged = {rule.id for rules in all_rules().values() for rule in rules}
    assert {case.rule for case in JUDGED} | {"CQ-07"} == judged
    in_crds = {
        number
        for kind in KINDS
        for release in crd.bundled_releases()
        for version in crd.versions(crd.bundled(release, service=None)[kind.plural])
        for number in ids_by_demand(
            kind.name, crd.schema(crd.bundled(release, service=None)[kind.plural], version)
        ).values()
    }
    assert {case.rule for case in CASES if case.by_crd} == in_crds


def test_a_rule_is_either_judged_or_left_to_the_server() -> None:
    judged = {rule.id for rules in all_rules().values() for rule in rules}
    left = [rule.id for rule in left_to_server()]
    assert len(set(left)) == len(left)
    assert judged.isdisjoint(left)


def test_rules_are_in_the_order_of_their_numbers() -> None:
    for kind, rules in all_rules().items():
        assert [rule.id for rule in rules] == sorted(rule.id for rule in rules)
        assert {rule.id[:2] for rule in rules} == {
            {"ClusterQueue": "CQ", "Cohort": "CO", "ResourceFlavor": "RF", "Workload": "WL"}[kind]
        }


def test_a_cohort_that_is_there_and_empty_passes_the_crd_and_not_the_webhook() -> None:
    # Its pattern forbids the empty name in every CRD that is bundled; a site's own may be older.
    obj: dict[str, Any] = next(case for case in CASES if case.rule == "CQ-07").bad
    obj = {**obj, "spec": {**obj["spec"], "cohortName": ""}}
    path = "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit"
    assert refused(obj, RELEASE, {}) == [("CQ-07", path)]


def test_a_lending_limit_needs_no_cohort_while_the_gate_is_off() -> None:
    bad = next(case for case in CASES if case.rule == "CQ-08").bad
    assert refused(bad, Release.parse("0.16.0"), {"LendingLimit": False}) == []
    assert refused(bad, Release.parse("0.19.2"), {"LendingLimit": False}) != []


def test_too_many_annotations() -> None:
    def with_size(size: int) -> KubernetesObject:
        update = {"name": "main", "annotations": {"aa": "ä" * (size // 2 - 1)}}
        check = {"name": "c", "state": "Ready", "podSetUpdates": [update]}
        plain = next(case for case in CASES if case.kind == "Workload").good
        return {**plain, "status": {"admissionChecks": [check]}}

    path = "status.admissionChecks[0].podSetUpdates[0].annotations"
    assert refused(with_size(256 * 1024 + 2), RELEASE, {}) == [("WL-14", path)]
    assert refused(with_size(256 * 1024), RELEASE, {}) == []


def test_a_message_is_measured_in_bytes() -> None:
    condition = {"type": "A", "status": "True", "reason": "R", "lastTransitionTime": "2026-01-31T12:00:00Z"}
    plain = next(case for case in CASES if case.kind == "Workload").good

    def with_message(message: str) -> KubernetesObject:
        return {**plain, "status": {"conditions": [{**condition, "message": message}]}}

    assert refused(with_message("ä" * 16384), RELEASE, {}) == []
    assert refused(with_message("ä" * 16384 + "a"), RELEASE, {}) == [("WL-12", "status.conditions[0].message")]


def test_kinds_without_a_webhook_are_not_judged() -> None:
    obj = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "spec": {"fairSharing": {"weight": "-1"}}}
    assert problems(obj, release=RELEASE) == []
    assert problems({"apiVersion": "v1", "kind": "Workload"}, release=RELEASE) == []


def test_another_version_is_not_judged_by_chance() -> None:
    with pytest.raises(RefusedError, match=r"ClusterQueue a is at kueue.x-k8s.io/v1beta1.*convert it first"):
        problems(
            {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "a"}},
            release=RELEASE,
        )


def test_an_unknown_gate_changes_nothing() -> None:
    case = JUDGED[0]
    assert refused(case.good, case.release, {"NoSuchGate": True}) == []


def test_a_problem_is_one_line_with_its_number() -> None:
    broken = problems(JUDGED[0].bad, release=RELEASE)[0]
    assert str(broken).startswith('spec.resourceGroups[0].coveredResources[0]: found "bad name", wanted a label key')
    assert str(broken).endswith("(CQ-01)")


@pytest.mark.parametrize("kind", sorted(all_rules()))
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_what_the_webhook_accepts_is_accepted(kind: str, data: st.DataObject) -> None:
    obj = data.draw(STRATEGIES[kind])
    if kind != "Workload":
        obj = at_v1beta2(obj)
    obj = stored({**obj, "apiVersion": "kueue.x-k8s.io/v1beta2"}, RELEASE)
    assert problems(obj, release=RELEASE) == []


def at_v1beta2(obj: KubernetesObject) -> KubernetesObject:
    """The few renamed fields that matter here; the conversion itself is another part's business."""
    spec = dict(obj["spec"])
    if "cohort" in spec:
        spec["cohortName"] = spec.pop("cohort")
    return {**obj, "spec": spec}


MOULDS = [obj for case in JUDGED for obj in (case.bad, case.good)]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
    max_leaves=6,
)


@st.composite
def mistyped(draw: st.DrawFn) -> KubernetesObject:
    """A case's object in which one part is something else."""
    case = draw(st.sampled_from(MOULDS))
    obj: KubernetesObject = json.loads(json.dumps(case))
    here: Any = {key: value for key, value in obj.items() if key in {"spec", "status"}}
    whole = here
    while True:
        keys = sorted(here) if isinstance(here, dict) else list(range(len(here)))
        key = draw(st.sampled_from(keys))
        if not isinstance(here[key], dict | list) or not here[key] or draw(st.booleans()):
            here[key] = draw(anything)
            return {**obj, **whole}
        here = here[key]


EVERY_GATE = {rule.gate: True for rules in all_rules().values() for rule in rules if rule.gate}


@given(mistyped())
def test_a_quick_yes_is_a_yes(obj: KubernetesObject) -> None:
    if obj["kind"] == "Workload" and surely_fine(obj):
        for release in ("0.17.0", "0.18.6", "0.19.2"):
            judge = admission.Judge.of(Release.parse(release), EVERY_GATE)
            faults = [fault for rule in judge.rules["Workload"] for fault in rule.check(obj, judge.setting)]
            assert faults == []


def test_plain_workloads_get_a_quick_yes() -> None:
    plain = [{**obj, "status": status} for obj, status in workloads(40)]
    assert all(surely_fine(obj) for obj in plain)


@given(mistyped())
def test_an_object_of_any_shape_gives_no_traceback(obj: KubernetesObject) -> None:
    gates = {"ConcurrentAdmission": True}
    assert isinstance(admission.problems(obj, release=Release.parse("0.19.2"), gates=gates), list)
