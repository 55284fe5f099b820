"""Every object is written once, whatever other writers do meanwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_live import FakeLive, cohort
from kueuelift.errors import PartlyDoneError
from kueuelift.kinds import BY_NAME
from kueuelift.model import KubernetesObject
from kueuelift_apply.live import ApiError, object_path
from kueuelift_apply.rewriting import Rewriting, old_records

COHORT = BY_NAME["Cohort"]
OLD = [
    {"manager": "kubectl", "operation": "Update", "apiVersion": "kueue.x-k8s.io/v1beta1", "fieldsV1": {"f:spec": {}}}
]


def path(name: str) -> str:
    return object_path(COHORT, "v1beta2", "", name)


def cluster(*names: str) -> FakeLive:
    return FakeLive({path(name): cohort(name, managedFields=list(OLD)) for name in names})


def rewriting(live: FakeLive, already: frozenset[str] = frozenset(), settled: list[str] | None = None) -> Rewriting:
    return Rewriting(
        live=live.as_live(),
        kind=COHORT,
        version="v1beta2",
        moves={},
        bridged=False,
        already=already,
        before_batch=lambda: None,
        after_batch=(settled if settled is not None else []).extend,
    )


def test_every_object_is_written_once_and_nothing_old_is_left() -> None:
    live = cluster("a", "b", "c", "d", "e")
    tally = rewriting(live).run()
    assert (tally.written, tally.refusals) == (5, [])
    assert sorted(live.writes) == [path(name) for name in "abcde"]
    assert old_records(live.as_live(), COHORT, "v1beta2") == 0


def test_what_an_earlier_run_wrote_is_not_written_again() -> None:
    live = cluster("a", "b", "c")
    live.objects[path("b")]["metadata"]["managedFields"] = []
    tally = rewriting(live, frozenset({"uid-b"})).run()
    assert (tally.written, tally.skipped) == (2, 1)
    assert path("b") not in live.writes


def test_a_conflict_means_read_again_and_go_on() -> None:
    live = cluster("a")
    conflicts = iter([ApiError(409, "PUT", "", "modified")] * 3)
    live.trouble = lambda _: next(conflicts, None)
    assert rewriting(live).run().written == 1
    assert old_records(live.as_live(), COHORT, "v1beta2") == 0


def test_a_refused_object_is_listed_and_the_rest_goes_on() -> None:
    live = cluster("a", "bad", "c")
    live.trouble = lambda obj: ApiError(422, "PUT", "", "spec is wrong") if obj["metadata"]["name"] == "bad" else None
    settled: list[str] = []
    tally = rewriting(live, settled=settled).run()
    assert [(refusal.object, refusal.reason) for refusal in tally.refusals] == [("Cohort bad", "spec is wrong")]
    assert settled == ["uid-a", "uid-c"]


def test_an_object_that_vanished_is_done() -> None:
    live = cluster("a", "b")

    def vanish(obj: KubernetesObject) -> ApiError | None:
        if obj["metadata"]["name"] == "b":
            live.objects.pop(path("b"), None)
            return ApiError(404, "PUT", "", 'cohorts.kueue.x-k8s.io "b" not found')
        return None

    live.trouble = vanish
    tally = rewriting(live).run()
    assert (tally.written, tally.gone) == (1, 1)


def test_an_object_of_the_same_name_and_another_uid_is_left_to_the_next_look() -> None:
    live = cluster("a")
    first = iter([ApiError(409, "PUT", "", "modified")])

    def remake(_: KubernetesObject) -> ApiError | None:
        error = next(first, None)
        if error:
            live.objects[path("a")] = cohort("a", managedFields=list(OLD)) | {}
            live.objects[path("a")]["metadata"]["uid"] = "uid-new"
        return error

    live.trouble = remake
    tally = rewriting(live).run()
    assert (tally.gone, tally.written) == (1, 1)
    assert old_records(live.as_live(), COHORT, "v1beta2") == 0


def test_a_list_that_ran_out_of_date_starts_again_and_writes_nothing_twice() -> None:
    live = cluster("a", "b", "c", "d", "e")
    live.expire_after = 4
    tally = rewriting(live).run()
    assert tally.written == 5
    assert sorted(live.writes) == [path(name) for name in "abcde"]


def test_a_client_that_never_stops_writing_the_old_version_is_told() -> None:
    live = cluster("a")
    put = live.put

    def put_and_spoil(where: str, body: KubernetesObject, **query: str) -> KubernetesObject:
        stored = put(where, body, **query)
        live.objects[where]["metadata"]["managedFields"] = list(OLD)
        return stored

    live.put = put_and_spoil  # type: ignore[method-assign,assignment]
    with pytest.raises(PartlyDoneError, match="keep coming back"):
        rewriting(live).run()


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(0, 30))
def test_killed_after_any_batch_a_second_run_writes_exactly_the_rest(numbers: set[int], cut: int) -> None:
    live = cluster(*(f"c{number:02}" for number in numbers))
    settled: list[str] = []

    class KilledError(Exception):
        pass

    def batch(uids: list[str]) -> None:
        settled.extend(uids)
        if len(settled) >= cut:
            raise KilledError

    first = rewriting(live)
    object.__setattr__(first, "after_batch", batch)
    try:
        first.run()
    except KilledError:
        rewriting(live, frozenset(settled)).run()
    assert sorted(live.writes) == sorted(path(f"c{number:02}") for number in numbers)
