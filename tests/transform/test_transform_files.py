"""Manifests without a cluster behind them are transformed as well, into a plan to read and never to apply."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.plan_dir import Plan
from kueuelift.progress import Silence
from kueuelift_snapshot.files import collect_files
from kueuelift_transform.transform import Outcome, Request, transform
from snapshot_maker import crds_of, legacy_cluster, make_chart

Move = Callable[..., tuple[Plan, Outcome]]
V1BETA2 = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "Cohort",
    "metadata": {"name": "new"},
    "spec": {"parentName": "company"},
}


@pytest.fixture
def move(tmp_path: Path) -> Move:
    def move(*objects: KubernetesObject) -> tuple[Plan, Outcome]:
        text = "".join(f"---\n{yaml_text.dump(obj)}" for obj in objects)
        collect_files(
            ["-"],
            tmp_path / "snapshot",
            token_key=None,
            stdin=io.BytesIO(text.encode()),
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )
        request = Request(
            snapshot=tmp_path / "snapshot",
            out=tmp_path / "plan",
            release="0.17.0",
            target="helm",
            charts=(make_chart(tmp_path / "kueue-0.17.0.tgz"),),
        )
        outcome = transform(request, Silence())
        return Plan.open(tmp_path / "plan"), outcome

    return move


def test_all_kinds_are_converted_without_a_crd_and_nothing_may_be_applied(move: Move) -> None:
    plan, outcome = move(*legacy_cluster(4).objects)
    for kind in KINDS:
        manifests = list(plan.manifests(kind))
        assert len(manifests) == plan.header["counts"][kind.plural] > 0
        assert {obj["apiVersion"] for obj in manifests} == {"kueue.x-k8s.io/v1beta2"}
    cohorts = {obj["metadata"]["name"]: obj["spec"] for obj in plan.manifests(BY_NAME["Cohort"])}
    assert cohorts["science"]["parentName"] == "company"
    assert plan.header["source"]["release"] == "0.12.0"
    assert plan.header["source"]["evidence"] == [
        "no CustomResourceDefinition, but objects at v1alpha1, v1beta1; the first release to serve them is 0.12"
    ]
    assert plan.header["cluster"] == {"uid": "", "version": ""}
    assert plan.header["applicable"] is False
    assert [finding.detail for finding in outcome.view.findings if finding.id == "KL901"] == [
        "the snapshot was narrowed with --from"
    ]


def test_fields_that_no_crd_knows_are_told_by_the_bundled_ones(move: Move) -> None:
    cohort = {**V1BETA2, "apiVersion": "kueue.x-k8s.io/v1alpha1", "spec": {"parent": "company", "colour": "red"}}
    plan, outcome = move(cohort)
    (manifest,) = plan.manifests(BY_NAME["Cohort"])
    assert manifest["spec"] == {"parentName": "company"}
    assert outcome.view.ledger.unknown_fields == {"Cohort spec.colour": ["Cohort new"]}


def test_a_folder_that_is_moved_in_part_is_moved_to_the_end(move: Move) -> None:
    topology = {
        "apiVersion": "kueue.x-k8s.io/v1alpha1",
        "kind": "Topology",
        "metadata": {"name": "racks"},
        "spec": {"levels": [{"nodeLabel": "rack"}]},
    }
    plan, _ = move(V1BETA2, topology)
    assert plan.header["source"]["release"] == "0.12.0"
    assert plan.header["counts"]["cohorts"] == plan.header["counts"]["topologies"] == 1


def test_crds_among_the_files_count_as_those_of_a_cluster(move: Move) -> None:
    plan, _ = move(*crds_of("0.12.2").values(), *legacy_cluster(4).objects)
    assert [hop["name"] for hop in plan.header["hops"]] == ["bridge", "0.17.0"]
    assert plan.header["applicable"] is False


def test_versions_that_no_release_has_are_refused(move: Move) -> None:
    with pytest.raises(RefusedError, match="objects at v1beta9; no known release serves them together"):
        move({**V1BETA2, "apiVersion": "kueue.x-k8s.io/v1beta9"})
