"""By what Kueue is known to have to do with an object."""

from typing import Any

import pytest

from kueuelift.model import KubernetesObject
from kueuelift_snapshot.marks import is_executor, is_marked, names_kueue
from part_recorder import obj
from queued_jobs import QUEUE, job, pod, pod_spec

CHECKSUM = {"charts.kueue.x-k8s.io/config-checksum": "0" * 64}


@pytest.mark.parametrize(
    "marked",
    [
        job(labels=QUEUE),
        job(annotations=QUEUE),
        job(labels={"kueue.x-k8s.io/prebuilt-workload-name": "w"}),
        job(annotations={"provreq.kueue.x-k8s.io/maxRunDurationSeconds": "60"}),
        job(template={"labels": QUEUE}),
        job(template={"annotations": {"kueue.x-k8s.io/podset-required-topology": "rack"}}),
        job(finalizers=["kueue.x-k8s.io/managed"]),
        job(spec={"managedBy": "kueue.x-k8s.io/multikueue"}),
        pod(spec=pod_spec(schedulingGates=[{"name": "kueue.x-k8s.io/topology"}])),
        pod(finalizers=["kueue.x-k8s.io/managed"]),
        obj("batch/v1", "CronJob", "c", "team-a", spec={"jobTemplate": {"metadata": {"labels": QUEUE}}}),
        obj(
            "x/v1",
            "Set",
            "s",
            "team-a",
            spec={"groups": [{"template": {"spec": {"template": {"metadata": {"labels": QUEUE}}}}}]},
        ),
        obj(
            "x/v1",
            "Set",
            "s",
            "team-a",
            spec={"template": {"spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}}},
        ),
        obj("x/v1", "App", "s", "team-a", spec={"driver": {"labels": QUEUE}}),
        obj(
            "x/v1",
            "App",
            "s",
            "team-a",
            spec={"sparkConf": {"spark.kubernetes.driver.label.kueue.x-k8s.io/queue-name": "q"}},
        ),
    ],
)
def test_what_kueue_has_to_do_with(marked: KubernetesObject) -> None:
    assert is_marked(marked)


@pytest.mark.parametrize(
    "clean",
    [
        job(),
        job(labels={"example.com/queue-name": "main", "notkueue.x-k8s.io/a": "b"}),
        job(annotations={"example.com/note": "kueue.x-k8s.io/queue-name"}),
        job(finalizers=["batch.kubernetes.io/job-tracking"]),
        job(spec={"managedBy": "example.com/x"}),
        pod(spec=pod_spec(schedulingGates=[{"name": "example.com/hold"}])),
        # The manager's own Deployment, and its Pods, as chart 0.17.0 has them.
        obj("apps/v1", "Deployment", "d", "team-a", spec={"template": {"metadata": {"annotations": CHECKSUM}}}),
        pod(annotations=CHECKSUM),
        obj("x/v1", "Role", "r", labels={"rbac.kueue.x-k8s.io/batch-admin": "true"}),
        {"apiVersion": "v1", "kind": "Odd", "metadata": {}, "spec": ["text", {"labels": None, "schedulingGates": "x"}]},
        {"apiVersion": "v1", "kind": "Odd"},
    ],
)
def test_what_it_has_not(clean: KubernetesObject) -> None:
    assert not is_marked(clean)


def test_executors_of_a_driver_pod() -> None:
    driver, other = [[{"kind": kind, "name": "d", "uid": "u"}] for kind in ("Pod", "SparkApplication")]
    assert is_executor(pod(labels={"spark-role": "executor"}, ownerReferences=driver))
    assert not is_executor(pod(labels={"spark-role": "executor"}, ownerReferences=other))
    assert not is_executor(pod(labels={"spark-role": "driver"}, ownerReferences=driver))


@pytest.mark.parametrize(
    "value",
    ["kueue", "my-Kueue", {"a": [{"alert": "KueuePending"}]}, {"kueue": 1}, [[], "x", {"b": {"KUEUE_X": None}}]],
)
def test_what_names_kueue(value: Any) -> None:
    assert names_kueue(value)
    assert names_kueue(None, value)


@pytest.mark.parametrize("value", [None, "", "queue", 7, True, {"a": ["queue", 1.5]}, [], {}])
def test_what_names_it_not(value: Any) -> None:
    assert not names_kueue(value)
