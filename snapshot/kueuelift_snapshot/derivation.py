"""What of a snapshot was found through other lists: where one of these was not read, nothing tells what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

from kueuelift.kinds import BY_NAME
from kueuelift_snapshot import dependents, gitops, installation, running, surroundings
from kueuelift_snapshot.resource import API_GROUPS, Resource

OWNERS = f"{gitops.FOLDER}/{gitops.OWNERS}"
"""The summary of all that was read."""

_CALLERS = (installation.VALIDATING, installation.MUTATING, installation.API_SERVICES)
"""Their Services lead to the Deployments and namespaces of an installation."""
_MANAGERS = (*_CALLERS, installation.SERVICES, installation.DEPLOYMENTS)


def _of_installation() -> Mapping[str, frozenset[str]]:
    """By resource below `installation/`: the names of the resources that lead to it."""
    through: dict[str, Sequence[Resource]] = {
        installation.DEPLOYMENTS.name: (*_CALLERS, installation.SERVICES),
        installation.SERVICES.name: (*_CALLERS, installation.DEPLOYMENTS),
        installation.CONFIG_MAPS.name: _MANAGERS,
        installation.ENDPOINTS: (*_MANAGERS, installation.ENDPOINT_SLICES),
        installation.CLUSTER_ROLE_BINDINGS.name: (*_MANAGERS, installation.CLUSTER_ROLES),
        installation.ROLE_BINDINGS.name: (*_MANAGERS, installation.CLUSTER_ROLES),
        **{bindings.name: (policies,) for policies, bindings in surroundings.POLICIES},
        **{resource.name: _MANAGERS for resource in surroundings.AROUND.values()},
    }
    names = {place: frozenset(it.name for it in resources) for place, resources in through.items()}
    return names | {surroundings.SERVED: frozenset({API_GROUPS.name})}


_INSTALLATION = _of_installation()
_RUNNING = frozenset({BY_NAME["Workload"].crd_name, *(it.name for it in (*_MANAGERS, installation.CONFIG_MAPS))})
"""The owners of Workloads, and the frameworks that a manager's Configuration names."""


def unread_before(place: str, unread: Sequence[str]) -> list[str]:
    """Which of the lists that could not be read lead to a part of a snapshot, sorted."""
    folder, _, resource = place.partition("/")
    if folder == gitops.FOLDER:
        # Whatever was read may name its owner.
        return sorted(set(unread))
    if folder == running.FOLDER:
        return sorted(_RUNNING.intersection(unread))
    if place == f"{dependents.FOLDER}/{dependents.POD_TEMPLATES.name}":
        return sorted({dependents.PROVISIONING_REQUESTS.name}.intersection(unread))
    known = _INSTALLATION.get(resource, frozenset()) if folder == installation.FOLDER else frozenset()
    return sorted(known.intersection(unread))


def unread_in(header: Mapping[str, Any]) -> list[str]:
    """What a snapshot's user could not read, as far as it may have to do with Kueue."""
    return [*(it["what"] for it in header["failures"] if not it["foreign"]), *header["unseen"]]
