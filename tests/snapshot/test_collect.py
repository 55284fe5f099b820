"""The story against a cluster in memory that fails when it is told to."""

import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import orjson
import pytest

from fake_cluster import CRDS, SECRETS, UID, FakeCluster, answering, path_of, queue, raising, usual, workload
from kueuelift.crd import bundled
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.progress import Lines, Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.api import AnswerError, UnauthorizedError, UnreachableError
from kueuelift_snapshot.capture import RESTARTS
from kueuelift_snapshot.collect import Captured, collect
from release_secrets import encoded, release, secret

WORKLOADS = path_of("workloads", "v1beta1")
QUEUES = path_of("clusterqueues", "v1beta1")
Take = Callable[..., Captured]


def ticking(start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> Callable[[], datetime]:
    ticks = count()
    return lambda: start + timedelta(minutes=next(ticks))


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    fake.add(queue("shared"), queue("research"))
    fake.add(*(workload(index, f"team-{index % 3}") for index in sorted(range(1200), key=lambda index: index % 3)))
    fake.lists[SECRETS] = [secret()]
    return fake


@pytest.fixture
def take(cluster: FakeCluster, tmp_path: Path) -> Take:
    def take(name: str = "snapshot", start: int = 2026) -> Captured:
        return collect(
            cluster,
            tmp_path / name,
            server="https://cluster.example",
            token_key=tmp_path / "key",
            progress=Silence(),
            now=ticking(datetime(start, 1, 1, tzinfo=UTC)),
        )

    return take


def header(captured: Captured) -> Mapping[str, object]:
    read: Mapping[str, object] = json.loads((captured.path / "snapshot.json").read_bytes())
    return read


def test_all_of_it_is_there_and_reads_back(take: Take, cluster: FakeCluster) -> None:
    captured = take()
    snapshot = Snapshot.open(captured.path)
    snapshot.sealed.verify()
    assert captured.complete
    assert snapshot.whole
    assert snapshot.header["cluster"] == {"uid": UID, "version": "v1.35.4"}
    assert set(snapshot.crds()) == {kind.plural for kind in KINDS}
    assert list(snapshot.objects(BY_NAME["ClusterQueue"])) == sorted(
        cluster.lists[QUEUES], key=lambda q: q["metadata"]["name"]
    )
    assert list(snapshot.objects(BY_NAME["Workload"])) == cluster.lists[WORKLOADS]
    assert snapshot.count(BY_NAME["Workload"]) == 1200
    assert [record.release for record in snapshot.helm_records()] == ["kueue"]
    assert snapshot.digest == captured.digest


def test_every_list_is_asked_for_in_the_version_it_is_stored_in(take: Take, cluster: FakeCluster) -> None:
    captured = take()
    asked = {path for path, _ in cluster.requests}
    assert path_of("cohorts", "v1alpha1") in asked
    assert path_of("cohorts", "v1beta1") not in asked
    assert {plural: listing.version for plural, listing in captured.lists.items()}["topologies"] == "v1alpha1"


def test_a_stored_version_that_is_not_served_gives_way_to_the_newest_served(take: Take, cluster: FakeCluster) -> None:
    crd = next(crd for crd in cluster.lists[CRDS] if crd["spec"]["names"]["plural"] == "clusterqueues")
    stored, other = crd["spec"]["versions"][0], dict(crd["spec"]["versions"][0])
    stored["served"] = False
    crd["spec"]["versions"] += [
        other | {"name": name, "served": True, "storage": False} for name in ("v1beta2", "v1alpha9")
    ]
    cluster.lists[path_of("clusterqueues", "v1beta2")] = []
    assert take().lists["clusterqueues"].version == "v1beta2"


def test_a_kind_that_is_not_served_at_all_is_a_failure(take: Take, cluster: FakeCluster) -> None:
    crd = next(crd for crd in cluster.lists[CRDS] if crd["spec"]["names"]["plural"] == "cohorts")
    crd["spec"]["versions"][0]["served"] = False
    assert [failure.what for failure in take().failures] == ["cohorts.kueue.x-k8s.io"]


def test_an_unchanged_cluster_gives_the_same_digest_at_another_time(take: Take, cluster: FakeCluster) -> None:
    first = take("first")
    cluster.resource_version += 500
    second = take("second", start=2031)
    assert first.digest == second.digest
    assert header(first)["volatile"] != header(second)["volatile"]


def test_a_changed_object_gives_another_digest(take: Take, cluster: FakeCluster) -> None:
    first = take("first")
    cluster.lists[WORKLOADS][0]["spec"]["active"] = False
    assert take("second").digest != first.digest


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_list_that_fails_leaves_an_incomplete_snapshot_of_the_rest(
    take: Take, cluster: FakeCluster, status: int
) -> None:
    cluster.fail(QUEUES, answering(status, "conversion webhook is dead" if status == 500 else "no"))
    captured = take()
    snapshot = Snapshot.open(captured.path)
    (failure,) = snapshot.failures
    assert failure.what == "clusterqueues.kueue.x-k8s.io"
    assert failure.reason.startswith(f"{status}: ")
    assert failure.remedy
    assert not snapshot.whole
    assert "clusterqueues" not in snapshot.header["lists"]
    assert snapshot.count(BY_NAME["Workload"]) == 1200


def test_a_forbidden_list_names_the_rule_that_allows_it(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(QUEUES, answering(403))
    cluster.fail(SECRETS, answering(403))
    queues, secrets = take().failures
    assert "{apiGroups: [kueue.x-k8s.io], resources: [clusterqueues], verbs: [list]}" in queues.remedy
    assert '{apiGroups: [""], resources: [secrets], verbs: [list]}' in secrets.remedy


def test_a_list_that_breaks_off_leaves_none_of_its_objects(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(WORKLOADS, usual, usual, answering(0, "the connection was dropped"))
    captured = take()
    assert not list(Snapshot.open(captured.path).objects(BY_NAME["Workload"]))
    assert not (captured.path / "workloads").exists()
    assert [failure.what for failure in captured.failures] == ["workloads.kueue.x-k8s.io"]


def test_an_expired_list_begins_again_and_gives_the_same_digest(take: Take, cluster: FakeCluster) -> None:
    calm = take("calm")
    cluster.fail(WORKLOADS, usual, answering(410, continue_token="500"))
    begun_again = take("again")
    assert begun_again.complete
    assert begun_again.digest == calm.digest
    assert begun_again.inconsistent == ()


def test_a_list_that_expires_every_time_goes_on_inconsistently_and_says_so(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(WORKLOADS, *[usual, answering(410, continue_token="500")] * (RESTARTS + 1))
    captured = take()
    assert captured.complete
    assert captured.lists["workloads"].count == 1200
    assert captured.inconsistent == ("workloads",)
    assert header(captured)["volatile"]["lists"]["workloads"]["consistent"] is False  # type: ignore[index]


@pytest.mark.parametrize("path", [SECRETS, "/api/v1/pods"])
def test_every_list_that_goes_on_at_a_later_moment_is_marked(take: Take, cluster: FakeCluster, path: str) -> None:
    page = orjson.dumps({"metadata": {"continue": "0", "resourceVersion": "9"}, "items": []})
    cluster.fail(path, *[lambda _: page, answering(410, continue_token="0")] * (RESTARTS + 1))
    (place,) = take().inconsistent
    assert place == {SECRETS: "helm/secrets", "/api/v1/pods": "running/pods"}[path]


def test_a_list_of_git_owners_that_breaks_off_leaves_none_of_them(take: Take, cluster: FakeCluster) -> None:
    path = serve_helm_releases(cluster, 600)
    assert take("whole").parts["gitops/helmreleases.helm.toolkit.fluxcd.io"] == 600
    cluster.fail(path, usual, answering(500))
    captured = take("broken")
    assert [failure.what for failure in captured.failures] == ["helmreleases.helm.toolkit.fluxcd.io"]
    assert "gitops/helmreleases.helm.toolkit.fluxcd.io" not in captured.parts
    assert not (captured.path / "gitops" / "helmreleases.helm.toolkit.fluxcd.io").exists()


def test_a_list_of_git_owners_that_begins_again_forgets_what_is_gone(take: Take, cluster: FakeCluster) -> None:
    path = serve_helm_releases(cluster, 600)

    def shrink(_: Mapping[str, str]) -> None:
        del cluster.lists[path][100:]
        raise AnswerError(path, status=410, message="expired")

    cluster.fail(path, usual, shrink)
    assert take().parts["gitops/helmreleases.helm.toolkit.fluxcd.io"] == 100


def serve_helm_releases(cluster: FakeCluster, count: int) -> str:
    """Releases of Flux that name Kueue; returns the path of their list."""
    group, version = "helm.toolkit.fluxcd.io", "v2"
    names = {"kind": "HelmRelease", "plural": "helmreleases"}
    versions = [{"name": version, "served": True, "storage": True}]
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": versions}
    cluster.add_crd({"metadata": {"name": f"helmreleases.{group}"}, "spec": spec})
    path = f"/apis/{group}/{version}/helmreleases"
    cluster.lists[path] = [
        {
            "apiVersion": f"{group}/{version}",
            "kind": "HelmRelease",
            "metadata": {"name": f"kueue-{index:04d}", "namespace": "flux"},
            "spec": {"chart": {"spec": {"chart": "kueue"}}},
        }
        for index in range(count)
    ]
    return path


@pytest.mark.parametrize(("status", "complete"), [(403, False), (405, True), (500, False)])
def test_a_kind_that_is_nobodys_integration_is_missing_unless_nobody_can_list_it(
    take: Take, cluster: FakeCluster, status: int, complete: bool
) -> None:
    names = {"kind": "Thing", "plural": "things"}
    spec = {"group": "example.com", "names": names, "scope": "Namespaced"}
    cluster.add_crd(
        {
            "metadata": {"name": "things.example.com"},
            "spec": spec | {"versions": [{"name": "v1", "served": True, "storage": True}]},
        }
    )
    cluster.lists["/apis/example.com/v1/things"] = []
    cluster.fail("/apis/example.com/v1/things", answering(status))
    captured = take()
    assert captured.complete is complete
    assert captured.unseen == (("things.example.com",) if complete else ())
    wanted = {"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["list"]}
    assert [failure.rule for failure in captured.failures] == ([] if complete else [wanted if status == 403 else {}])
    (rule,) = [rule for rule in header(captured)["rights"] if "things" in rule["resources"]]  # type: ignore[attr-defined]
    assert rule == wanted
    assert [failure.what for failure in captured.failures] == ([] if complete else ["things.example.com"])


def test_what_is_no_resource_has_its_own_rule(take: Take, cluster: FakeCluster) -> None:
    cluster.fail("/version", answering(403))
    with pytest.raises(
        RefusedError, match=r"^/version: cannot be read .* \{nonResourceURLs: \[/version\], verbs: \[get\]\}"
    ):
        take()


def test_a_list_that_can_not_go_on_is_a_failure(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(WORKLOADS, *[usual, answering(410)] * (RESTARTS + 1))
    (failure,) = take().failures
    assert failure.reason.startswith("410: ")


def test_a_crd_of_the_group_that_nobody_knows_is_captured_and_reported(
    cluster: FakeCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = bundled("0.12.2", service=None)["cohorts"]
    spec = known["spec"] | {"names": {"kind": "Guild", "plural": "guilds"}}
    cluster.add_crd(known | {"metadata": {"name": "guilds.kueue.x-k8s.io"}, "spec": spec})
    captured = collect(
        cluster, tmp_path / "s", server="x", token_key=tmp_path / "k", progress=Lines(sys.stderr), now=ticking()
    )
    assert captured.unknown_crds == ("guilds.kueue.x-k8s.io",)
    assert (captured.path / "crds" / "guilds.yaml").exists()
    assert Snapshot.open(captured.path).header["kueue"]["crds"]["guilds"]["storage"] == "v1alpha1"
    assert "guilds.kueue.x-k8s.io: a kind that this version does not know" in capsys.readouterr().err


def test_crds_of_other_groups_are_left_alone(take: Take, cluster: FakeCluster) -> None:
    known = bundled("0.12.2", service=None)["cohorts"]
    cluster.add_crd(known | {"spec": known["spec"] | {"group": "example.com"}})
    assert len(Snapshot.open(take().path).sealed.names("crds")) == len(KINDS)


def test_a_cluster_without_kueue_is_a_valid_snapshot(tmp_path: Path) -> None:
    captured = collect(
        FakeCluster(), tmp_path / "s", server="x", token_key=tmp_path / "k", progress=Silence(), now=ticking()
    )
    snapshot = Snapshot.open(captured.path)
    assert captured.complete
    assert not captured.installed
    assert snapshot.header["kueue"] == {"installed": False, "crds": {}}
    assert snapshot.whole


def test_an_unreadable_release_is_a_failure_beside_the_readable_ones(take: Take, cluster: FakeCluster) -> None:
    cluster.lists[SECRETS] += [secret(release(version=3), data=encoded(b"{}")[:40])]
    captured = take()
    assert [record.revision for record in captured.helm_records] == [1]
    (failure,) = captured.failures
    assert failure.what == "Secret kueue-system/sh.helm.release.v1.kueue.v3"
    assert not captured.complete


def test_releases_are_asked_for_by_label_and_type_in_small_pages(take: Take, cluster: FakeCluster) -> None:
    take()
    (query,) = [query for path, query in cluster.requests if path == SECRETS]
    assert query == {"limit": "20", "labelSelector": "owner=helm", "fieldSelector": "type=helm.sh/release.v1"}


def test_hidden_values_are_counted_by_file_and_path(take: Take, cluster: FakeCluster) -> None:
    cluster.lists[WORKLOADS] = [
        workload(1, "team-a", env=[{"name": "A", "value": "x"}, {"name": "B", "value": "y"}]),
        workload(2, "team-a", env=[{"name": "A", "value": "z"}]),
    ]
    cluster.lists[SECRETS] = [secret(release(config={"extra": {"password": "hunter22"}}))]
    snapshot = Snapshot.open(take().path)
    assert snapshot.header["redaction"]["paths"] == {
        "workloads/team-a.jsonl.gz": {"spec.podSets[*].template.spec.containers[*].env[*].value": 3},
        "helm/kueue-system/kueue/v1/values.yaml": {"extra.password": 1},
        "helm/kueue-system/kueue/v1/computed.yaml": {"extra.password": 1},
    }


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/version", UnreachableError("nobody there")),
        (QUEUES, UnauthorizedError("expired")),
        (WORKLOADS, KeyboardInterrupt()),
        (SECRETS, UnreachableError("gone")),
    ],
)
def test_a_run_that_ends_early_leaves_nothing_that_looks_like_a_snapshot(
    take: Take, cluster: FakeCluster, tmp_path: Path, path: str, error: BaseException
) -> None:
    cluster.fail(path, raising(error))
    with pytest.raises(type(error)):
        take()
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_dir()] == []


@pytest.mark.parametrize("path", [CRDS, "/version", "/api/v1/namespaces/kube-system"])
def test_without_identity_or_crds_there_is_no_snapshot(
    take: Take, cluster: FakeCluster, tmp_path: Path, path: str
) -> None:
    cluster.fail(path, answering(403))
    with pytest.raises(RefusedError, match=r"without it there is no snapshot; grant the ClusterRole rule"):
        take()
    assert not (tmp_path / "snapshot").exists()


def test_a_second_snapshot_never_replaces_the_first(take: Take, cluster: FakeCluster) -> None:
    take()
    asked = len(cluster.requests)
    with pytest.raises(RefusedError, match="exists already"):
        take()
    assert len(cluster.requests) == asked


ODD_ITEMS: list[object] = [
    None,
    "text",
    {"metadata": None},
    {"metadata": {}},
    {"metadata": {"name": 5, "namespace": "a"}},
    {"metadata": {"name": "a"}},
    {"apiVersion": 5, "metadata": {"name": "a", "namespace": "a"}},
    {"metadata": {"name": "a", "namespace": "a", "labels": ["x"]}},
    {"metadata": {"name": "a", "namespace": "a", "ownerReferences": [None]}},
]


@pytest.mark.parametrize("item", ODD_ITEMS, ids=repr)
def test_what_no_server_should_list_fails_its_list_and_no_other(take: Take, cluster: FakeCluster, item: object) -> None:
    whole = {"kind": "WorkloadList", "apiVersion": "kueue.x-k8s.io/v1beta1", "metadata": {}}
    cluster.fail(WORKLOADS, lambda _: orjson.dumps(whole | {"items": [workload(1), item]}))
    captured = take()
    (failure,) = captured.failures
    assert failure.what == "workloads.kueue.x-k8s.io"
    assert "item 2" in failure.reason
    assert "workloads" not in captured.lists
    assert not (captured.path / "workloads").exists()


@pytest.mark.parametrize("path", ["/api/v1/pods", "/apis/apps/v1/deployments", SECRETS, WORKLOADS])
@pytest.mark.parametrize(
    "listed", [{"items": {"a": 1}}, {"items": [5]}, {"metadata": "x", "items": []}, {"metadata": {"continue": "1"}}]
)
def test_an_odd_list_is_a_failure(take: Take, cluster: FakeCluster, path: str, listed: dict[str, object]) -> None:
    cluster.fail(path, *[lambda _: orjson.dumps({"kind": "XList", "apiVersion": "v1"} | listed)] * 3)
    captured = take()
    assert not captured.complete
    assert len(captured.failures) == 1


@pytest.mark.parametrize("spec", [None, 5, {}, {"group": "kueue.x-k8s.io", "names": {}}, {"versions": None}])
def test_an_odd_crd_is_refused(take: Take, cluster: FakeCluster, spec: object) -> None:
    cluster.lists[CRDS].append({"metadata": {"name": "odd"}, "spec": spec})
    with pytest.raises(RefusedError, match=r"^customresourcedefinitions.*item 12"):
        take()
