"""The 0.12.2-shaped cluster of the journey: a Helm release made by a chart, and years of use in it."""

import json
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bed import seed_objects, seed_workloads, stand_in_chart
from bed.api import Api, KubernetesObject
from bed.control_plane import ControlPlane
from bed.job import job
from bed.kueue import NAMESPACE, RELEASE
from bed.seed_objects import Seed

JOBS = ("nightly-1", "nightly-2", "nightly-3", "nightly-4")
"""The Jobs in team-a that are admitted when the move begins."""

_WRITERS = 8


def seed(cluster: ControlPlane, workloads: int = 500) -> None:
    """Installs the release, fills the cluster, then registers the hooks by an upgrade to the whole chart."""
    with tempfile.TemporaryDirectory(prefix="bed-chart-") as scratch:
        directory = Path(scratch)
        values = directory / "values.json"
        values.write_text(json.dumps(stand_in_chart.USER_VALUES), encoding="utf-8")
        options = ("--namespace", NAMESPACE, "--values", str(values))
        bare = stand_in_chart.write(directory, hooks=False)
        cluster.helm("install", RELEASE, str(bare), "--create-namespace", *options)
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        fill(cluster, workloads)
        cluster.helm("upgrade", RELEASE, str(stand_in_chart.write(directory)), *options)


def fill(cluster: ControlPlane, workloads: int) -> None:
    """Creates the objects; the CRDs must be there and nothing may answer for them yet."""
    api = cluster.api
    for name in seed_objects.NAMESPACES:
        api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    configuration = seed_objects.configuration(cpu=max(workloads, 100))
    for entry in configuration:
        _write(cluster, entry)
    _statuses(api, configuration)
    _jobs(api)
    _in_threads(api, seed_workloads.workloads(workloads))
    _dependant(api)


def write_workload(api: Api, obj: KubernetesObject, status: dict[str, Any]) -> KubernetesObject:
    """Creates a Workload as the job framework does, and applies its status as the scheduler does."""
    collection = f"/apis/{obj['apiVersion']}/namespaces/{obj['metadata']['namespace']}/workloads"
    made = api.create(collection, obj, manager="kueue")
    place = f"{collection}/{obj['metadata']['name']}/status"
    names = {key: obj["metadata"][key] for key in ("name", "namespace")}
    applied = {"apiVersion": obj["apiVersion"], "kind": "Workload", "metadata": names, "status": status}
    api.apply(place, applied, manager="kueue-admission")
    return made


def _in_threads(api: Api, pairs: Iterable[tuple[KubernetesObject, dict[str, Any]]]) -> None:
    with ThreadPoolExecutor(_WRITERS) as pool:
        for done in [pool.submit(write_workload, api, obj, status) for obj, status in pairs]:
            done.result()


def _write(cluster: ControlPlane, entry: Seed) -> None:
    if entry.way == "client":
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps(entry.obj))
    elif entry.way == "apply":
        cluster.api.apply(f"{entry.collection}/{entry.obj['metadata']['name']}", entry.obj, manager=entry.manager)
    else:
        cluster.api.create(entry.collection, entry.obj, manager=entry.manager)


def _statuses(api: Api, configuration: Iterable[Seed]) -> None:
    """What the controller of 0.12.2 wrote, in the fields that the newer version renames or drops among it."""
    active = {"conditions": [seed_workloads.condition("Active", "Ready")]}
    usage = [{"name": "plain", "resources": [{"name": "cpu", "total": "1500m"}]}]
    counts = {"pendingWorkloads": 2, "reservingWorkloads": 1, "admittedWorkloads": 1}
    statuses: dict[str, dict[str, Any]] = {
        "admissionchecks": active,
        "clusterqueues": {**active, **counts},
        "localqueues": {**active, **counts, "flavorUsage": usage, "flavorsReservation": usage},
    }
    for entry in configuration:
        if entry.plural in statuses:
            place = f"{entry.collection}/{entry.obj['metadata']['name']}/status"
            api.merge(place, {"status": statuses[entry.plural]}, manager="kueue")


def _jobs(api: Api) -> None:
    for name in JOBS:
        made = api.create("/apis/batch/v1/namespaces/team-a/jobs", job(name, queue="free", cpu="500m", memory="512Mi"))
        write_workload(api, *seed_workloads.owned(made, queue="free", cluster_queue="shared"))


def _dependant(api: Api) -> None:
    """An object that a Workload owns through v1beta1, as the provisioning controller leaves one."""
    owner = api.get(f"/apis/{seed_objects.BETA}/namespaces/team-a/workloads")["items"][0]
    reference = {"apiVersion": seed_objects.BETA, "kind": "Workload"}
    reference |= {key: owner["metadata"][key] for key in ("name", "uid")}
    metadata = {"name": "ppt-run", "namespace": "team-a", "ownerReferences": [reference]}
    template = owner["spec"]["podSets"][0]["template"]
    body = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": metadata, "template": template}
    api.create("/api/v1/namespaces/team-a/podtemplates", body, manager="kueue")
