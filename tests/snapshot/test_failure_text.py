"""What a failed list is told as, and what would mend it."""

import pytest

from kueuelift_snapshot.api import AnswerError
from kueuelift_snapshot.failure_text import ForbiddenError, failure_of, refusal_of
from kueuelift_snapshot.resource import API_GROUPS, NAMESPACE, Resource

JOBS = Resource(group="batch", version="v1", plural="jobs")


def answer(status: int, message: str = "no") -> AnswerError:
    return AnswerError("/x", status=status, message=message)


@pytest.mark.parametrize(
    ("status", "message", "wanted"),
    [
        (403, "no", "grant the ClusterRole rule {apiGroups: [batch], resources: [jobs], verbs: [list]}"),
        (429, "too many requests", "give it a FlowSchema with a priority level of its own (API Priority and Fairness)"),
        (429, "too many requests", "run again when the server has less to do"),
        (429, "too many requests", "--no-running leaves jobs and pods out"),
        (0, "nothing within 60 s", "give it longer with --request-timeout"),
        (504, "timeout", "give it longer with --request-timeout"),
        (500, 'failed calling conversion webhook "x"', "see that the conversion webhook's Deployment"),
        (500, "etcd is unhappy", "see the API server's log"),
    ],
)
def test_the_remedy_says_what_to_do(status: int, message: str, wanted: str) -> None:
    assert wanted in failure_of(JOBS, answer(status, message)).remedy


def test_only_a_missing_right_has_a_rule() -> None:
    assert failure_of(JOBS, answer(403)).rule == JOBS.rule
    assert failure_of(JOBS, answer(500)).rule == {}
    assert isinstance(refusal_of(JOBS, answer(403)), ForbiddenError)
    assert not isinstance(refusal_of(JOBS, answer(500)), ForbiddenError)


def test_the_told_rule_is_no_wider_than_the_printed_one() -> None:
    assert NAMESPACE.rule["resourceNames"] == ["kube-system"]
    assert failure_of(API_GROUPS, answer(403)).rule == {"nonResourceURLs": ["/apis"], "verbs": ["get"]}
