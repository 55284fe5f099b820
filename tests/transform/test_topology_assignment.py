"""Topology assignments: Kueue's own encodings where they are known, and that nothing is lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.errors import RefusedError
from kueuelift.release_profile import Release
from kueuelift_transform.topology_assignment import HOSTNAME, expanded, splits, to_domains, to_slices

HERE = "Workload team-a/x at status.admission.podSetAssignments[0].topologyAssignment"


def hosts(*names: str, count: int = 1) -> dict[str, Any]:
    return {"levels": [HOSTNAME], "domains": [{"values": [name], "count": count} for name in names]}


def packed(assignment: dict[str, Any], *, split: bool) -> list[dict[str, Any]]:
    slices: list[dict[str, Any]] = to_slices(assignment, split=split, where=HERE).get("slices", [])
    return slices


def roots(assignment: dict[str, Any], *, split: bool) -> list[dict[str, Any]]:
    """The last level of each slice."""
    return [one["valuesPerLevel"][-1] for one in packed(assignment, split=split)]


def length(assignment: dict[str, Any]) -> int:
    return len(json.dumps(assignment, separators=(",", ":")))


@pytest.mark.parametrize(
    ("release", "split"), [("0.15.0", False), ("0.18.6", False), ("0.19.0", True), ("0.20.0-devel", True)]
)
def test_splits_from_0_19_on(release: str, split: bool) -> None:
    assert splits(Release.parse(release)) is split


def test_equal_values_are_universal_and_counts_individual() -> None:
    assignment = {
        "levels": ["block", "rack"],
        "domains": [{"values": ["b1", "r1"], "count": 4}, {"values": ["b1", "r2"], "count": 2}],
    }
    assert to_slices(assignment, split=False, where=HERE) == {
        "levels": ["block", "rack"],
        "slices": [
            {
                "domainCount": 2,
                "valuesPerLevel": [{"universal": "b1"}, {"individual": {"prefix": "r", "roots": ["1", "2"]}}],
                "podCounts": {"individual": [4, 2]},
            }
        ],
    }


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["n7"], {"universal": "n7"}),
        (["", ""], {"universal": ""}),
        (["ababa", "aba"], {"individual": {"suffix": "aba", "roots": ["ab", ""]}}),
        (["aa", "aaa"], {"individual": {"suffix": "aa", "roots": ["", "a"]}}),
        (["", "a"], {"individual": {"roots": ["", "a"]}}),
        (["pre-1", "pre-2"], {"individual": {"prefix": "pre-", "roots": ["1", "2"]}}),
        (["1.net", "2.net"], {"individual": {"suffix": ".net", "roots": ["1", "2"]}}),
        (["n-a-x", "n-b-x"], {"individual": {"prefix": "n-", "suffix": "-x", "roots": ["a", "b"]}}),
    ],
)
def test_one_level(values: list[str], wanted: dict[str, Any]) -> None:
    assert roots(hosts(*values), split=False) == [wanted]


def test_values_beyond_the_levels_are_ignored() -> None:
    assignment = {"levels": ["rack"], "domains": [{"values": ["r1", "spare"], "count": 1}]}
    assert packed(assignment, split=False)[0]["valuesPerLevel"] == [{"universal": "r1"}]


def test_no_domains_no_slices() -> None:
    for split in (False, True):
        assert to_slices({"levels": ["rack"], "domains": []}, split=split, where=HERE) == {"levels": ["rack"]}
    assert to_domains({"levels": ["rack"]}, where=HERE) == {"levels": ["rack"], "domains": []}


BLUE = [f"gke-prod-blue-0a1b2c3d4e5f-{n}" for n in range(8)]
GREEN = [f"gke-prod-green-9f8e7d6c5b4a-{n}" for n in range(8)]


def test_two_pools_in_a_row_become_two_slices() -> None:
    assignment = hosts(*BLUE, *GREEN)
    one = to_slices(assignment, split=False, where=HERE)
    two = to_slices(assignment, split=True, where=HERE)
    assert (len(one["slices"]), length(one)) == (1, 522)
    assert (len(two["slices"]), length(two)) == (2, 375)
    assert [level["individual"]["prefix"] for level in roots(assignment, split=True)] == [BLUE[0][:-1], GREEN[0][:-1]]


def test_interleaved_pools_stay_one_slice() -> None:
    assignment = hosts(*(name for pair in zip(BLUE, GREEN, strict=True) for name in pair))
    assert to_slices(assignment, split=True, where=HERE) == to_slices(assignment, split=False, where=HERE)


def test_a_split_that_is_longer_is_not_made() -> None:
    assert len(packed(hosts("pool-a-node-0", "pool-a-node-1", "pool-b-node-0"), split=True)) == 1


def test_a_tie_goes_to_the_split() -> None:
    assignment = hosts(*(f"{letter * 28}-{n}" for letter in "ab" for n in range(3)))
    one = to_slices(assignment, split=False, where=HERE)
    two = to_slices(assignment, split=True, where=HERE)
    assert length(one) == length(two) == 338
    assert len(two["slices"]) == 2


def test_only_host_names_are_split() -> None:
    domains = [{"values": [name], "count": 1} for name in (*BLUE, *GREEN)]
    assert len(packed({"levels": ["rack"], "domains": domains}, split=True)) == 1


def test_a_last_dash_makes_no_prefix() -> None:
    assignment = hosts(*(f"{'x' * 40}{letter}-" for letter in "aabb"))
    assert len(packed(assignment, split=True)) == 1


def test_prefixes_shorten_until_a_thousand_slices_are_enough() -> None:
    # By their longest shared prefixes these would be 1,200 runs of two.
    names = (f"{pool * 28}-{n}-{end}" for pool in "ab" for n in range(600) for end in "xy")
    assert [one["domainCount"] for one in packed(hosts(*names), split=True)] == [1200, 1200]


def test_without_a_depth_that_fits_there_is_one_slice() -> None:
    names = (f"{letter * 28}-{n}" for n in range(600) for letter in "ab")
    assert [one["domainCount"] for one in packed(hosts(*names), split=True)] == [1200]


def test_more_than_100000_domains_are_cut() -> None:
    assignment = hosts(*(f"n{n}" for n in range(100_001)))
    assert [one["domainCount"] for one in packed(assignment, split=True)] == [100_000, 1]
    assert [one["domainCount"] for one in packed(assignment, split=False)] == [100_001]


@pytest.mark.parametrize("split", [False, True])
def test_thirty_thousand_domains_come_back_and_are_smaller(split: bool) -> None:
    names = (f"node-pool-7-{n * 2654435761 % 2**32:08x}-x{n % 997:03}" for n in range(30_000))
    assignment = {"levels": [HOSTNAME], "domains": [{"values": [n], "count": 1 + i % 3} for i, n in enumerate(names)]}
    encoded = to_slices(assignment, split=split, where=HERE)
    assert expanded(encoded) == expanded(assignment)
    assert length(encoded) < length(assignment)


def test_fewer_values_than_levels_are_refused_by_name() -> None:
    with pytest.raises(RefusedError, match=r"^Workload team-a/x at .*\.domains\[1\]\.values has 1 values for 2 levels"):
        to_slices(
            {
                "levels": ["block", "rack"],
                "domains": [{"values": ["b", "r"], "count": 1}, {"values": ["b"], "count": 1}],
            },
            split=False,
            where=HERE,
        )


def test_non_ascii_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match=r"domains\[0\]\.values holds 'knäuel'"):
        to_slices(hosts("knäuel"), split=True, where=HERE)


@pytest.mark.parametrize(
    "broken",
    [
        {"domainCount": 2, "valuesPerLevel": [{"individual": {"roots": ["a"]}}], "podCounts": {"universal": 1}},
        {"domainCount": 2, "valuesPerLevel": [{"universal": "a"}], "podCounts": {"individual": [1]}},
        {"domainCount": 1, "valuesPerLevel": [], "podCounts": {"universal": 1}},
        {"domainCount": 1, "valuesPerLevel": [{}], "podCounts": {"universal": 1}},
        {"domainCount": 1, "valuesPerLevel": [{"universal": "a"}]},
    ],
)
def test_a_slice_that_holds_less_than_it_counts_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match=r"slices\[0\] has fewer values or pod counts"):
        to_domains({"levels": ["rack"], "slices": [broken]}, where=HERE)


host_names = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "a-", "pool-a-", "pool-b-", f"{'long' * 9}-", f"{'long' * 9}-2-"]),
    st.integers(0, 30),
    st.sampled_from(["", "-", ".internal", "-x"]),
)


@st.composite
def assignments(draw: st.DrawFn) -> dict[str, Any]:
    levels = draw(st.sampled_from([[HOSTNAME], ["rack", HOSTNAME], ["block", "rack"], []]))
    values = st.lists(host_names, min_size=len(levels), max_size=len(levels))
    domains = draw(st.lists(st.builds(lambda v, c: {"values": v, "count": c}, values, st.integers(1, 3)), max_size=12))
    return {"levels": levels, "domains": domains}


@given(assignments(), st.booleans())
def test_there_and_back_is_the_same(assignment: dict[str, Any], split: bool) -> None:
    encoded = to_slices(assignment, split=split, where=HERE)
    assert to_domains(encoded, where=HERE) == assignment
    assert expanded(encoded) == expanded(assignment)


@given(assignments())
def test_the_split_is_never_longer(assignment: dict[str, Any]) -> None:
    encoded = [to_slices(assignment, split=split, where=HERE) for split in (False, True)]
    assert length(encoded[1]) <= length(encoded[0])
