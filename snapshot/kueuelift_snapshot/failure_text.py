"""Says what a failed list means and what would mend it, the RBAC rule included."""

from kueuelift.errors import RefusedError
from kueuelift.model import Failure
from kueuelift.secret_text import without_secrets
from kueuelift_snapshot.api import AnswerError
from kueuelift_snapshot.resource import Readable


def failure_of(resource: Readable, error: AnswerError) -> Failure:
    """What a failed list leaves in the snapshot's header."""
    return Failure(what=resource.name, reason=_reason(error), remedy=_remedy(resource, error))


def refusal_of(resource: Readable, error: AnswerError) -> RefusedError:
    """The end of a run for want of something that all else hangs on."""
    return RefusedError(
        f"{resource.name}: cannot be read ({_reason(error)}), and without it there is no snapshot; "
        f"{_remedy(resource, error)}"
    )


def _remedy(resource: Readable, error: AnswerError) -> str:
    if error.status == 403:
        return f"grant the ClusterRole rule {resource.rule}"
    if error.status == 404:
        return "see that the CRD is Established and serves the version, then run again"
    if error.status == 410:
        return "run again while fewer objects change, or ask for a longer compaction interval of etcd"
    if "webhook" in error.message:
        return "see that the conversion webhook's Deployment, Service and caBundle are in order, then run again"
    return "see the API server's log, then run again"


def _reason(error: AnswerError) -> str:
    said = without_secrets(" ".join(error.message.split()))[:400]
    return f"{error.status}: {said}" if error.status else said
