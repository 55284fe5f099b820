"""Which running objects of which kinds are kept."""

from typing import Any

import pytest

from fake_cluster import CRDS, FakeCluster, answering, workload
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.running import WorkloadOwners, capture_running, framework_kind
from kueuelift_snapshot.scope import Scope
from part_recorder import Recorder, capture_of, obj, parts_of, serve
from queued_jobs import QUEUE, job, pod

JOBS, PODS = "/apis/batch/v1/jobs", "/api/v1/pods"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PipelineRun.v1.tekton.dev", ("tekton.dev", "PipelineRun")),
        ("Job.v1", None),
        ("batch/job", None),
        ("", None),
    ],
)
def test_external_frameworks(name: str, kind: Any) -> None:
    assert framework_kind(name) == kind


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


def run(*frameworks: str, owners: WorkloadOwners | None = None) -> Any:
    return lambda capture: capture_running(capture, owners or WorkloadOwners(), frameworks)


def test_of_each_integration_the_marked_are_kept(cluster: FakeCluster) -> None:
    cluster.lists[JOBS] = [job("marked", labels=QUEUE), job("clean")]
    cluster.lists[PODS] = [
        pod("executor", labels={"spark-role": "executor"}, ownerReferences=[{"kind": "Pod", "uid": "u"}]),
        pod("clean"),
    ]
    mpi = serve(cluster, "kubeflow.org", "mpijobs", "MPIJob", "v2beta1")
    serve(cluster, "kubeflow.org", "pytorchjobs", "PyTorchJob", "v1")
    cluster.lists[mpi] = [obj("kubeflow.org/v2beta1", "MPIJob", "m", "team-a", annotations=QUEUE, spec={})]
    found = parts_of(cluster, run())
    assert {place: list(objects) for place, objects in found.items() if objects} == {
        "running/jobs.batch": ["team-a/marked"],
        "running/pods": ["team-a/executor"],
        "running/mpijobs.kubeflow.org": ["team-a/m"],
    }


def test_other_kinds_are_asked_for_the_label(cluster: FakeCluster) -> None:
    runs = serve(cluster, "tekton.dev", "pipelineruns", "PipelineRun")
    unlistable = serve(cluster, "example.com", "secrets", "Secret")
    forbidden = serve(cluster, "example.com", "trains", "Train")
    serve(cluster, "example.com", "zones", "Zone", scope="Cluster")
    marked = obj("tekton.dev/v1", "PipelineRun", "marked", "team-a", labels=QUEUE, spec={})
    cluster.lists[runs] = [marked, obj("tekton.dev/v1", "PipelineRun", "clean", "team-a", annotations=QUEUE, spec={})]
    cluster.fail(unlistable, answering(405))
    cluster.fail(forbidden, answering(403))
    capture = capture_of(cluster)
    capture_running(capture, WorkloadOwners())
    assert capture.parts == {"running/pipelineruns.tekton.dev": 1}
    assert capture.unseen == {"secrets.example.com"}
    (failure,) = capture.failures
    assert failure.rule == {"apiGroups": ["example.com"], "resources": ["trains"], "verbs": ["list"]}
    queries = dict(cluster.requests)
    assert queries[runs]["labelSelector"] == "kueue.x-k8s.io/queue-name"
    assert "labelSelector" not in queries[JOBS]
    assert not any("zones" in path for path in queries)


def test_what_owns_a_workload_or_is_an_external_framework_is_asked_for_whole(cluster: FakeCluster) -> None:
    cluster.install()
    places = [
        serve(cluster, "tekton.dev", "pipelineruns", "PipelineRun"),
        serve(cluster, "example.com", "trains", "Train"),
        serve(cluster, "example.com", "planes", "Plane"),
    ]
    for path in places:
        cluster.lists[path] = [obj("x/v1", "X", "annotated", "team-a", annotations=QUEUE, spec={})]
    owned = workload(1)
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "example.com/v1", "kind": "Train", "name": "t", "uid": "u"}]
    owners = WorkloadOwners()
    owners.see(owned)
    found = parts_of(cluster, run("PipelineRun.v1.tekton.dev", owners=owners))
    assert set(found["running/pipelineruns.tekton.dev"]) == set(found["running/trains.example.com"])
    assert "running/planes.example.com" not in found


def test_a_job_without_queue_and_mark_is_kept_for_its_workload(cluster: FakeCluster) -> None:
    unqueued, queued = workload(1), workload(2)
    del unqueued["spec"]["queueName"]
    for uid, owned in (("u-1", unqueued), ("u-2", queued)):
        owned["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": uid}]
    owners = WorkloadOwners()
    for it in (unqueued, queued, unqueued, {"kind": "Workload", "apiVersion": "example.com/v1"}, job(labels=QUEUE)):
        owners.see(it)
    cluster.lists[JOBS] = [job("one", uid="u-1"), job("two", uid="u-2")]
    assert set(parts_of(cluster, run(owners=owners))["running/jobs.batch"]) == {"team-a/one"}


def test_an_integration_that_may_not_be_read_is_a_failure(cluster: FakeCluster) -> None:
    jobs = serve(cluster, "ray.io", "rayjobs", "RayJob")
    cluster.fail(jobs, answering(403))
    parts_of(cluster, run(), failures=True)


def test_only_the_wanted_namespaces_are_asked(cluster: FakeCluster) -> None:
    cluster.lists[JOBS] = [job("here", labels=QUEUE), obj("batch/v1", "Job", "there", "team-b", labels=QUEUE)]
    capture: Capture = capture_of(cluster, Scope(namespaces=("team-b",)))
    capture_running(capture, WorkloadOwners())
    assert isinstance(capture.writer, Recorder)
    assert list(capture.writer.parts["running/jobs.batch"]) == ["team-b/there"]
    assert all("/namespaces/team-b/" in path for path, _ in cluster.requests if path != CRDS)
