"""The story of a transform: what lies in the plan that it makes of the 0.12.2 cluster."""

from pathlib import Path

import pytest

from kueuelift import crd, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, CONFIGURATION_KINDS, KINDS
from kueuelift.plan_dir import Plan
from kueuelift.progress import Silence
from kueuelift_transform.transform import Outcome, Request, transform
from plan_maker import make_plan
from snapshot_maker import Cluster, legacy_cluster, make_snapshot

WORKLOADS = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Outcome]:
    return make_plan(tmp_path_factory.mktemp("story"), legacy_cluster(WORKLOADS))


@pytest.fixture(scope="module")
def plan(made: tuple[Plan, Outcome]) -> Plan:
    return made[0]


def test_the_header_says_from_where_to_where_and_why(plan: Plan) -> None:
    header = plan.header
    assert header["source"]["release"] == "0.12.2"
    assert "runs image registry.example/kueue:v0.12.2" in header["source"]["evidence"][0]
    assert header["source"]["evidence"][-1].endswith("as in release 0.12")
    assert header["target"] == {"name": "helm", "release": "0.17.0"}
    assert [hop["name"] for hop in header["hops"]] == ["bridge", "0.17.0"]
    assert header["applicable"] is True


def test_every_object_has_a_manifest_at_v1beta2_and_an_original(plan: Plan) -> None:
    for kind in KINDS:
        manifests = list(plan.manifests(kind))
        assert len(manifests) == plan.header["counts"][kind.plural] > 0, kind.plural
        assert {obj["apiVersion"] for obj in manifests} == {"kueue.x-k8s.io/v1beta2"}
    for kind in CONFIGURATION_KINDS:
        originals = {obj["metadata"]["name"]: obj for obj in plan.originals(kind)}
        assert set(originals) == {obj["metadata"]["name"] for obj in plan.manifests(kind)}
        assert all("uid" in obj["metadata"] for obj in originals.values())


def test_manifests_hold_nothing_of_the_server(plan: Plan) -> None:
    for kind in KINDS:
        for obj in plan.manifests(kind):
            assert set(obj["metadata"]) <= {"name", "namespace", "labels", "annotations", "ownerReferences"}
            assert "status" not in obj


def test_fields_have_moved(plan: Plan) -> None:
    cohorts = {obj["metadata"]["name"]: obj["spec"] for obj in plan.manifests(BY_NAME["Cohort"])}
    assert cohorts["science"]["parentName"] == "company"
    assert all("parent" not in spec for spec in cohorts.values())
    research = next(o["spec"] for o in plan.manifests(BY_NAME["ClusterQueue"]) if o["metadata"]["name"] == "research")
    assert research["cohortName"] == "science"
    assert research["admissionChecksStrategy"] == {"admissionChecks": [{"name": "budget"}]}
    assert research["flavorFungibility"]["whenCanBorrow"] == "MayStopSearch"


def test_workloads_leave_their_identity(plan: Plan) -> None:
    identities = list(plan.workload_identities())
    assert len(identities) == WORKLOADS
    assert set(identities[0]) == {"namespace", "name", "uid", "generation", "finished", "owners"}
    assert {line["finished"] for line in identities} == {True, False}
    assert {owner["kind"] for line in identities for owner in line["owners"]} == {"Job"}


def test_owners_of_kueues_own_kinds_are_named_at_v1beta2(tmp_path: Path) -> None:
    workload = next(obj for obj in legacy_cluster(1).objects if obj["kind"] == "Workload")
    owner = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "name": "parent", "uid": "uid-of-a-parent"}
    workload["metadata"]["ownerReferences"].append(owner)
    plan, _ = make_plan(tmp_path, Cluster(objects=[workload]))
    manifest = next(plan.manifests(BY_NAME["Workload"]))
    assert [own["apiVersion"] for own in manifest["metadata"]["ownerReferences"]] == [
        "batch/v1",
        "kueue.x-k8s.io/v1beta2",
    ]
    assert [own["apiVersion"] for own in next(plan.workload_identities())["owners"]] == [
        "batch/v1",
        "kueue.x-k8s.io/v1beta1",
    ]


def test_the_bridge_stores_v1beta2_and_holds_what_either_side_holds(plan: Plan) -> None:
    cohorts, topologies = plan.document("crds/bridge/cohorts.yaml"), plan.document("crds/bridge/topologies.yaml")
    for bridge in (cohorts, topologies):
        assert crd.versions(bridge) == crd.served_versions(bridge) == ("v1alpha1", "v1beta1", "v1beta2")
        assert crd.storage_version(bridge) == "v1beta2"
        assert bridge["spec"]["conversion"] == {"strategy": "None"}
        assert "status" not in bridge
    for version in crd.versions(cohorts):
        spec = crd.schema(cohorts, version)["properties"]["spec"]["properties"]
        assert {"parent", "parentName"} <= set(spec)
        assert spec["resourceGroups"]["items"]["properties"]["flavors"]["maxItems"] == 64
        levels = crd.schema(topologies, version)["properties"]["spec"]["properties"]["levels"]
        assert levels["maxItems"] == 16


def test_losses_are_listed_and_found(made: tuple[Plan, Outcome]) -> None:
    view = made[1].view
    lost = [loss for loss in view.ledger.losses.entries() if not loss.meaning_kept]
    assert [(loss.kind, loss.objects, loss.path, loss.value) for loss in lost] == [
        ("AdmissionCheck", ("budget",), "spec.retryDelayMinutes", 15)
    ]
    assert "KL103" in {finding.id for finding in view.findings}


def test_the_report_is_a_page_for_the_ticket(plan: Plan) -> None:
    report = plan.sealed.read("REPORT.md").decode()
    assert plan.header["snapshot"]["digest"] in report
    assert "No Kueue manager runs from step 20-hold until step 42-await is done." in report
    assert "Cohort: spec.parent -> spec.parentName, 2 objects: science, serving" in report
    assert "| install | 41-helm | no |" in report


def test_the_page_for_the_browser_loads_and_runs_nothing(plan: Plan) -> None:
    page = plan.sealed.read("report.html").decode()
    assert "default-src 'none'" in page
    for word in ("<script", "<img", "<link", "http://", "https://", "url(", "@import"):
        assert word not in page


def test_apply_gets_the_rights_of_these_steps_only(plan: Plan) -> None:
    rules = plan.document("rbac.yaml")["rules"]
    rights = {(rule["apiGroups"][0], resource): rule["verbs"] for rule in rules for resource in rule["resources"]}
    assert rights["kueue.x-k8s.io", "workloads"] == ["get", "list", "update"]
    assert "delete" in rights["admissionregistration.k8s.io", "validatingwebhookconfigurations"]
    assert rights["batch", "jobs"] == ["get"]
    assert "delete" not in rights["apiextensions.k8s.io", "customresourcedefinitions"]
    assert not any("*" in rule["verbs"] + rule["resources"] for rule in rules)


def test_again_gives_the_same_digest(made: tuple[Plan, Outcome], tmp_path: Path) -> None:
    again, _ = make_plan(tmp_path, legacy_cluster(WORKLOADS))
    assert again.digest == made[1].digest == made[0].digest


def test_an_object_of_odd_text_stays_text(tmp_path: Path) -> None:
    note = "<script>alert('|')</script>\n](javascript:x)"
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "odd", "annotations": {"note": note}},
        "spec": {"namespaceSelector": {}, "strange": note},
    }
    plan, outcome = make_plan(tmp_path, Cluster(objects=[queue], raw=True))
    assert "KL104" in {finding.id for finding in outcome.view.findings}
    assert "<script>" not in plan.sealed.read("report.html").decode()
    assert "<script>" not in plan.sealed.read("REPORT.md").decode().replace("\\<", "")


def test_hidden_values_never_get_into_the_plans_values(tmp_path: Path) -> None:
    token = f"kueuelift-token-{'0' * 32}"
    values = {"controllerManager": {"manager": {"image": {"tag": "v0.12.2"}}}, "password": token}
    plan, outcome = make_plan(tmp_path, Cluster(values=values))
    written = yaml_text.load(plan.sealed.read("helm/values.yaml"), "values")
    assert written == {"controllerManager": {"manager": {"image": {"tag": "v0.17.0"}}}}
    assert "KL404" in {finding.id for finding in outcome.view.findings}


def test_a_refusal_leaves_nothing(tmp_path: Path) -> None:
    make_snapshot(tmp_path / "snapshot", legacy_cluster(0))
    chart = tmp_path / "kueue-0.17.0.tgz"
    chart.write_bytes(b"no chart")
    request = Request(
        snapshot=tmp_path / "snapshot", out=tmp_path / "plan", release="0.17.0", target="helm", charts=(chart,)
    )
    with pytest.raises(RefusedError, match="no chart archive"):
        transform(request, Silence())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kueue-0.17.0.tgz", "snapshot"]
