"""Transform with helm and the real 0.17.0 chart: what is rendered is what gets into the plan."""

from pathlib import Path

import pytest

from bed.programs import Programs
from kueuelift import yaml_text
from kueuelift.kinds import KINDS
from kueuelift.plan_dir import Plan
from kueuelift.progress import Silence
from kueuelift.structural import pruned_paths
from kueuelift_transform.transform import Request, transform
from snapshot_maker import Cluster, helm_record, legacy_cluster, make_snapshot

pytestmark = pytest.mark.cluster


def make(programs: Programs, folder: Path, cluster: Cluster) -> Plan:
    make_snapshot(folder / "snapshot", cluster)
    request = Request(
        snapshot=folder / "snapshot",
        out=folder / "plan",
        release="0.17.0",
        target="helm",
        charts=(programs.chart,),
        helm=programs.helm,
    )
    transform(request, Silence())
    return Plan.open(folder / "plan")


def test_crds_images_and_manager_are_the_charts(programs: Programs, tmp_path: Path) -> None:
    plan = make(programs, tmp_path, legacy_cluster(6))
    assert plan.sealed.read("images.txt") == b"registry.k8s.io/kueue/kueue:v0.17.0\n"
    rules = yaml_text.load(plan.sealed.read("rbac.yaml"), "rbac.yaml")["rules"]
    assert any("roles" in rule["resources"] and "escalate" in rule["verbs"] for rule in rules)
    assert plan.header["settings"]["crds"] == "chart kueue-0.17.0.tgz"
    for kind in KINDS:
        crd = plan.document(f"crds/0.17.0/{kind.plural}.yaml")
        assert set(crd) == {"apiVersion", "kind", "metadata", "spec"}
        assert crd["metadata"]["labels"]["helm.sh/chart"] == "kueue-0.17.0"
        schema = next(v["schema"]["openAPIV3Schema"] for v in crd["spec"]["versions"] if v["name"] == "v1beta2")
        for obj in plan.manifests(kind):
            assert pruned_paths(obj, schema) == []
    steps = {step.id: step.arguments for step in plan.steps}
    assert steps["42-await"] == {
        "deployment": {"namespace": "kueue-system", "name": "kueue-controller-manager"},
        "conversion": ["multikueueclusters", "cohorts", "clusterqueues", "localqueues", "workloads"],
    }


def test_the_users_values_decide_names_and_images(programs: Programs, tmp_path: Path) -> None:
    values = {
        "fullnameOverride": "queues",
        "enableCertManager": True,
        "controllerManager": {"manager": {"image": {"repository": "mirror.example/kueue", "tag": "v0.16.0"}}},
        "password": f"kueuelift-token-{'0' * 32}",
    }
    record = helm_record("0.16.0", values=values, release="batch", namespace="batch-system")
    plan = make(programs, tmp_path, Cluster(release="0.16.0", records=[record]))
    assert plan.sealed.read("images.txt") == b"mirror.example/kueue:v0.17.0\n"
    wait = next(step.arguments for step in plan.steps if step.kind == "await")
    assert wait["deployment"] == {"namespace": "batch-system", "name": "queues-controller-manager"}
    crd = plan.document("crds/0.17.0/cohorts.yaml")
    assert crd["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] == "batch-system/queues-serving-cert"
    service = crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert (service["namespace"], service["name"]) == ("batch-system", "queues-webhook-service")
    assert [step.kind for step in plan.steps if step.phase == "install"] == ["replace-crds", "helm", "await"]
