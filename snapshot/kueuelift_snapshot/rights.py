"""The least rights that a snapshot needs, from the same resources that it lists; and which of them a user lacks."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from kueuelift import yaml_text
from kueuelift.cluster_role import merged
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL, GROUP, KINDS
from kueuelift.model import Failure, KubernetesObject
from kueuelift_snapshot import dependents, gitops, installation, running, surroundings
from kueuelift_snapshot.api import AnswerError, Api
from kueuelift_snapshot.discovery import Served, ServedResource
from kueuelift_snapshot.failure_text import FORBIDDEN, ForbiddenError, failure_of
from kueuelift_snapshot.helm_releases import DRIVERS
from kueuelift_snapshot.resource import CRDS, NAMESPACE, Resource
from kueuelift_snapshot.scope import Scope

ROLE = "kueuelift-snapshot"

_UNASKED = """\
# For a cluster whose custom kinds are those of Kueue, its integrations, Flux, Argo CD and the like. An object of any
# other kind may have a queue too: print this again with --discover, with access to the cluster, to have all in it.
"""

_NOTHING = {"limit": "1", "fieldSelector": "metadata.name=kueuelift"}
"""Asks whether a list would be given, and for next to nothing of it."""


class MissingRightsError(ForbiddenError):
    """A user lacks what all else hangs on, and perhaps more."""

    def __init__(self, message: str, failures: tuple[Failure, ...]) -> None:
        """`failures` are all that this user would meet; the first is the one that ended the run."""
        super().__init__(message, failures[0])
        self.failures = failures


def needed(scope: Scope, custom: Iterable[ServedResource] = ()) -> list[Resource]:
    """Every resource that a snapshot of this scope reads, once; those of other controllers count where they are served.

    `custom` are the custom kinds of a cluster: an object of any that has namespaces may be a job.
    """
    resources = [
        CRDS,
        *(Resource(group=GROUP, version="", plural=kind.plural) for kind in KINDS if scope.takes(kind)),
        *(driver.resource for driver in DRIVERS),
        *(dependents.RESOURCES if scope.dependents else ()),
        *installation.RESOURCES,
        *surroundings.RESOURCES,
        *gitops.RESOURCES,
        *((*running.RESOURCES, *running.others(custom)) if scope.running else ()),
    ]
    return list(dict.fromkeys(resources))


def role_text(scope: Scope, custom: Iterable[ServedResource] | None = None) -> str:
    """A ClusterRole as YAML; where nobody was asked for the `custom` kinds, a comment says so."""
    head = _UNASKED if custom is None and scope.running else ""
    return head + yaml_text.dump(cluster_role(scope, custom or ()))


def cluster_role(scope: Scope, custom: Iterable[ServedResource] = ()) -> KubernetesObject:
    """A ClusterRole with just these rights, and the one to read the cluster's identity."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE},
        "rules": merged([NAMESPACE.rule, *(resource.rule for resource in needed(scope, custom))]),
    }


def rules(scope: Scope, custom: Iterable[ServedResource] = ()) -> list[KubernetesObject]:
    """One rule for each group and set of verbs, sorted; without the cluster's identity."""
    return merged(resource.rule for resource in needed(scope, custom))


def whole_role(scope: Scope) -> str:
    """What prints the role with all of it, in the words of a sentence."""
    command = " ".join(["kueuelift snapshot --print-rbac", *scope.options])
    further = ", with --discover the kinds that this cluster alone has too" if scope.running else ""
    return f"`{command}` prints the whole role{further}"


@contextmanager
def telling_all(api: Api, scope: Scope) -> Iterator[None]:
    """Where a right that all else hangs on is missing, a MissingRightsError with all that are."""
    try:
        yield
    except ForbiddenError as error:
        raise _all_missing(api, scope, error) from None


def _all_missing(api: Api, scope: Scope, first: ForbiddenError) -> MissingRightsError:
    """After the first: as far as this user is told what the cluster serves."""
    failures = [first.failure]
    # Where not all can be asked, what is known by then is told.
    with suppress(RefusedError):
        failures += (it for it in _forbidden(api, scope) if it.rule != first.failure.rule)
    more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
    return MissingRightsError(f"{first}{more}; {whole_role(scope)}", tuple(failures))


def _forbidden(api: Api, scope: Scope) -> Iterator[Failure]:
    """Each list of a group that is served, where this user may not have it; none is read."""
    groups = Served(api=api).groups()
    for resource in needed(scope):
        # Rights are of all versions: in which of them a kind is served does not matter.
        versions = groups.get(resource.group, ()) if resource.group else (resource.version,)
        if not versions:
            continue
        asked = replace(resource, version=versions[0])
        for namespace in (scope.namespaces if _by_namespace(resource) else ()) or ("",):
            try:
                api.get(asked.path(namespace), _NOTHING)
            except AnswerError as error:
                if error.status == FORBIDDEN:
                    yield failure_of(resource, error)
                    break


def _by_namespace(resource: Resource) -> bool:
    """Whether a narrowed snapshot lists it in the named namespaces alone."""
    if resource.group == GROUP:
        return BY_PLURAL[resource.plural].namespaced
    return resource in (*dependents.RESOURCES, *running.RESOURCES)
