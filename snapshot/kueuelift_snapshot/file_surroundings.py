"""What in files surrounds Kueue, judged as in a cluster, though objects come in any order and there are no lists."""

from collections.abc import Callable, Iterator, Sequence

import orjson

from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import group_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import dependents, gitops, installation, running
from kueuelift_snapshot.file_installation import FileInstallation
from kueuelift_snapshot.file_objects import ODD_SHAPE, Later, Placed
from kueuelift_snapshot.gitops import Held
from kueuelift_snapshot.integrations import INTEGRATIONS
from kueuelift_snapshot.marks import is_executor, is_kueues_group, is_marked
from kueuelift_snapshot.ownership import Ownership
from kueuelift_snapshot.resource import Resource
from kueuelift_snapshot.running import WorkloadOwners
from kueuelift_snapshot.running_fields import reduced

_JOBS = {(it.group, it.kind): Resource(group=it.group, version=it.version, plural=it.plural) for it in INTEGRATIONS}
_BUILT_IN = ".k8s.io"
"""End of the groups of Kubernetes' own kinds that have a dot; none of them is a job but those of `_JOBS`."""

_REQUEST = (dependents.PROVISIONING_REQUESTS.group, "ProvisioningRequest")


class FileSurroundings:
    """As the `Surroundings` of files promise; with it a snapshot of files has its parts where one of a cluster has."""

    def __init__(self) -> None:
        self._installation = FileInstallation()
        self._ownership = Ownership()
        self._owners = WorkloadOwners()
        self._gitops = Held()
        self._jobs: list[tuple[Resource, str, bytes]] = []
        """Reduced jobs without a mark, each with its uid: a Workload without a queue may be theirs."""
        self._requests: set[str] = set()
        self._templates: list[KubernetesObject] = []

    def see(self, obj: KubernetesObject) -> None:
        """Take in an object or CRD of Kueue's own."""
        self._ownership.see(obj)
        self._owners.see(obj)
        if obj["kind"] == "CustomResourceDefinition":
            self._installation.calls(obj)

    def place(self, obj: KubernetesObject) -> Placed | Later | None:
        """Where it goes: to the first that knows, or later to the first that knows then."""
        answers = [_asked(knows, obj) for knows in (self._installation.place, self._git, self._running, self._owned)]
        placed = next((it for it in answers if isinstance(it, Placed)), None)
        if placed and placed.folder == installation.FOLDER:
            self._ownership.see(placed.value)
        return placed or next((it for it in answers if it), None)

    def suspects(self, namespace: str, release: str) -> bool:
        """Whether a manager is in a release's namespace, or an object is marked as the release's."""
        return namespace in self._installation.found.namespaces or self._ownership.names_release(release)

    def rest(self, releases: Sequence[HelmRecord]) -> Iterator[Placed]:
        """First the installation, then who owns it, then what runs."""
        for placed in self._installation.rest():
            self._ownership.see(placed.value)
            yield placed
        for name, obj in gitops.settled(self._gitops, self._ownership, releases):
            if name != gitops.OWNERS:
                self._ownership.see(obj)
            elif not obj["owners"] and not obj["managers"]:
                continue
            yield Placed(folder=gitops.FOLDER, resource=name, value=obj)
        for resource, uid, job in self._jobs:
            if uid in self._owners.unqueued:
                yield _line(running.FOLDER, resource, orjson.loads(job))
        for template in self._templates:
            if dependents.belongs_to_one(template, self._requests):
                yield _line(dependents.FOLDER, dependents.POD_TEMPLATES, template)

    def _git(self, obj: KubernetesObject) -> Later | None:
        resource = gitops.BY_KIND.get(_kind(obj))
        if resource is None:
            return None
        gitops.look_at(obj)
        self._gitops.hold(resource.name, obj)
        return Later()

    def _running(self, obj: KubernetesObject) -> Placed | Later | None:
        """A job, reduced as one of a cluster is; one of an unknown kind by its marks alone."""
        known = _JOBS.get(_kind(obj))
        resource = known or _guessed(*_kind(obj))
        if resource and (is_marked(obj) or is_executor(obj)):
            return _line(running.FOLDER, resource, reduced(obj))
        uid = obj["metadata"].get("uid")
        # Pods are too many to hold, and those without a queue are told by the Workloads themselves.
        if known is None or not isinstance(uid, str) or obj["kind"] == "Pod":
            return None
        self._jobs.append((known, uid, orjson.dumps(reduced(obj))))
        return Later()

    def _owned(self, obj: KubernetesObject) -> Placed | Later | None:
        """What a Workload owns, or a ProvisioningRequest of one."""
        if _kind(obj) == _REQUEST and dependents.belongs_to_workload(obj):
            self._requests.add(str(obj["metadata"].get("uid")))
            return _line(dependents.FOLDER, dependents.PROVISIONING_REQUESTS, obj)
        if _kind(obj) != ("", "PodTemplate"):
            return None
        if dependents.belongs_to_workload(obj):
            return _line(dependents.FOLDER, dependents.POD_TEMPLATES, obj)
        self._templates.append(obj)
        return Later()


def _asked(knows: Callable[[KubernetesObject], Placed | Later | None], obj: KubernetesObject) -> Placed | Later | None:
    try:
        return knows(obj)
    except ODD_SHAPE:
        return None


def _line(folder: str, resource: Resource, obj: KubernetesObject) -> Placed:
    return Placed(folder=folder, resource=resource.name, value=obj, lines=True)


def _guessed(group: str, kind: str) -> Resource | None:
    """An unknown custom kind, its plural as kubectl guesses it; None for Kubernetes' own kinds and for Kueue's."""
    if "." not in group or group.endswith(_BUILT_IN) or is_kueues_group(group):
        return None
    name = kind.lower()
    plural = f"{name}es" if name.endswith("s") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return Resource(group=group, version="", plural=plural)


def _kind(obj: KubernetesObject) -> tuple[str, str]:
    return group_of(str(obj["apiVersion"])), obj["kind"]
