"""Release records of both drivers, as the real helm writes them, held against what helm itself says of them."""

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bed.control_plane import ControlPlane
from kueuelift import helm_payload, yaml_text
from kueuelift.helm_record import HelmRecord
from kueuelift.redaction import is_token
from kueuelift.snapshot_dir import Snapshot
from snapshot_runs import in_small_pages

pytestmark = pytest.mark.cluster

NAMESPACE = "platform"
DRIVERS = ("secret", "configmap")
VALUES: Mapping[str, Any] = {
    "global": {"region": "north", "cleared": None},
    "hw-kueue": {"kueue": {"enabled": True}, "replicas": 3, "gone": None, "deep": {"a": None, "own": None}},
    "removed": None,
    "nested": {"x": None, "kept": {"y": None}, "was-null": None, "unknown": None, "scalar": {"a": 1}},
    "list": [3],
    "map": "now a text",
    "unknown": None,
}
"""What reaches every corner of helm's merging: nulls that remove, nulls that stay, types that change."""

PARENT = {
    "global": {"region": "south", "cleared": 1, "zone": "a"},
    "hw-kueue": {"replicas": 2, "deep": {"b": 1}},
    "removed": {"a": 1},
    "nested": {"x": 1, "kept": {"y": {"z": 1}, "w": 2}, "was-null": None, "scalar": 1, "other": 1.5},
    "list": [1, 2],
    "map": {"a": 1},
    "null-of-the-chart": None,
}
BUNDLED = {"replicas": 1, "gone": "soon", "deep": {"a": 1, "c": [1]}, "kueue": {"enabled": False, "image": "kueue:1"}}


def config_map(name: str, event: str = "", weight: int = 0) -> str:
    """A template of an object that is there at once; with an `event`, of a hook."""
    hook = {
        "helm.sh/hook": event,
        "helm.sh/hook-weight": str(weight),
        "helm.sh/hook-delete-policy": "before-hook-creation",
    }
    metadata = {"name": f"{{{{ .Release.Name }}}}-{name}", "annotations": hook if event else {}}
    return yaml_text.dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}})


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A platform that bundles something of Kueue's, with hooks."""
    folder = tmp_path_factory.mktemp("charts") / "platform"
    about = {"apiVersion": "v2", "version": "1.2.3", "appVersion": "v9"}
    dependency = {"name": "hw-kueue", "version": "1.2.3", "condition": "hw-kueue.kueue.enabled"}
    files = {
        "Chart.yaml": yaml_text.dump({**about, "name": "platform", "dependencies": [dependency]}),
        "values.yaml": yaml_text.dump(PARENT),
        "templates/web.yaml": f"{config_map('web')}---\n{config_map('more')}",
        "charts/hw-kueue/Chart.yaml": yaml_text.dump({**about, "name": "hw-kueue"}),
        "charts/hw-kueue/values.yaml": yaml_text.dump(BUNDLED),
        "charts/hw-kueue/templates/hooks.yaml": "---\n".join(
            [
                config_map("kueue-late", "post-install,post-upgrade", 7),
                config_map("kueue-first", "pre-install", -5),
                config_map("kueue-try", "test"),
            ]
        ),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def helm(cluster: ControlPlane, driver: str, *args: str) -> str:
    done = subprocess.run(
        [cluster.programs.helm, *args, "--namespace", NAMESPACE],
        env=cluster.environment() | {"HELM_DRIVER": driver},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def records(clean_cluster: ControlPlane, chart: Path, tmp_path_factory: pytest.TempPathFactory) -> list[HelmRecord]:
    """The chart installed and upgraded with each driver, as a snapshot has it; its second revisions have the values."""
    values = chart.parent / "values.yaml"
    values.write_text(yaml_text.dump(dict(VALUES)), encoding="utf-8")
    for driver in DRIVERS:
        enabled = ("--set", "hw-kueue.kueue.enabled=true")
        helm(clean_cluster, driver, "install", f"by-{driver}", str(chart), "--create-namespace", *enabled)
        helm(clean_cluster, driver, "upgrade", f"by-{driver}", str(chart), "--values", str(values))
    return captured(clean_cluster, tmp_path_factory.mktemp("snapshot") / "S")


def captured(cluster: ControlPlane, out: Path) -> list[HelmRecord]:
    taken, _ = in_small_pages(cluster, out, limit=500)
    assert taken.complete, taken.failures
    return Snapshot.open(out).helm_records()


def of(records: list[HelmRecord], driver: str, revision: int) -> HelmRecord:
    (found,) = [record for record in records if (record.driver, record.revision) == (driver, revision)]
    return found


def payload(cluster: ControlPlane, driver: str, revision: int) -> helm_payload.Payload:
    place = f"/api/v1/namespaces/{NAMESPACE}/{driver}s"
    return helm_payload.decode(cluster.api.get(f"{place}/{helm_payload.object_name(f'by-{driver}', revision)}"))


def hidden_apart(shown: Any, value: Any) -> Any:
    """What is shown, with the value in the place of each token."""
    if isinstance(shown, dict) and isinstance(value, dict):
        assert shown.keys() == value.keys()
        return {key: hidden_apart(shown[key], value[key]) for key in value}
    if isinstance(shown, list) and isinstance(value, list):
        return [hidden_apart(*pair) for pair in zip(shown, value, strict=True)]
    return value if is_token(shown) else shown


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_history_is_helms(clean_cluster: ControlPlane, records: list[HelmRecord], driver: str) -> None:
    history = json.loads(helm(clean_cluster, driver, "history", f"by-{driver}", "-o", "json"))
    assert len(history) == 2
    for told in history:
        record = of(records, driver, told["revision"])
        assert (record.namespace, record.release) == (NAMESPACE, f"by-{driver}")
        assert record.status == told["status"]
        assert record.description == told["description"]
        assert f"{record.chart_name}-{record.chart_version}" == told["chart"]
        assert record.app_version == told["app_version"]
        assert datetime.fromisoformat(record.last_deployed[:19]) == datetime.fromisoformat(told["updated"][:19])
        assert record.first_deployed == of(records, driver, 1).last_deployed


@pytest.mark.parametrize("revision", [1, 2])
@pytest.mark.parametrize("driver", DRIVERS)
def test_values_are_helms(clean_cluster: ControlPlane, records: list[HelmRecord], driver: str, revision: int) -> None:
    def values(*options: str) -> Any:
        words = ("get", "values", f"by-{driver}", "--revision", str(revision), "-o", "json", *options)
        return json.loads(helm(clean_cluster, driver, *words))

    stored = payload(clean_cluster, driver, revision).record
    computed = helm_payload.computed_values(stored["config"], stored["chart"]["values"])
    assert computed == values("--all")
    assert stored["config"] == values()
    record = of(records, driver, revision)
    assert hidden_apart(record.computed, values("--all")) == values("--all")
    assert hidden_apart(record.values, values()) == values()


@pytest.mark.parametrize("driver", DRIVERS)
def test_manifest_and_hooks_are_helms(clean_cluster: ControlPlane, records: list[HelmRecord], driver: str) -> None:
    record = of(records, driver, 2)
    hooks = list(yaml_text.load_all(helm(clean_cluster, driver, "get", "hooks", f"by-{driver}"), "hooks"))
    assert [hook.manifest["metadata"] for hook in record.hooks] == [obj["metadata"] for obj in hooks]
    assert {hook.name.partition("-kueue-")[2]: (hook.events, hook.weight) for hook in record.hooks} == {
        "late": (("post-install", "post-upgrade"), 7),
        "first": (("pre-install",), -5),
        "try": (("test",), 0),
    }
    (late,) = [hook for hook in record.hooks if hook.weight == 7]
    assert late.last_run["phase"] == "Succeeded"
    assert late.delete_policies == ("before-hook-creation",)
    assert late.path == "platform/charts/hw-kueue/templates/hooks.yaml"
    manifest = list(yaml_text.load_all(helm(clean_cluster, driver, "get", "manifest", f"by-{driver}"), "manifest"))
    assert [obj["metadata"] for obj in record.manifest] == [obj["metadata"] for obj in manifest]
    assert not record.unparsed


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_record_near_the_limit_is_measured_as_the_server_does(
    clean_cluster: ControlPlane, chart: Path, tmp_path: Path, driver: str
) -> None:
    """Case 44: what a chart carries along counts, and above 1 MiB helm could save nothing."""
    (chart / "ballast").write_bytes(base64.b64encode(os.urandom(600_000)))
    try:
        helm(clean_cluster, driver, "install", "large", str(chart), "--set", "hw-kueue.kueue.enabled=true")
        (record,) = [record for record in captured(clean_cluster, tmp_path / "S") if record.release == "large"]
        place = f"/api/v1/namespaces/{NAMESPACE}/{driver}s/{helm_payload.object_name('large', 1)}"
        kept = clean_cluster.api.get(place)["data"]["release"]
        assert record.encoded_bytes == len(kept if driver == "configmap" else base64.b64decode(kept))
        assert 0.8 < record.encoded_bytes / helm_payload.LARGEST_RECORD < 1
    finally:
        (chart / "ballast").unlink()
        helm(clean_cluster, driver, "uninstall", "large")


def test_a_record_written_anew_is_read_by_helm(clean_cluster: ControlPlane, records: list[HelmRecord]) -> None:
    """As apply does it to a release that was left pending."""
    for driver in DRIVERS:
        place = f"/api/v1/namespaces/{NAMESPACE}/{driver}s/{helm_payload.object_name(f'by-{driver}', 1)}"
        obj = clean_cluster.api.get(place)
        record = helm_payload.decode(obj).record
        record["info"]["description"] = "written anew"
        clean_cluster.api.replace(place, helm_payload.encode(obj, record))
        history = json.loads(helm(clean_cluster, driver, "history", f"by-{driver}", "-o", "json"))
        assert history[0]["description"] == "written anew"
