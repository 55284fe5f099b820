"""Which release a snapshot is of, which ways lead from it, and which are refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from kueuelift.errors import RefusedError, UntrustedError, UsageError
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_transform.captured import Captured
from kueuelift_transform.hops import check_served
from kueuelift_transform.source import find_source
from kueuelift_transform.transform import Request, transform
from plan_maker import make_plan
from snapshot_maker import (
    Cluster,
    crds_of,
    helm_record,
    legacy_cluster,
    make_chart,
    make_snapshot,
    manifest,
    without_kueue,
)


def source_of(folder: Path, cluster: Cluster) -> tuple[str, tuple[str, ...]]:
    make_snapshot(folder / "snapshot", cluster)
    source = find_source(Captured(snapshot=Snapshot.open(folder / "snapshot")))
    return str(source), source.evidence


def test_the_running_image_comes_before_the_charts_word(tmp_path: Path) -> None:
    record = helm_record("0.16.0", app_version="v0.16.0", manifest=tuple(manifest("0.16.4")))
    release, evidence = source_of(tmp_path, Cluster(release="0.16.0", records=[record]))
    assert release == "0.16.4"
    assert len(evidence) == 3


def test_a_digest_or_a_sites_own_tag_leaves_the_charts_word(tmp_path: Path) -> None:
    deployment = manifest("0.16.0")[1]
    deployment["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/kueue@sha256:abc"
    record = helm_record("0.16.0", manifest=(deployment,))
    assert source_of(tmp_path, Cluster(release="0.16.0", records=[record]))[0] == "0.16.0"


def test_without_helm_the_crds_tell_the_minor(tmp_path: Path) -> None:
    release, evidence = source_of(tmp_path, Cluster(records=()))
    assert release == "0.12.0"
    seen = "CRDs: v1alpha1 stored for cohorts, topologies; v1beta1 stored for 9 kinds, as in release 0.12"
    assert evidence == (seen,)


def test_a_superseded_revision_is_not_what_runs(tmp_path: Path) -> None:
    old = helm_record("0.12.2", revision=1, status="superseded")
    assert source_of(tmp_path, Cluster(release="0.16.0", records=[old, helm_record("0.16.0")]))[0] == "0.16.0"


def refused(folder: Path, cluster: Cluster, to: str) -> str:
    with pytest.raises(RefusedError) as caught:
        make_plan(folder, cluster, to=to)
    assert not (folder / "plan").exists()
    return str(caught.value)


def test_a_target_below_v1beta2_storage_is_refused(tmp_path: Path) -> None:
    assert "0.16 is the first to do" in refused(tmp_path, Cluster(), "0.15.0")


def test_an_unknown_release_is_refused(tmp_path: Path) -> None:
    assert "name one of these" in refused(tmp_path, Cluster(), "0.99.0")


def test_a_downgrade_is_refused(tmp_path: Path) -> None:
    assert "does not downgrade" in refused(tmp_path, Cluster(release="0.18.1"), "0.17.0")


def test_a_release_known_by_its_chart_only_needs_it_rendered(tmp_path: Path) -> None:
    assert "put helm on PATH" in refused(tmp_path, Cluster(release="0.19.2"), "0.20.0")


def test_kueue_without_a_helm_release_is_refused(tmp_path: Path) -> None:
    foreign = helm_record("0.12.2", chart_name="hopsworks", release="hops")
    message = refused(tmp_path, Cluster(records=[foreign]), "0.17.0")
    assert "only kueue-system/hops (hopsworks)" in message


def test_two_releases_of_kueue_are_refused(tmp_path: Path) -> None:
    records = [helm_record("0.12.2"), helm_record("0.12.2", namespace="other")]
    assert "other/kueue" in refused(tmp_path, Cluster(records=records), "0.17.0")


def test_a_release_that_is_kept_in_another_namespace_is_refused(tmp_path: Path) -> None:
    """As Flux keeps it: helm would find no release there and install a second one over it."""
    record = helm_record("0.12.2", storage_namespace="flux-system")
    message = refused(tmp_path, Cluster(records=[record]), "0.17.0")
    assert "Helm release kueue-system/kueue (kept in flux-system)" in message
    assert "name the target that owns it, probably flux" in message


def test_a_release_that_is_kept_in_config_maps_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, Cluster(records=[helm_record("0.12.2", driver="configmap")]), "0.17.0")
    assert "Helm release kueue-system/kueue (kept in ConfigMaps of kueue-system)" in message
    assert "into Secrets" in message
    assert "take a new snapshot" in message


def test_a_release_that_is_kept_in_secrets_and_config_maps_is_two(tmp_path: Path) -> None:
    records = [helm_record("0.12.2"), helm_record("0.12.2", driver="configmap", revision=3)]
    message = refused(tmp_path, Cluster(records=records), "0.17.0")
    assert "kueue-system/kueue (kept in ConfigMaps of kueue-system) and kueue-system/kueue of chart" in message


def test_a_manager_that_is_not_in_the_release_is_refused_before_a_bridge(tmp_path: Path) -> None:
    record = helm_record("0.12.2", manifest=())
    assert "no Deployment of a Kueue manager" in refused(tmp_path, Cluster(records=[record]), "0.17.0")


def phases_of(folder: Path, cluster: Cluster, to: str = "0.17.0") -> dict[str, list[str]]:
    plan, _ = make_plan(folder, cluster, to=to)
    steps = plan.steps
    return {phase.name: [step.id for step in steps if step.phase == phase.name] for phase in plan.phases}


def test_from_0_15_nothing_is_stopped(tmp_path: Path) -> None:
    crds = crds_of("0.16.0", stored="v1beta1")
    record = helm_record("0.15.0")
    assert phases_of(tmp_path, Cluster(crds=crds, records=[record])) == {
        "prepare": ["10-check", "11-backup"],
        "install": ["40-replace-crds", "41-keep-crds", "42-helm", "43-await"],
        "migrate": ["50-rewrite-objects", "51-set-stored-versions"],
        "verify": ["60-verify"],
    }


def test_what_is_stored_at_v1beta2_is_not_rewritten(tmp_path: Path) -> None:
    assert "migrate" not in phases_of(tmp_path, Cluster(release="0.16.0"))


def test_the_release_that_runs_already_is_only_migrated(tmp_path: Path) -> None:
    cluster = Cluster(release="0.17.0", crds=crds_of("0.17.0", also_stored="v1beta1"))
    assert phases_of(tmp_path, cluster) == {
        "prepare": ["10-check", "11-backup"],
        "migrate": ["50-rewrite-objects", "51-set-stored-versions"],
        "verify": ["60-verify"],
    }


def test_a_release_that_runs_on_older_crds_is_installed(tmp_path: Path) -> None:
    cluster = Cluster(release="0.17.0", crds=crds_of("0.12.2"))
    assert "install" in phases_of(tmp_path, cluster)


def test_a_cluster_without_kueue_gets_a_fresh_install(tmp_path: Path) -> None:
    plan, outcome = make_plan(tmp_path, without_kueue())
    assert [step.kind for step in plan.steps] == ["check", "backup", "replace-crds", "helm", "await", "verify"]
    assert plan.header["source"]["release"] == ""
    assert sum(plan.header["counts"].values()) == 0
    assert outcome.view.applicable


def test_a_target_that_dropped_the_stored_version_names_a_stop_between(tmp_path: Path) -> None:
    make_snapshot(tmp_path / "snapshot", Cluster())
    captured = Captured(snapshot=Snapshot.open(tmp_path / "snapshot"))
    target = crds_of("0.17.0")
    for crd in target.values():
        crd["spec"]["versions"] = [version for version in crd["spec"]["versions"] if version["name"] == "v1beta2"]
    with pytest.raises(RefusedError, match=r"no longer serves v1beta1, which 0\.12\.2 stores; go to 0\.19 first"):
        check_served(find_source(captured), captured.crds, target)


def test_words_that_do_not_fit_are_a_usage_error(tmp_path: Path) -> None:
    make_snapshot(tmp_path / "snapshot", Cluster())
    request = Request(snapshot=tmp_path / "snapshot", out=tmp_path / "plan", release="0.17.0", target="helm")
    with pytest.raises(UsageError, match="needs the chart of release"):
        transform(request, Silence())
    with pytest.raises(UsageError, match="no such target; name one of helm"):
        transform(replace(request, target="helmet"), Silence())


def test_a_damaged_snapshot_is_not_believed(tmp_path: Path) -> None:
    make_snapshot(tmp_path / "snapshot", legacy_cluster(0))
    (tmp_path / "snapshot" / "objects" / "cohorts" / "company.yaml").write_text("spec: {}\n")
    chart = make_chart(tmp_path / "kueue-0.17.0.tgz")
    request = Request(
        snapshot=tmp_path / "snapshot", out=tmp_path / "plan", release="0.17.0", target="helm", charts=(chart,)
    )
    with pytest.raises(UntrustedError, match="altered after sealing"):
        transform(request, Silence())
    assert not (tmp_path / "plan").exists()
