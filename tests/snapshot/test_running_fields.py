"""What is left of a running object: no value of a user, and all that is judged later."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelift_snapshot.marks import is_executor, is_marked
from kueuelift_snapshot.running_fields import reduced
from odd_json import anything
from part_recorder import obj
from queued_jobs import KEPT_POD, QUEUE, job, pod, pod_spec


def kept_spec(**spec: Any) -> Any:
    found = reduced(obj("x/v1", "X", "x", "team-a", spec=spec))
    assert "hunter22" not in str(found)
    return found.get("spec")


def test_a_job_keeps_its_identity_and_marks_and_no_values() -> None:
    found = reduced(
        job(
            template={"labels": {"a": "b"}, "annotations": QUEUE | {"example.com/note": "hunter22"}},
            labels=QUEUE,
            annotations={
                "kueue.x-k8s.io/elastic-job": "true",
                "ray.io/ft-enabled": "true",
                "kubectl.kubernetes.io/last-applied-configuration": "hunter22",
                "example.com/token": "hunter22",
            },
            uid="u-1",
            finalizers=["kueue.x-k8s.io/managed"],
            ownerReferences=[{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u-0"}],
            status={
                "active": 2,
                "startTime": "2026-01-01T00:00:00Z",
                "conditions": [
                    {"type": "Suspended", "status": "True", "reason": "JobSuspended", "lastTransitionTime": "x"},
                    {"type": "Scaling", "status": "True"},
                ],
            },
        )
    )
    assert found == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "j",
            "namespace": "team-a",
            "uid": "u-1",
            "labels": QUEUE,
            "annotations": {"kueue.x-k8s.io/elastic-job": "true", "ray.io/ft-enabled": "true"},
            "finalizers": ["kueue.x-k8s.io/managed"],
            "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u-0"}],
        },
        "spec": {
            "suspend": True,
            "template": {"metadata": {"labels": {"a": "b"}, "annotations": QUEUE}, "spec": KEPT_POD},
        },
        "status": {"active": 2, "conditions": [{"type": "Suspended", "status": "True", "reason": "JobSuspended"}]},
    }


def test_a_pod_keeps_gates_claims_and_phase() -> None:
    gates, claims = [{"name": "kueue.x-k8s.io/admission"}], [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]
    spec = pod_spec(schedulingGates=gates, resourceClaims=claims, priorityClassName="high", nodeName="node-1")
    found = reduced(pod(spec=spec, status={"phase": "Pending", "podIP": "10.0.0.1"}))
    assert found["spec"] == KEPT_POD | {
        "schedulingGates": gates,
        "resourceClaims": claims,
        "priorityClassName": "high",
    }
    assert found["status"] == {"phase": "Pending"}


def test_a_job_that_is_not_suspended_says_so() -> None:
    assert kept_spec(suspend=False, parallelism=0, completions=None) == {"suspend": False, "parallelism": 0}


def test_what_spark_says() -> None:
    dynamic = {"enabled": True, "minExecutors": 1, "maxExecutors": 5}
    conf = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.executor.instances": "3",
        "spark.kubernetes.executor.label.kueue.x-k8s.io/queue-name": "main",
        "spark.hadoop.fs.s3a.secret.key": "hunter22",
    }
    driver = {"cores": 1, "memory": "2g", "labels": QUEUE, "env": [{"name": "A", "value": "hunter22"}]}
    spec = {
        "mode": "cluster",
        "sparkVersion": "3.5.1",
        "dynamicAllocation": dynamic,
        "driver": driver,
        "executor": {"instances": 2, "coreRequest": "500m", "javaOptions": "hunter22"},
        "sparkConf": conf,
        "arguments": ["hunter22"],
        "mainApplicationFile": "s3://hunter22",
    }
    assert kept_spec(**spec) == {
        "mode": "cluster",
        "sparkVersion": "3.5.1",
        "dynamicAllocation": dynamic,
        "driver": {"cores": 1, "memory": "2g", "labels": QUEUE},
        "executor": {"instances": 2, "coreRequest": "500m"},
        "sparkConf": {key: value for key, value in conf.items() if "secret" not in key},
    }
    running = {"applicationState": {"state": "RUNNING", "errorMessage": "hunter22"}}
    assert reduced(obj("x/v1", "X", "x", status=running))["status"] == {"applicationState": {"state": "RUNNING"}}


def test_what_ray_says() -> None:
    cluster = {
        "enableInTreeAutoscaling": True,
        "gcsFaultToleranceOptions": {"redisPassword": {"value": "hunter22"}},
        "headGroupSpec": {"rayStartParams": {"redis-password": "hunter22"}, "template": {"spec": pod_spec()}},
        "workerGroupSpecs": [
            {
                "groupName": "gpu",
                "replicas": 0,
                "minReplicas": 0,
                "maxReplicas": 4,
                "numOfHosts": 1,
                "template": {"spec": pod_spec()},
            }
        ],
    }
    spec = {
        "submissionMode": "SidecarMode",
        "clusterSelector": {"ray.io/cluster": "shared"},
        "entrypoint": "python hunter22.py",
        "runtimeEnvYAML": "hunter22",
        "rayClusterSpec": cluster,
    }
    assert kept_spec(**spec) == {
        "submissionMode": "SidecarMode",
        "clusterSelector": {"ray.io/cluster": "shared"},
        "rayClusterSpec": {
            "enableInTreeAutoscaling": True,
            "gcsFaultToleranceOptions": {},
            "headGroupSpec": {"template": {"spec": KEPT_POD}},
            "workerGroupSpecs": [
                {
                    "groupName": "gpu",
                    "replicas": 0,
                    "minReplicas": 0,
                    "maxReplicas": 4,
                    "numOfHosts": 1,
                    "template": {"spec": KEPT_POD},
                }
            ],
        },
    }


def test_an_object_of_any_shape_is_reduced() -> None:
    odd = {"spec": {"template": {"spec": {"containers": [None, 3]}}, "replicas": {"a": 1}, "labels": 3}, "status": []}
    assert reduced({"apiVersion": "x/v1", "kind": "X", "metadata": {"name": "x", "annotations": 3}} | odd)["spec"] == {
        "template": {"spec": {"containers": []}}
    }
    deep: Any = {"suspend": True}
    for _ in range(3000):
        deep = {"a": deep}
    assert "spec" not in reduced({"kind": "X", "metadata": {"name": "x"}, "spec": deep})


NAMES = (
    *("spec", "metadata", "labels", "annotations", "finalizers", "schedulingGates", "name", "sparkConf", "template"),
    *("containers", "image", "resources", "gcsFaultToleranceOptions", "suspend", "replicas", "conditions", "type"),
    *("applicationState", "state", "phase", "managedBy", "ownerReferences"),
)


@given(st.dictionaries(st.sampled_from(("spec", "status", "kind")), anything(NAMES)))
def test_no_shape_is_a_surprise(body: dict[str, Any]) -> None:
    odd = {"apiVersion": "x/v1", "metadata": {"name": "x"}} | body
    reduced(odd)
    assert isinstance(is_marked(odd) or is_executor(odd), bool)
