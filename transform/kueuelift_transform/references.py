"""Which objects of Kueue's configuration name which others: no CRD and no webhook asks whether these are there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject, ObjectRef

Names = Callable[[KubernetesObject], Iterator[tuple[str, str]]]
"""The kinds and names that a spec refers to, at v1beta2."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Dangling:
    """Something that is named and not there."""

    kind: str
    name: str
    by: str
    """The kind of what names it."""
    consequence: str
    objects: tuple[str, ...]
    """What names it."""


@dataclass(kw_only=True, slots=True)
class References:
    """Grows with the configuration objects; Workloads are not taken in."""

    _there: dict[str, set[str]] = field(default_factory=dict)
    _named: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    _parents: dict[str, str] = field(default_factory=dict)
    _members: dict[str, list[str]] = field(default_factory=dict)

    def add(self, obj: KubernetesObject) -> None:
        """Take in an object in its stored form."""
        ref, spec = ObjectRef.of(obj), _mapping(obj.get("spec"))
        self._there.setdefault(ref.kind, set()).add(ref.name)
        if ref.kind in _NAMES:
            for kind, name in dict.fromkeys(_NAMES[ref.kind](spec)):
                self._named.setdefault((kind, name, ref.kind), []).append(str(ref))
        if ref.kind == "Cohort" and spec.get("parentName"):
            self._parents[ref.name] = str(spec["parentName"])
        if ref.kind == "ClusterQueue" and spec.get("cohortName"):
            self._members.setdefault(str(spec["cohortName"]), []).append(str(ref))

    def dangling(self, known: Iterable[str]) -> list[Dangling]:
        """What is named and not there, of the kinds whose objects are all known."""
        kinds = set(known)
        return sorted(
            Dangling(kind=kind, name=name, by=by, consequence=_CONSEQUENCES[by], objects=tuple(sorted(objects)))
            for (kind, name, by), objects in self._named.items()
            if kind in kinds and name not in self._there.get(kind, ())
        )

    def cycles(self) -> list[tuple[str, ...]]:
        """The rings that Cohorts form by their parents, each from its first name on."""
        found: set[tuple[str, ...]] = set()
        for start in self._parents:
            way = self._way_up(start)
            if self._parents.get(way[-1]) in way:
                ring = way[way.index(self._parents[way[-1]]) :]
                first = ring.index(min(ring))
                found.add((*ring[first:], *ring[:first]))
        return sorted(found)

    def queues_below(self, ring: Iterable[str]) -> list[str]:
        """The ClusterQueues whose way up leads into a ring."""
        cohorts = set(ring)
        return sorted(
            queue for cohort, queues in self._members.items() if cohorts & set(self._way_up(cohort)) for queue in queues
        )

    def _way_up(self, start: str) -> list[str]:
        way = [start]
        while (parent := self._parents.get(way[-1])) is not None and parent not in way:
            way.append(parent)
        return way


def _of_cluster_queue(spec: KubernetesObject) -> Iterator[tuple[str, str]]:
    for group in _mappings(spec.get("resourceGroups")):
        for flavor in _mappings(group.get("flavors")):
            yield "ResourceFlavor", str(flavor.get("name"))
    for check in _mappings(_mapping(spec.get("admissionChecksStrategy")).get("admissionChecks")):
        yield "AdmissionCheck", str(check.get("name"))


def _of_admission_check(spec: KubernetesObject) -> Iterator[tuple[str, str]]:
    parameters = _mapping(spec.get("parameters"))
    if parameters.get("apiGroup") == GROUP:
        yield str(parameters.get("kind")), str(parameters.get("name"))


def _of_multi_kueue_config(spec: KubernetesObject) -> Iterator[tuple[str, str]]:
    for name in spec.get("clusters") or ():
        yield "MultiKueueCluster", str(name)


def _one(field_name: str, kind: str) -> Names:
    def names(spec: KubernetesObject) -> Iterator[tuple[str, str]]:
        if spec.get(field_name):
            yield kind, str(spec[field_name])

    return names


def _mapping(value: Any) -> KubernetesObject:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[KubernetesObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


_NAMES: dict[str, Names] = {
    "ClusterQueue": _of_cluster_queue,
    "Cohort": _one("parentName", "Cohort"),
    "LocalQueue": _one("clusterQueue", "ClusterQueue"),
    "ResourceFlavor": _one("topologyName", "Topology"),
    "AdmissionCheck": _of_admission_check,
    "MultiKueueConfig": _of_multi_kueue_config,
}
_CONSEQUENCES = {
    "ClusterQueue": "the queue admits nothing until it is there",
    "Cohort": "Kueue makes up a root of that name, without quota of its own",
    "LocalQueue": "what is sent to the queue waits",
    "ResourceFlavor": "ClusterQueues with the flavor admit nothing until it is there",
    "AdmissionCheck": "the check is inactive, and so are ClusterQueues that ask for it",
    "MultiKueueConfig": "its AdmissionCheck is inactive while no cluster is there",
}
