"""What runs: every job that Kueue has to do with, of whatever kind, reduced to what later judgement needs."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from kueuelift.kinds import group_of, kind_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.discovery import ServedResource
from kueuelift_snapshot.integrations import INTEGRATIONS
from kueuelift_snapshot.marks import QUEUE_NAME, is_executor, is_marked
from kueuelift_snapshot.resource import Resource
from kueuelift_snapshot.running_fields import reduced

FOLDER = "running"
GroupKind = tuple[str, str]
"""`("ray.io", "RayJob")`."""


@dataclass(kw_only=True, slots=True)
class WorkloadOwners:
    """What the Workloads say of the jobs that they stand for; shown every object of Kueue's, perhaps twice."""

    kinds: set[GroupKind] = field(default_factory=set)
    """The kinds of their owners."""
    unqueued: set[str] = field(default_factory=set)
    """The uids of owners without a queue, which Kueue manages all the same and which may have no mark."""

    def see(self, obj: KubernetesObject) -> None:
        """Take in one object."""
        kind = kind_of(obj)
        if kind is None or not kind.per_job:
            return
        queued = (obj.get("spec") or {}).get("queueName")
        for owner in obj["metadata"].get("ownerReferences") or ():
            self.kinds.add((group_of(str(owner.get("apiVersion"))), str(owner.get("kind"))))
            if not queued and owner.get("uid"):
                self.unqueued.add(str(owner["uid"]))


RESOURCES = tuple(it.resource or Resource(group=it.group, version="", plural=it.plural) for it in INTEGRATIONS)
"""Kueue's integrations, as far as a cluster has them; `others` are what a snapshot can do without."""


def framework_kind(name: str) -> GroupKind | None:
    """`PipelineRun.v1.tekton.dev`, as the manager's externalFrameworks name a kind; None for anything else."""
    kind, _, rest = name.partition(".")
    version, _, group = rest.partition(".")
    return (group, kind) if kind and version and group else None


def known(custom: Iterable[ServedResource], more: Collection[GroupKind] = ()) -> list[Resource]:
    """The kinds of jobs that a snapshot must read: Kueue's integrations, and `more` that the cluster has."""
    wanted = {(it.group, it.kind) for it in INTEGRATIONS} | set(more)
    built_in = [resource for it in INTEGRATIONS if (resource := it.resource)]
    return [*built_in, *_sorted(it for it in custom if it.namespaced and (it.group, it.kind) in wanted)]


def others(custom: Iterable[ServedResource], more: Collection[GroupKind] = ()) -> list[Resource]:
    """All other namespaced custom kinds: an object of any of them may have a queue's label."""
    custom = list(custom)
    read = {resource.name for resource in known(custom, more)}
    return _sorted(it for it in custom if it.namespaced and it.name not in read)


def capture_running(capture: Capture, owners: WorkloadOwners, frameworks: Iterable[str] = ()) -> None:
    """Every job that Kueue has to do with; `frameworks` are the external ones that the manager is told of.

    Kinds that are nobody's integration are asked for the queue's label alone, and a snapshot can do without them.
    """
    more = owners.kinds | {kind for name in frameworks if (kind := framework_kind(name))}

    def keep(obj: KubernetesObject) -> KubernetesObject | None:
        wanted = is_marked(obj) or is_executor(obj) or (obj.get("metadata") or {}).get("uid") in owners.unqueued
        return reduced(obj) if wanted else None

    namespaces = capture.scope.namespaces
    for resource in known(capture.custom, more):
        capture.part(FOLDER, resource, keep, namespaces=namespaces, lines=True)
    labelled = {"labelSelector": QUEUE_NAME}
    for resource in others(capture.custom, more):
        capture.part(FOLDER, resource, keep, namespaces=namespaces, query=labelled, lines=True, optional=True)


def _sorted(resources: Iterable[Resource]) -> list[Resource]:
    return sorted(resources, key=lambda resource: resource.name)
