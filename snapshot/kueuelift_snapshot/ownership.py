"""Who keeps Kueue's objects as they are: learnt from every captured object, told in one summary."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift.kinds import kind_of
from kueuelift.model import OWN_VERSION, KubernetesObject, ObjectRef
from kueuelift_snapshot.owner_marks import HELM, HELM_RELEASE, MANAGERS, Owner, claims

MOST_NAMES = 20
"""Objects that the summary names for one owner; it counts them all."""

MOST_DISPUTED = 200
"""Objects with several owners that the summary names."""

_Objects = set[ObjectRef]


@dataclass(kw_only=True, slots=True)
class Ownership:
    """The owners of what it has been shown; the same object shown twice counts once."""

    claimed: dict[Owner, dict[str, _Objects]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    """By owner and what says so."""
    written: dict[tuple[str, str], _Objects] = field(default_factory=lambda: defaultdict(set))
    """By field manager and operation."""

    def see(self, obj: KubernetesObject) -> None:
        """Take in one object as the cluster has it; a Workload is its job's, and has no other owner."""
        kind = kind_of(obj)
        if kind is not None and kind.per_job:
            return
        reference = ObjectRef.of(obj)
        for owner, by in claims(obj):
            self.claimed[owner][by].add(reference)
        for entry in (obj.get("metadata") or {}).get("managedFields") or ():
            if entry.get("manager") and not entry.get("subresource"):
                self.written[str(entry["manager"]), str(entry.get("operation"))].add(reference)

    def add(self, owner: Owner, by: str, objects: Iterable[ObjectRef]) -> None:
        """Take in what an owner itself says."""
        if named := set(objects):
            self.claimed[owner][by] |= named

    def names(self, tool: str, namespace: str, name: str) -> bool:
        """Whether something names this owner, with its namespace or without."""
        return any(Owner(tool=tool, namespace=it, name=name) in self.claimed for it in (namespace, ""))

    def names_release(self, name: str) -> bool:
        """Whether something is marked as a Helm release's of this name: where its records lie no mark says."""
        return any(owner.tool == HELM and owner.name == name for owner in self.claimed)

    def summary(self) -> KubernetesObject:
        """`owners`, `managers` and `disputed`, sorted: who keeps what, by which mark, and what has several owners."""
        disputed = self._disputed()
        return {
            "apiVersion": OWN_VERSION,
            "kind": "Owners",
            "metadata": {"name": "owners"},
            "owners": [
                {"tool": owner.tool, "namespace": owner.namespace, "name": owner.name}
                | {"by": sorted(by)}
                | _told(set().union(*by.values()))
                for owner, by in sorted(self.claimed.items())
            ],
            "managers": [
                {"manager": manager, "operation": operation, "tool": MANAGERS.get(manager, "")} | _told(objects)
                for (manager, operation), objects in sorted(self.written.items())
            ],
            "disputed": {
                "count": len(disputed),
                "objects": [
                    {"object": str(reference), "owners": [_name(owner) for owner in owners]}
                    for reference, owners in sorted(disputed.items())[:MOST_DISPUTED]
                ],
            },
        }

    def _disputed(self) -> Mapping[ObjectRef, list[Owner]]:
        """Objects of which several owners say that they are theirs."""
        owners: dict[ObjectRef, set[Owner]] = defaultdict(set)
        for owner, by in self.claimed.items():
            for reference in set().union(*by.values()):
                owners[reference].add(owner)
        parted = {reference: _apart(found) for reference, found in owners.items()}
        return {reference: found for reference, found in parted.items() if len(found) > 1}


def _apart(owners: set[Owner]) -> list[Owner]:
    """Owners without those that are another one's hand, or another one told with less."""
    through_flux = any(owner.tool == HELM_RELEASE for owner in owners)
    full = {(owner.tool, owner.name) for owner in owners if owner.namespace}
    return sorted(
        owner
        for owner in owners
        if not (owner.tool == HELM and through_flux) and (owner.namespace or (owner.tool, owner.name) not in full)
    )


def _told(objects: _Objects) -> dict[str, Any]:
    kinds: dict[str, int] = defaultdict(int)
    for reference in objects:
        kinds[reference.kind] += 1
    named = [str(reference) for reference in sorted(objects)[:MOST_NAMES]]
    return {"count": len(objects), "kinds": dict(sorted(kinds.items())), "objects": named}


def _name(owner: Owner) -> str:
    place = f"{owner.namespace}/" if owner.namespace else ""
    return f"{owner.tool} {place}{owner.name}"
