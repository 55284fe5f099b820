"""Walks the rule cases: each folder of `fixtures/rules/<id>` makes a cluster, and the rule hits it or leaves it be."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES
from kueuelift import yaml_text
from kueuelift.crd import bundled
from kueuelift.model import Failure
from kueuelift_transform.rule import all_rules, table
from plan_maker import make_plan
from snapshot_maker import SERVICE, Cluster, config_map, manifest, without_kueue

RULES = FIXTURES / "rules"
README = FIXTURES.parent / "transform" / "README.md"
CASES = sorted(path.parent for path in RULES.glob("*/*/case.yaml"))
BEGIN, END = "<!-- rules: written by tests -->\n", "<!-- end of rules -->\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_rule_case(case: Path, tmp_path: Path, update_goldens: bool) -> None:
    given = yaml_text.load((case / "case.yaml").read_bytes(), str(case)) or {}
    helm = helm_that_serves(tmp_path, given["chartServes"]) if "chartServes" in given else None
    plan, _ = make_plan(
        tmp_path, cluster_of(given), to=given.get("to", "0.17.0"), helm=helm, fix=given.get("fix", False)
    )
    findings = json.loads(plan.sealed.read("findings.json"))
    found = [finding for finding in findings if finding["id"] == case.parent.name.upper()]
    if case.name.startswith("clean"):
        assert found == []
        return
    golden = case / "findings.json"
    if update_goldens:
        golden.write_text(json.dumps(found, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_bytes()) != []


def test_every_rule_has_a_hit_and_a_clean_case_and_the_other_way_round() -> None:
    walked = {(case.parent.name.upper(), case.name.partition("-")[0]) for case in CASES}
    assert walked == {(rule.id, way) for rule in all_rules() for way in ("hit", "clean")}


def test_the_readme_has_the_table_of_rules(update_goldens: bool) -> None:
    before, begin, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    written, end, after = rest.partition(END)
    assert begin
    assert end
    if update_goldens:
        README.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
        return
    assert written == table()


def test_ids_follow_the_modules_and_are_used_once() -> None:
    ids = [rule.id for rule in all_rules()]
    assert ids == sorted(set(ids))
    for rule in all_rules():
        assert rule.check.__module__.rpartition(".")[2].startswith(f"{rule.id.lower()}_")


def cluster_of(given: dict[str, Any]) -> Cluster:
    if given.get("release") == "":
        return without_kueue()
    failures = [Failure(**failure) for failure in given.get("failures", ())]
    same = {key: given[key] for key in ("release", "objects", "values", "server", "raw", "narrowed") if key in given}
    parts = {"installation/configmaps": [config_map(given["configMap"])]} if "configMap" in given else {}
    return Cluster(failures=failures, parts=parts, **same)


def helm_that_serves(folder: Path, served: list[str]) -> Path:
    """A stand-in for helm that renders the chart of a release with fewer versions than any real one."""
    crds = bundled("0.17.0", service=SERVICE)
    for crd in crds.values():
        crd["spec"]["versions"] = [version for version in crd["spec"]["versions"] if version["name"] in served]
    rendered = folder / "rendered.yaml"
    rendered.write_text("".join(f"---\n{yaml_text.dump(obj)}" for obj in (*crds.values(), manifest("0.17.0")[1])))
    helm = folder / "helm"
    helm.write_text(f'#!/bin/sh\ncat "{rendered}"\n')
    helm.chmod(0o700)
    return helm
