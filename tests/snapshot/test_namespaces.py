"""Namespaces that the operator names are looked up, as far as the user may."""

import pytest

from fake_cluster import FakeCluster, answering
from kueuelift.errors import RefusedError
from kueuelift_snapshot.namespaces import in_words, untold

NAMESPACES = "/api/v1/namespaces"


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.lists[NAMESPACES] = [{"metadata": {"name": name}} for name in ("kube-system", "team-a", "team-b")]
    return fake


def test_those_that_are_there_are_no_matter(cluster: FakeCluster) -> None:
    assert untold(cluster, ["team-a", "team-b"]) == []
    assert untold(cluster, []) == []


def test_those_that_are_not_are_refused_all_at_once(cluster: FakeCluster) -> None:
    with pytest.raises(RefusedError, match=r"^--namespaces nope,none: the cluster has no such namespace; give names"):
        untold(cluster, ["nope", "team-a", "none"])


def test_who_may_not_list_them_may_see_one_by_one(cluster: FakeCluster) -> None:
    cluster.fail(NAMESPACES, *[answering(403)] * 3)
    assert untold(cluster, ["team-a"]) == []
    with pytest.raises(RefusedError, match=r"^--namespaces nope: "):
        untold(cluster, ["team-a", "nope"])


@pytest.mark.parametrize("status", [403, 500])
def test_what_cannot_be_told_is_said(cluster: FakeCluster, status: int) -> None:
    cluster.fail(NAMESPACES, answering(403 if status == 403 else 500))
    cluster.fail(f"{NAMESPACES}/nope", answering(status))
    assert untold(cluster, ["nope", "team-a"]) == ["nope"]
    assert in_words(["nope"]) == "nope: not checked whether they exist, since this user could not look them up"
    assert in_words([]) == ""
