"""Walks the golden plans: the phases and steps that each made-up cluster gets, whole."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import FIXTURES
from plan_maker import make_plan
from snapshot_maker import Cluster, crds_of, helm_record, legacy_cluster, without_kueue

CASES: dict[str, Callable[[], Cluster]] = {
    "helm-0.12.2-to-0.17.0": lambda: legacy_cluster(6),
    "helm-0.15.0-to-0.17.0": lambda: Cluster(crds=crds_of("0.16.0", stored="v1beta1"), records=[helm_record("0.15.0")]),
    "helm-0.16.0-to-0.17.0": lambda: Cluster(release="0.16.0", crds=crds_of("0.16.0", also_stored="v1beta1")),
    "helm-none-to-0.17.0": without_kueue,
}
PLANS = FIXTURES / "plans"


@pytest.mark.parametrize("case", sorted(CASES))
def test_golden_plan(case: str, tmp_path: Path, update_goldens: bool) -> None:
    plan, _ = make_plan(tmp_path, CASES[case]())
    planned = {key: plan.header[key] for key in ("source", "target", "hops", "settings", "phases", "steps")}
    golden = PLANS / case / "plan.json"
    if update_goldens:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps(planned, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    assert planned == json.loads(golden.read_bytes())


def test_every_golden_plan_has_its_cluster() -> None:
    assert {path.parent.name for path in PLANS.glob("*/plan.json")} == set(CASES)


@pytest.mark.parametrize("case", sorted(CASES))
def test_every_file_that_a_step_names_is_in_the_plan(case: str, tmp_path: Path) -> None:
    plan, _ = make_plan(tmp_path, CASES[case]())
    for step in plan.steps:
        named = [*step.arguments.get("crds", {}).values(), step.arguments.get("chart"), step.arguments.get("values")]
        assert {path for path in named if path} <= set(plan.sealed.header["files"])
    used = {path for step in plan.steps for path in step.arguments.get("crds", {}).values()}
    assert used == set(plan.sealed.names("crds"))
