import base64
import threading
from collections.abc import Callable, Mapping

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_cluster import Answer, FakeCluster, answering, path_of, raising, usual, workload
from kueuelift_snapshot import pages
from kueuelift_snapshot.api import AnswerError
from kueuelift_snapshot.pages import read_pages

PATH = path_of("workloads", "v1beta1")


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.lists[PATH] = [workload(index) for index in range(25)]
    return fake


def names(found: list[pages.Page]) -> list[str]:
    return [item["metadata"]["name"] for page in found for item in page.items]


def test_every_object_comes_once_in_pages_of_the_limit(cluster: FakeCluster) -> None:
    found = list(read_pages(cluster, PATH, limit=10, query={"labelSelector": "a=b"}))
    assert [len(page.items) for page in found] == [10, 10, 5]
    assert names(found) == [item["metadata"]["name"] for item in cluster.lists[PATH]]
    assert all(query["labelSelector"] == "a=b" and query["limit"] == "10" for _, query in cluster.requests)
    assert all(page.consistent and page.resource_version == "1000" for page in found)


def test_heavy_pages_halve_the_next_one_down_to_single_objects(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_BYTES", 700)
    found = list(read_pages(cluster, PATH, limit=10))
    assert [int(query["limit"]) for _, query in cluster.requests][:5] == [10, 5, 2, 1, 1]
    assert len(names(found)) == 25


def test_the_next_page_is_asked_for_while_one_is_worked_on(cluster: FakeCluster) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(_: Mapping[str, str]) -> None:
        asked.set()
        assert go_on.wait(10)

    cluster.fail(PATH, usual, slow)
    found = read_pages(cluster, PATH, limit=10)
    first = next(found)
    assert asked.wait(10)
    go_on.set()
    assert len(names([first, *found])) == 25


def test_a_fault_of_the_page_ahead_comes_after_the_page_before_it(cluster: FakeCluster) -> None:
    cluster.fail(PATH, usual, raising(KeyboardInterrupt()))
    found = read_pages(cluster, PATH, limit=10)
    assert len(next(found).items) == 10
    with pytest.raises(KeyboardInterrupt):
        next(found)


def test_an_expired_token_ends_the_list(cluster: FakeCluster) -> None:
    cluster.fail(PATH, usual, answering(410, continue_token="10"))
    with pytest.raises(AnswerError) as caught:
        list(read_pages(cluster, PATH, limit=10))
    assert caught.value.status == 410


def test_a_tolerant_list_goes_on_from_the_same_place_and_says_so(cluster: FakeCluster) -> None:
    cluster.fail(PATH, usual, answering(410, continue_token="10"))
    found = list(read_pages(cluster, PATH, limit=10, tolerant=True))
    assert len(set(names(found))) == 25
    assert [page.consistent for page in found] == [True, False, False]


@pytest.mark.parametrize("token", ["", "10"])
def test_tolerance_ends_where_the_server_offers_nothing_or_the_same_again(cluster: FakeCluster, token: str) -> None:
    cluster.fail(PATH, usual, *[answering(410, continue_token=token)] * 2)
    with pytest.raises(AnswerError):
        list(read_pages(cluster, PATH, limit=10, tolerant=True))


def test_built_in_items_get_the_type_that_their_list_states(cluster: FakeCluster) -> None:
    cluster.lists["/api/v1/secrets"] = [{"metadata": {"name": "a"}}]
    (page,) = read_pages(cluster, "/api/v1/secrets")
    assert page.items == [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}]


@pytest.mark.parametrize("content", [b"<html>log in</html>", b"[1]", b""])
def test_what_is_no_object_is_no_answer(cluster: FakeCluster, content: bytes) -> None:
    cluster.fail(PATH, lambda _: content)
    with pytest.raises(AnswerError, match="is this the URL of an API server"):
        list(read_pages(cluster, PATH))


def test_an_empty_list_may_say_null(cluster: FakeCluster) -> None:
    cluster.fail(PATH, lambda _: orjson.dumps({"kind": "WorkloadList", "items": None}))
    assert [page.items for page in read_pages(cluster, PATH)] == [[]]


OTHER = path_of("workloads", "v1beta2")


def stored_in(cluster: FakeCluster, version_of_index: Callable[[int], str]) -> None:
    """Nobody converts: a page is had in a version only where each of its objects lies in that."""
    whole = cluster.lists[PATH]
    cluster.lists[OTHER] = whole

    def dead(path: str, version: str) -> Answer:
        def answer(query: Mapping[str, str]) -> None:
            start, limit = int(query.get("continue") or 0), int(query["limit"])
            page = range(start, min(start + limit, len(whole)))
            if any(version_of_index(index) != version for index in page):
                raise AnswerError(path, status=500, message=f"conversion webhook for {version} failed: refused")

        return answer

    for path, version in ((PATH, "v1beta1"), (OTHER, "v1beta2")):
        cluster.fail(path, *[dead(path, version)] * 500)


def test_what_nobody_converts_is_read_in_the_version_it_lies_in(cluster: FakeCluster) -> None:
    stored_in(cluster, lambda _: "v1beta2")
    found = list(read_pages(cluster, PATH, limit=10, otherwise=[OTHER]))
    assert [len(page.items) for page in found] == [10, 10, 5]
    assert [path for path, _ in cluster.requests] == [PATH, OTHER, OTHER, OTHER]


@given(st.lists(st.sampled_from(["v1beta1", "v1beta2"]), min_size=25, max_size=25), st.integers(1, 30))
def test_a_mixed_list_that_nobody_converts_is_read_whole_and_in_order(versions: list[str], limit: int) -> None:
    cluster = FakeCluster()
    cluster.lists[PATH] = [workload(index) for index in range(25)]
    stored_in(cluster, versions.__getitem__)
    found = list(read_pages(cluster, PATH, limit=limit, otherwise=[OTHER]))
    assert names(found) == [item["metadata"]["name"] for item in cluster.lists[PATH]]


def test_an_object_that_lies_in_no_version_that_is_served_ends_the_list(cluster: FakeCluster) -> None:
    stored_in(cluster, lambda index: "v1alpha1" if index == 7 else "v1beta1")
    with pytest.raises(AnswerError, match="conversion webhook"):
        list(read_pages(cluster, PATH, limit=10, otherwise=[OTHER]))


def test_a_server_whose_cache_stays_behind_is_asked_for_the_present_moment(cluster: FakeCluster) -> None:
    token = base64.urlsafe_b64encode(b'{"v":"meta.k8s.io/v1","rv":1348,"start":"a"}').decode().rstrip("=")
    first = orjson.dumps({"metadata": {"resourceVersion": "1348", "continue": token}, "items": [workload(1)]})
    last = orjson.dumps({"metadata": {"resourceVersion": "1350"}, "items": [workload(2)]})
    behind = answering(504, "Timeout: Too large resource version: 1348, current: 819")
    cluster.fail(PATH, lambda _: first, behind, lambda _: last)
    found = list(read_pages(cluster, PATH))
    assert [page.consistent for page in found] == [True, False]
    asked = cluster.requests[-1][1]["continue"]
    assert orjson.loads(base64.urlsafe_b64decode(asked + "==")) == {"v": "meta.k8s.io/v1", "rv": -1, "start": "a"}
