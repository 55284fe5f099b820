"""The role that is printed, and what a user is told who lacks rights."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fake_cluster import CRDS, FakeCluster, answering, path_of
from kueuelift import yaml_text
from kueuelift.cluster_role import merged
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift_snapshot.api import NO_QUERY, AnswerError, UnreachableError
from kueuelift_snapshot.collect import collect
from kueuelift_snapshot.discovery import custom_kinds
from kueuelift_snapshot.resource import NAMESPACE
from kueuelift_snapshot.rights import MissingRightsError, cluster_role, needed, role_text, rules
from kueuelift_snapshot.scope import Scope
from part_recorder import serve


class Stranger:
    """The cluster as a user sees it who may read nothing but what everybody may, and some paths."""

    def __init__(self, cluster: FakeCluster, *allowed: str) -> None:
        self._cluster, self._allowed = cluster, {"/version", "/apis", *allowed}
        self.requests: list[tuple[str, Mapping[str, str]]] = []

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        self.requests.append((path, query))
        if path not in self._allowed:
            raise AnswerError(path, status=403, message=f"{path} is forbidden")
        return self._cluster.get(path, query)


def refused(api: Stranger, out: Path, scope: Scope | None = None) -> MissingRightsError:
    with pytest.raises(MissingRightsError) as caught:
        collect(
            api,
            out / "S",
            server="x",
            token_key=None,
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            scope=scope or Scope(),
        )
    return caught.value


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    return fake


def of_groups(role: list[KubernetesObject], groups: set[str]) -> list[KubernetesObject]:
    return [rule for rule in role if set(rule["apiGroups"]) <= groups]


@pytest.mark.parametrize("scope", [Scope(), Scope(running=False), Scope(workloads=False, namespaces=("a", "b"))])
def test_who_may_nothing_is_told_the_printed_role(cluster: FakeCluster, tmp_path: Path, scope: Scope) -> None:
    api = Stranger(cluster)
    error = refused(api, tmp_path, scope)
    told = merged(failure.rule for failure in error.failures)
    served = {rule["apiGroups"][0] for rule in told}
    assert {"", "apps", "kueue.x-k8s.io", "rbac.authorization.k8s.io"} <= served
    assert "ray.io" not in served
    assert len({(it.what, str(it.rule)) for it in error.failures}) == len(error.failures)
    assert told == of_groups(cluster_role(scope)["rules"], served)
    assert str(error).startswith(
        "namespaces: cannot be read (403: /api/v1/namespaces/kube-system is forbidden), and without it there is no"
        ' snapshot; grant the ClusterRole rule {apiGroups: [""], resources: [namespaces],'
        f" resourceNames: [kube-system], verbs: [get]}} and {len(error.failures) - 1} more; "
        "`kueuelift snapshot --print-rbac"
    )
    assert all(option in str(error) for option in scope.options)
    assert list(tmp_path.iterdir()) == []


def test_what_may_be_read_is_not_told_and_nothing_of_it_is_read(cluster: FakeCluster, tmp_path: Path) -> None:
    cluster.lists["/api/v1/secrets"] = [{"metadata": {"name": "a", "namespace": "b"}}] * 50
    cohorts = [path_of("cohorts", version) for version in ("v1alpha1", "v1beta1")]
    api = Stranger(cluster, "/api/v1/secrets", "/api/v1/namespaces/kube-system", *cohorts)
    what = {failure.what for failure in refused(api, tmp_path).failures}
    assert "customresourcedefinitions.apiextensions.k8s.io" in what
    assert not {"secrets", "cohorts.kueue.x-k8s.io"} & what
    (asked,) = [query for path, query in api.requests if path == "/api/v1/secrets"]
    assert asked == {"limit": "1", "fieldSelector": "metadata.name=kueuelift"}


def test_of_narrowed_lists_the_narrow_right_is_enough(cluster: FakeCluster, tmp_path: Path) -> None:
    allowed = [f"/apis/kueue.x-k8s.io/{version}/namespaces/a/workloads" for version in ("v1alpha1", "v1beta1")]
    scope = Scope(namespaces=("a",))
    assert "workloads.kueue.x-k8s.io" not in {
        it.what for it in refused(Stranger(cluster, *allowed), tmp_path, scope).failures
    }
    assert "workloads.kueue.x-k8s.io" in {it.what for it in refused(Stranger(cluster), tmp_path, scope).failures}


@pytest.mark.parametrize("fault", [answering(403), answering(500), UnreachableError("gone")])
def test_where_nobody_tells_what_is_served_the_first_is_told(
    cluster: FakeCluster, tmp_path: Path, fault: object
) -> None:
    def answer(query: Mapping[str, str]) -> bytes | None:
        if isinstance(fault, Exception):
            raise fault
        assert callable(fault)
        return fault(query)  # type: ignore[no-any-return]

    cluster.fail("/apis", answer)
    (failure,) = refused(Stranger(cluster), tmp_path).failures
    assert failure.what == "namespaces"


def test_a_cluster_that_cannot_tell_its_crds_is_no_matter_of_rights(cluster: FakeCluster) -> None:
    cluster.fail(CRDS, answering(403))
    with pytest.raises(Exception, match="customresourcedefinitions"):
        custom_kinds(cluster)


def test_the_role_has_a_rule_for_each_thing_once() -> None:
    role = cluster_role(Scope())["rules"]
    assert role == merged(role)
    assert NAMESPACE.rule in role
    assert not [rule for rule in rules(Scope()) if "resourceNames" in rule]


def test_with_workloads_goes_what_they_own() -> None:
    owned = {"podtemplates", "provisioningrequests"}
    assert owned <= {it.plural for it in needed(Scope())}
    assert not owned & {it.plural for it in needed(Scope(workloads=False))}


def test_the_custom_kinds_of_a_cluster_come_on_top(cluster: FakeCluster) -> None:
    serve(cluster, "tekton.dev", "pipelineruns", "PipelineRun")
    serve(cluster, "example.com", "zones", "Zone", scope="Cluster")
    serve(cluster, "ray.io", "rayjobs", "RayJob")
    offline, discovered = role_text(Scope()), role_text(Scope(), custom_kinds(cluster))
    assert "--discover" in offline
    assert "#" not in discovered + role_text(Scope(running=False))
    more = [
        it for it in yaml_text.load(discovered, "role")["rules"] if it not in yaml_text.load(offline, "role")["rules"]
    ]
    assert more == [{"apiGroups": ["tekton.dev"], "resources": ["pipelineruns"], "verbs": ["list"]}]
