"""What the options of two snapshots have taken in, and what the operator wants of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kueuelift.kinds import CONFIGURATION_KINDS, Kind
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.scope import Scope


@dataclass(kw_only=True, slots=True)
class Common:
    """What both were asked for."""

    scopes: tuple[Scope, Scope]
    wanted: Sequence[Kind] = ()
    """The kinds to compare, and nothing else; everything where empty."""
    namespaces: frozenset[str] | None = field(init=False)
    """None for all."""

    def __post_init__(self) -> None:
        """Work out the namespaces."""
        chosen = [frozenset(scope.namespaces) for scope in self.scopes if scope.namespaces]
        self.namespaces = frozenset.intersection(*chosen) if chosen else None

    @property
    def differ(self) -> bool:
        """Whether one of the two was asked for something that the other was not."""
        return self.scopes[0] != self.scopes[1]

    @property
    def configuration_differs(self) -> bool:
        """The same, of objects other than Workloads and jobs: those that have owners of their own."""
        one, other = ([kind for kind in CONFIGURATION_KINDS if scope.takes(kind)] for scope in self.scopes)
        return one != other or self.scopes[0].namespaces != self.scopes[1].namespaces

    def wants(self, kind: Kind) -> bool:
        """Whether a kind is to be compared."""
        return not self.wanted or kind in self.wanted

    def lacks(self, kind: Kind) -> str:
        """Why a kind cannot be compared; empty where both were asked for it."""
        takes = [scope.takes(kind) for scope in self.scopes]
        if all(takes):
            return ""
        return f"left out of {'one of the two' if any(takes) else 'both'} by an option"

    def has(self, obj: KubernetesObject) -> bool:
        """Whether both were asked for an object's namespace."""
        if self.namespaces is None:
            return True
        metadata: Any = obj.get("metadata")
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        return not namespace or namespace in self.namespaces


def narrowed(known: Scope, wanted: Sequence[Kind]) -> Scope:
    """The scope to read a cluster with where only some kinds are compared with what was taken with `known`."""
    if not wanted:
        return known
    return replace(known, plurals=tuple(kind.plural for kind in wanted), workloads=True, running=False)
