"""Says what a failed list means and what would mend it, the RBAC rule included."""

from collections.abc import Sequence
from dataclasses import dataclass

from kueuelift.errors import RefusedError
from kueuelift.model import Failure
from kueuelift_snapshot.api import AnswerError


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """What RBAC calls a list."""

    group: str
    plural: str
    verbs: Sequence[str] = ("list",)

    @property
    def name(self) -> str:
        """`clusterqueues.kueue.x-k8s.io`; built-in kinds have no group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def rule(self) -> str:
        """The rule of a ClusterRole that allows it."""
        group = self.group or '""'
        return f"{{apiGroups: [{group}], resources: [{self.plural}], verbs: [{', '.join(self.verbs)}]}}"


SECRETS = Resource(group="", plural="secrets")
NAMESPACES = Resource(group="", plural="namespaces", verbs=("get",))
CRDS = Resource(group="apiextensions.k8s.io", plural="customresourcedefinitions")


def failure_of(resource: Resource, error: AnswerError) -> Failure:
    """What a failed list leaves in the snapshot's header."""
    return Failure(what=resource.name, reason=_reason(error), remedy=_remedy(resource, error))


def refusal_of(resource: Resource, error: AnswerError) -> RefusedError:
    """The end of a run for want of something that all else hangs on."""
    return RefusedError(
        f"{resource.name}: cannot be read ({_reason(error)}), and without it there is no snapshot; "
        f"{_remedy(resource, error)}"
    )


def _remedy(resource: Resource, error: AnswerError) -> str:
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
    said = " ".join(error.message.split())[:400]
    return f"{error.status}: {said}" if error.status else said
