import pytest

from fake_cluster import FakeCluster, answering, raising, usual
from kueuelift_snapshot.api import AnswerError, UnauthorizedError, UnreachableError
from kueuelift_snapshot.patience import LONGEST_WAIT, PAUSES, PatientApi

PATH = "/version"


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


@pytest.fixture
def slept() -> list[float]:
    return []


def throttled(seconds: float) -> AnswerError:
    return AnswerError(PATH, status=429, message="too many requests", retry_after=seconds)


@pytest.mark.parametrize("status", [0, 408, 429, 500, 502, 503, 504])
def test_what_passes_is_tried_again_with_growing_pauses(cluster: FakeCluster, slept: list[float], status: int) -> None:
    cluster.fail(PATH, answering(status), answering(status))
    assert b"gitVersion" in PatientApi(cluster, slept.append).get(PATH)
    assert slept == list(PAUSES[:2])


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_what_does_not_pass_is_not_tried_again(cluster: FakeCluster, slept: list[float], status: int) -> None:
    cluster.fail(PATH, answering(status))
    with pytest.raises(AnswerError):
        PatientApi(cluster, slept.append).get(PATH)
    assert slept == []


def test_the_server_says_how_long_to_wait_up_to_a_cap(cluster: FakeCluster, slept: list[float]) -> None:
    cluster.fail(PATH, raising(throttled(7)), raising(throttled(0)), raising(throttled(86400)))
    PatientApi(cluster, slept.append).get(PATH)
    assert slept == [7, 0, LONGEST_WAIT]


def test_the_last_error_is_told_when_patience_ends(cluster: FakeCluster, slept: list[float]) -> None:
    cluster.fail(PATH, *[answering(503)] * len(PAUSES), answering(500, "the last one"))
    with pytest.raises(AnswerError, match="the last one"):
        PatientApi(cluster, slept.append).get(PATH)
    assert slept == list(PAUSES)


def test_a_server_that_never_answered_is_not_waited_for(cluster: FakeCluster, slept: list[float]) -> None:
    cluster.fail(PATH, raising(UnreachableError("nobody there")))
    with pytest.raises(UnreachableError):
        PatientApi(cluster, slept.append).get(PATH)
    assert slept == []


def test_a_server_that_has_answered_is(cluster: FakeCluster, slept: list[float]) -> None:
    cluster.fail(PATH, usual, raising(UnreachableError("gone for a moment")))
    api = PatientApi(cluster, slept.append)
    assert api.get(PATH) == api.get(PATH)
    assert slept == [PAUSES[0]]


def test_refused_credentials_are_final(cluster: FakeCluster, slept: list[float]) -> None:
    cluster.fail(PATH, usual, raising(UnauthorizedError("expired")))
    api = PatientApi(cluster, slept.append)
    api.get(PATH)
    with pytest.raises(UnauthorizedError):
        api.get(PATH)
    assert slept == []


def test_a_conversion_webhook_that_stayed_away_is_waited_for_once(cluster: FakeCluster, slept: list[float]) -> None:
    api = PatientApi(cluster, slept.append)
    cluster.fail(PATH, *[answering(500, "conversion webhook for it failed: refused")] * (len(PAUSES) + 2))
    for _ in range(2):
        with pytest.raises(AnswerError, match="conversion webhook"):
            api.get(PATH)
    assert slept == list(PAUSES)
