"""The manager's settings in a plan: what helm/values.yaml gets, and what is left alone."""

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from kueuelift import yaml_text
from kueuelift.plan_dir import Plan
from kueuelift.progress import Silence
from kueuelift_transform.charts import default_values, read_chart
from kueuelift_transform.transform import Request, transform
from plan_maker import make_plan
from snapshot_maker import Cluster, config_map, make_chart, make_snapshot, write_archive

B1 = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
B2 = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
OWN = "managerConfig", "controllerManagerConfigYaml"


def values_of(
    folder: Path, values: dict[str, Any], *, live: str = "", to: str = "0.17.0", **more: Any
) -> dict[str, Any]:
    """What the plan for a cluster with these values sets."""
    parts = {"installation/configmaps": [config_map(live)]} if live else {}
    folder.mkdir(exist_ok=True)
    plan, _ = make_plan(folder, Cluster(values=values, parts=parts, **more), to=to)
    loaded: dict[str, Any] = yaml_text.load(plan.sealed.read("helm/values.yaml"), "values")
    return loaded


def own(text: str) -> dict[str, Any]:
    return {OWN[0]: {OWN[1]: text}}


def gate_list(**gates: bool) -> dict[str, Any]:
    return {"controllerManager": {"featureGates": [{"name": name, "enabled": on} for name, on in gates.items()]}}


def test_a_configuration_of_the_user_is_converted_with_its_comments(tmp_path: Path) -> None:
    text = B1 + "waitForPodsReady: # gangs\n  enable: true\n  timeout: 10m # long\n"
    written = values_of(tmp_path, own(text))[OWN[0]][OWN[1]]
    assert written == B2 + (
        "waitForPodsReady: # gangs\n  blockAdmission: true\n  recoveryTimeout: 0s\n  timeout: 10m # long\n"
    )


def test_the_text_is_written_as_a_person_reads_it(tmp_path: Path) -> None:
    plan, _ = make_plan(tmp_path, Cluster(values=own(B1 + "namespace: kueue-system # ours\n")))
    assert plan.sealed.read("helm/values.yaml").decode() == (
        "managerConfig:\n"
        "  controllerManagerConfigYaml: |\n"
        "    apiVersion: config.kueue.x-k8s.io/v1beta2\n"
        "    kind: Configuration\n"
        "    namespace: kueue-system # ours\n"
    )


def test_a_configuration_that_is_no_text_becomes_one_as_the_chart_wants_it(tmp_path: Path) -> None:
    structured = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta1",
        "kind": "Configuration",
        "fairSharing": {"enable": False},
    }
    written = values_of(tmp_path, {OWN[0]: {OWN[1]: structured}})[OWN[0]][OWN[1]]
    assert yaml_text.load(written, "it") == yaml_text.load(B2, "it")


def test_nothing_is_written_where_nothing_is_known_and_nothing_is_set(tmp_path: Path) -> None:
    assert values_of(tmp_path, {}) == {}


def test_the_chart_s_old_default_is_written_down_where_the_new_one_differs(tmp_path: Path) -> None:
    live = B1 + "integrations:\n  frameworks: [batch/job]\n"
    written = values_of(tmp_path, {}, live=live)[OWN[0]][OWN[1]]
    assert yaml_text.load(written, "it")["integrations"] == {"frameworks": ["batch/job"]}


INJECTED = """internalCertManagement:
  enable: true
  webhookServiceName: kueue-webhook-service
  webhookSecretName: kueue-webhook-server-cert
"""


@pytest.mark.parametrize(
    ("live", "set_anew"), [(B2 + INJECTED, False), (B2 + "manageJobsWithoutQueueName: true\n", True)]
)
def test_the_chart_s_default_is_left_to_the_chart_where_it_is_in_effect_as_before(
    tmp_path: Path, live: str, set_anew: bool
) -> None:
    parts = {"installation/configmaps": [config_map(live)]}
    make_snapshot(tmp_path / "snapshot", Cluster(release="0.16.0", parts=parts))
    chart = tmp_path / "kueue-0.17.0.tgz"
    with_values(make_chart(chart), own(B2 + "clientConnection: {qps: 20}\n"))
    assert default_values(read_chart(chart)) == own(B2 + "clientConnection: {qps: 20}\n")
    request = Request(
        snapshot=tmp_path / "snapshot", out=tmp_path / "plan", release="0.17.0", target="helm", charts=(chart,)
    )
    transform(request, Silence())
    written = yaml_text.load(Plan.open(tmp_path / "plan").sealed.read("helm/values.yaml"), "values")
    assert bool(written) is set_anew
    assert "internalCertManagement" not in str(written)


def test_gates_of_the_list_stay_there_and_an_emptied_list_is_null(tmp_path: Path) -> None:
    gates = gate_list(LocalQueueMetrics=False, QueueVisibility=True)
    assert values_of(tmp_path / "some", gates) == gate_list(LocalQueueMetrics=False)
    assert values_of(tmp_path / "none", gate_list(QueueVisibility=True)) == {
        "controllerManager": {"featureGates": None}
    }
    assert values_of(tmp_path / "same", gate_list(LocalQueueMetrics=False)) == {}


def test_gates_in_two_places_come_into_the_configuration(tmp_path: Path) -> None:
    values = own(B1 + "featureGates: {LocalQueueMetrics: true}\n") | gate_list(AdmissionFairSharing=False)
    written = values_of(tmp_path, values)
    assert written["controllerManager"] == {"featureGates": None}
    gates = yaml_text.load(written[OWN[0]][OWN[1]], "it")["featureGates"]
    assert gates == {"LocalQueueMetrics": True, "AdmissionFairSharing": False}


def test_a_gate_that_keeps_waiting_off_does_not_make_a_second_place(tmp_path: Path) -> None:
    values = own(B1) | gate_list(LocalQueueMetrics=False)
    written = values_of(tmp_path, values, to="0.19.2", release="0.18.1")
    assert written["controllerManager"] == {"featureGates": None}
    gates = yaml_text.load(written[OWN[0]][OWN[1]], "it")["featureGates"]
    assert gates == {"LocalQueueMetrics": False, "DisableWaitForPodsReady": True}


def test_a_configuration_that_is_refused_blocks_and_is_left_alone(tmp_path: Path) -> None:
    plan, outcome = make_plan(tmp_path, Cluster(values=own(B1 + "unknown: 1\n") | gate_list(LocalQueueMetrics=False)))
    assert not outcome.view.applicable
    assert yaml_text.load(plan.sealed.read("helm/values.yaml"), "values") == {}


def test_a_hidden_part_never_reaches_the_plan(tmp_path: Path) -> None:
    token = f"kueuelift-token-{'0' * 32}"
    plan, _ = make_plan(tmp_path, Cluster(values=own(B2 + f"pprofBindAddress: {token}\n")))
    assert token not in plan.sealed.read("helm/values.yaml").decode()


def test_each_change_is_in_the_ledger_of_losses(tmp_path: Path) -> None:
    text = B1 + "fairSharing: {enable: true}\nqueueVisibility: {updateIntervalSeconds: 5}\n"
    plan, _ = make_plan(tmp_path, Cluster(values=own(text)))
    entries = [entry for entry in json.loads(plan.sealed.read("losses.json")) if entry["kind"] == "Configuration"]
    found = {entry["path"]: (entry["change"], entry["meaning"], entry["objects"]) for entry in entries}
    config = ["kueue-system/kueue-manager-config"]
    assert found == {
        "queueVisibility": ("dropped", "lost", config),
        "fairSharing.enable": ("dropped", "kept", config),
        "fairSharing.preemptionStrategies": ("defaulted", "kept", config),
    }


def with_values(chart: Path, values: dict[str, Any]) -> None:
    """Give a made-up chart other values of its own."""
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(chart.read_bytes()))) as archive:
        files = {it.name: file.read() for it in archive if (file := archive.extractfile(it))}
    write_archive(chart, files | {"kueue/values.yaml": yaml_text.dump(values).encode()})
