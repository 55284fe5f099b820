"""Says what a failed list means and what would mend it, the RBAC rule included."""

from kueuelift.cluster_role import in_one_line
from kueuelift.errors import RefusedError
from kueuelift.model import Failure
from kueuelift.secret_text import without_secrets
from kueuelift_snapshot.api import AnswerError
from kueuelift_snapshot.resource import Readable

FORBIDDEN = 403

_LESS = "ask for less: --no-running leaves jobs and pods out, --namespaces all but some namespaces"
_REMEDIES = {
    404: "see that the CRD is Established and serves the version, then run again",
    410: "run again while fewer objects change, or ask for a longer compaction interval of etcd",
    429: "run again when the server has less to do; where it always throttles this user, give it a FlowSchema with"
    f" a priority level of its own (API Priority and Fairness), or {_LESS}",
}
"""By status, whatever the message."""

_LATE = frozenset({0, 408, 504})
_TOO_LATE = f"run again when the server has less to do, give it longer with --request-timeout, or {_LESS}"
"""Where no answer came, or none in time."""


class ForbiddenError(RefusedError):
    """Something that all else hangs on may not be read by this user."""

    def __init__(self, message: str, failure: Failure) -> None:
        """`failure` has the rule that would allow it."""
        super().__init__(message)
        self.failure = failure


def failure_of(resource: Readable, error: AnswerError) -> Failure:
    """What a failed list leaves in the snapshot's header."""
    rule = resource.rule if error.status == FORBIDDEN else {}
    return Failure(what=resource.name, reason=_reason(error), remedy=_remedy(resource, error), rule=rule)


def refusal_of(resource: Readable, error: AnswerError) -> RefusedError:
    """The end of a run for want of something that all else hangs on; a ForbiddenError where it is a right."""
    failure = failure_of(resource, error)
    told = f"{failure.what}: cannot be read ({failure.reason}), and without it there is no snapshot; {failure.remedy}"
    return ForbiddenError(told, failure) if failure.rule else RefusedError(told)


def _remedy(resource: Readable, error: AnswerError) -> str:
    if error.status == FORBIDDEN:
        return f"grant the ClusterRole rule {in_one_line(resource.rule)}"
    if error.status in _REMEDIES:
        return _REMEDIES[error.status]
    if "webhook" in error.message:
        return "see that the conversion webhook's Deployment, Service and caBundle are in order, then run again"
    return _TOO_LATE if error.status in _LATE else "see the API server's log, then run again"


def _reason(error: AnswerError) -> str:
    said = without_secrets(" ".join(error.message.split()))[:400]
    return f"{error.status}: {said}" if error.status else said
