"""Sets of feature gates, brought to what a release's manager starts with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.release_profile import Release, known_releases, profile
from kueuelift_transform.gate_set import default_changes, deprecated, refusals, settle

NAMES = sorted({name for line in known_releases() for name in profile(line).gates} | {"NoSuchGate"})
RELEASES = st.sampled_from(["0.16.0", "0.17.0", "0.18.1", "0.19.2", "0.20.0"]).map(Release.parse)
GATES = st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=8)


@given(GATES, RELEASES)
def test_what_is_settled_starts_and_each_change_is_told(gates: dict[str, bool], release: Release) -> None:
    settled = settle(gates, release)
    assert refusals(settled.gates, release) == []
    told = {change.name: change.after for change in settled.changes}
    changed = {name for name in gates.keys() | settled.gates.keys() if gates.get(name) != settled.gates.get(name)}
    assert told == {name: settled.gates.get(name) for name in changed}
    assert settle(settled.gates, release).changes == ()


@given(GATES, RELEASES)
def test_a_set_that_starts_stays(gates: dict[str, bool], release: Release) -> None:
    if not refusals(gates, release):
        assert settle(gates, release).gates == gates


@pytest.mark.parametrize(("release", "count"), [("0.17.0", 1), ("0.18.1", 6), ("0.19.2", 8), ("0.20.0", 8)])
def test_topology_aware_scheduling_goes_with_its_dependents(release: str, count: int) -> None:
    gates = {"TopologyAwareScheduling": False}
    assert release == "0.17.0" or len(refusals(gates, Release.parse(release))) == count
    settled = settle(gates, Release.parse(release))
    assert len(settled.gates) == count + 1
    assert not any(settled.gates.values())
    assert not any(change.in_effect for change in settled.changes)


def test_a_gate_that_is_on_without_what_it_needs_had_no_effect() -> None:
    gates = {"ElasticJobsViaWorkloadSlices": False, "ElasticJobsViaWorkloadSlicesWithTAS": True}
    settled = settle(gates, Release.parse("0.18.1"))
    assert settled.gates == dict.fromkeys(gates, False)


def test_a_gate_that_is_gone_hands_over_to_its_successor_where_that_would_work_otherwise() -> None:
    off, on = ({"DynamicResourceAllocation": value} for value in (False, True))
    release, source = Release.parse("0.19.2"), Release.parse("0.17.0")
    settled = settle(off, release, source)
    assert settled.gates["KueueDRAIntegration"] is False
    assert refusals(settled.gates, release) == []
    assert settle(on, release, source).gates == {}


def test_a_gate_that_is_locked_to_the_same_value_may_stay() -> None:
    assert settle({"LendingLimit": True}, Release.parse("0.18.1")).gates == {"LendingLimit": True}
    changed = settle({"LendingLimit": False}, Release.parse("0.18.1"))
    assert (changed.gates, [change.in_effect for change in changed.changes]) == ({}, [True])


def test_of_two_gates_of_which_one_may_be_on_the_set_one_stays() -> None:
    settled = settle({"TASProfileLeastFreeCapacity": True}, Release.parse("0.16.0"))
    assert settled.gates == {"TASProfileLeastFreeCapacity": True, "TASProfileMixed": False}


def test_a_gate_with_its_old_default_is_gone_without_effect() -> None:
    release, source = Release.parse("0.17.0"), Release.parse("0.12.2")
    gates = {"ConfigurableResourceTransformations": True, "QueueVisibility": True}
    effects = {change.name: change.in_effect for change in settle(gates, release, source).changes}
    assert effects == {"ConfigurableResourceTransformations": False, "QueueVisibility": True}


def test_defaults_that_change_are_told_unless_the_gate_is_set() -> None:
    release, source = Release.parse("0.19.2"), Release.parse("0.18.1")
    found = {change.name for change in default_changes({"QuotaCheckStrategy": False}, release, source)}
    assert "TASMultiLayerTopology" in found
    assert "QuotaCheckStrategy" not in found
    assert deprecated({"LendingLimit": True, "QuotaCheckStrategy": True}, Release.parse("0.18.1")) == ["LendingLimit"]
