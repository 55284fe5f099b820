"""The words of the three directories, as data: findings, losses, steps, phases, failures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

KubernetesObject = dict[str, Any]
"""A Kubernetes object as JSON has it; the one place where values are untyped."""

OWN_VERSION = "kueuelift/v1"
"""The apiVersion of objects that no cluster has: what was counted, asked or summed up."""


class Severity(StrEnum):
    """How much a finding weighs."""

    BLOCKER = "blocker"
    ACTION = "action"
    NOTICE = "notice"


class State(StrEnum):
    """What has become of a finding; only an open blocker makes a plan inapplicable."""

    OPEN = "open"
    HANDLED = "handled"
    ACCEPTED = "accepted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class ObjectRef:
    """Names one object for a person: `ClusterQueue team-a`, `LocalQueue ml/default`."""

    kind: str
    namespace: str = ""
    name: str

    @classmethod
    def of(cls, obj: KubernetesObject) -> Self:
        """The name of an object as it came from a cluster or a file."""
        metadata = obj.get("metadata") or {}
        return cls(
            kind=str(obj.get("kind", "?")), namespace=metadata.get("namespace") or "", name=metadata.get("name") or "?"
        )

    def __str__(self) -> str:
        """`LocalQueue ml/default`, as kubectl users write it."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Something the operator must know."""

    id: str
    severity: Severity
    title: str
    detail: str
    objects: tuple[str, ...] = ()
    state: State = State.OPEN
    handled_by: str = ""
    """The step's id, where the state is `handled`."""
    remedy: str = ""

    @property
    def blocks(self) -> bool:
        """Whether a plan with this finding may not be applied."""
        return self.severity is Severity.BLOCKER and self.state is State.OPEN

    def to_dict(self) -> dict[str, Any]:
        """The finding as findings.json has it."""
        return {
            "id": self.id,
            "severity": str(self.severity),
            "state": str(self.state),
            "title": self.title,
            "detail": self.detail,
            "objects": list(self.objects),
            "handledBy": self.handled_by,
            "remedy": self.remedy,
        }


class Change(StrEnum):
    """What a conversion does to a field, the heaviest first."""

    DROPPED = "dropped"
    NOT_INVERTIBLE = "not-invertible"
    """It has a value in the output, and going back does not give the old one."""
    MERGED = "merged"
    MOVED = "moved"
    RENAMED = "renamed"
    DEFAULTED = "defaulted"
    """The output's schema fills in what the input did not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """A field of one object that is not found in the output as it was in the input."""

    kind: str
    namespace: str = ""
    name: str
    path: str
    """A field path: `spec.admissionChecksStrategy`; that of the output where it was filled in there."""
    change: Change = Change.DROPPED
    to: str = ""
    """The path in the output; empty where there is none, or the same."""
    value: Any = None
    """What stood there, or was filled in; a token where it could be secret. None where it was carried over whole."""
    reason: str
    meaning_kept: bool = False
    """Whether the output says the same, in another place or in other words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """What becomes of a field, in whatever objects; the words are those of `Loss`."""

    kind: str
    path: str
    change: Change
    to: str
    reason: str
    meaning_kept: bool

    def fields(self) -> dict[str, Any]:
        """As losses.json and report.json have it."""
        return {
            "kind": self.kind,
            "path": self.path,
            "change": str(self.change),
            "to": self.to,
            "reason": self.reason,
            "meaning": "kept" if self.meaning_kept else "lost",
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class LossEntry(Fate):
    """The same loss, of the same value, of several objects."""

    value: Any
    objects: Sequence[str]
    """`<namespace>/<name>`, or the name alone, sorted."""

    def to_dict(self) -> dict[str, Any]:
        """The entry as losses.json has it."""
        return {**self.fields(), "value": self.value, "objects": list(self.objects)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A part of a cluster that a snapshot should hold and does not."""

    what: str
    """The list or object: `clusterqueues.kueue.x-k8s.io`."""
    reason: str
    remedy: str = ""
    foreign: bool = False
    """It is known to have nothing to do with Kueue: recorded, and nothing is missing without it."""
    rule: Mapping[str, Any] = field(default_factory=dict)
    """The rule of a ClusterRole that would allow it; empty where no right was missing."""

    def to_dict(self) -> dict[str, Any]:
        """The failure as snapshot.json has it."""
        told = {"what": self.what, "reason": self.reason, "remedy": self.remedy, "foreign": self.foreign}
        return told | ({"rule": dict(self.rule)} if self.rule else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a failure that the JSON Schema has accepted."""
        return cls(
            what=data["what"],
            reason=data["reason"],
            remedy=data["remedy"],
            foreign=data["foreign"],
            rule=data.get("rule", {}),
        )


def is_complete(failures: Iterable[Failure]) -> bool:
    """Whether a snapshot with these failures lacks nothing that has to do with Kueue."""
    return all(failure.foreign for failure in failures)


@dataclass(frozen=True, kw_only=True, slots=True)
class Undo:
    """Whether a step or phase can be taken back, until when, and what is lost by it."""

    possible: bool
    how: str

    def to_dict(self) -> dict[str, Any]:
        """The answer as plan.json has it."""
        return {"possible": self.possible, "how": self.how}


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One typed, idempotent action of a plan."""

    id: str
    """`20-bridge-crds`: sorts in the order of the plan."""
    kind: str
    phase: str
    title: str
    undo: Undo
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What the kind needs; its shape is fixed per kind by the plan's JSON Schema."""

    def to_dict(self) -> dict[str, Any]:
        """The step as plan.json has it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "phase": self.phase,
            "title": self.title,
            "undo": self.undo.to_dict(),
            "arguments": dict(self.arguments),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a step that the JSON Schema has accepted."""
        return cls(
            id=data["id"],
            kind=data["kind"],
            phase=data["phase"],
            title=data["title"],
            undo=Undo(**data["undo"]),
            arguments=data["arguments"],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """A named group of steps that can be run on its own."""

    name: str
    title: str

    def to_dict(self) -> dict[str, str]:
        """The phase as plan.json has it."""
        return {"name": self.name, "title": self.title}
