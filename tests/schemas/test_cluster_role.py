"""Rules of ClusterRoles, merged without giving more or less than before."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelift import yaml_text
from kueuelift.cluster_role import in_one_line, merged

_NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)
_VERBS = st.lists(st.sampled_from(["get", "list"]), min_size=1, unique=True)
_ON_RESOURCES = st.fixed_dictionaries(
    {
        "apiGroups": st.lists(st.sampled_from(["", "apps"]), min_size=1, unique=True),
        "resources": _NAMES,
        "verbs": _VERBS,
    },
    optional={"resourceNames": _NAMES},
)
_ON_ADDRESSES = st.fixed_dictionaries({"nonResourceURLs": st.just(["/version"]), "verbs": _VERBS})


def rights(rules: list[Mapping[str, Any]]) -> set[tuple[str, ...]]:
    """Every single thing that some rules allow; what is allowed of two names alone is not what both allow together."""
    found: set[tuple[str, ...]] = set()
    for rule in rules:
        names = ",".join(sorted(rule.get("resourceNames", ())))
        for group, resource, verb in product(rule.get("apiGroups", ()), rule.get("resources", ()), rule["verbs"]):
            found.add((group, resource, names, verb))
        found |= set(product(rule.get("nonResourceURLs", ()), rule["verbs"]))
    return found


@given(st.lists(_ON_RESOURCES | _ON_ADDRESSES))
def test_merged_rules_allow_the_same_and_nothing_twice(rules: list[Mapping[str, Any]]) -> None:
    once = merged(rules)
    assert rights(list(once)) == rights(rules)
    assert merged(once) == once
    assert merged(reversed(rules)) == once
    alike = [(rule.get("apiGroups"), rule.get("resourceNames"), rule["verbs"]) for rule in once]
    assert len(alike) == len({str(it) for it in alike})


@given(_ON_RESOURCES | _ON_ADDRESSES)
def test_one_line_is_the_rule(rule: Mapping[str, Any]) -> None:
    assert yaml_text.load(in_one_line(rule), "line") == rule


def test_the_core_group_is_written_so_that_yaml_reads_it() -> None:
    rule = {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}
    assert in_one_line(rule) == (
        '{apiGroups: [""], resources: [namespaces], resourceNames: [kube-system], verbs: [get]}'
    )
