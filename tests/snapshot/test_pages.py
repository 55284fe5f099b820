import orjson
import pytest

from fake_cluster import FakeCluster, answering, path_of, usual, workload
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
