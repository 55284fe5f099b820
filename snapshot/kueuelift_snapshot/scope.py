"""What of a cluster is wanted: everything, unless the operator narrows it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from kueuelift.errors import UsageError
from kueuelift.kinds import BY_NAME, KINDS, Kind

_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_WORKLOAD = BY_NAME["Workload"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """Namespaces, kinds and parts of a cluster; what is left out stands in the header."""

    namespaces: tuple[str, ...] = ()
    """Of namespaced objects; all where empty."""
    plurals: tuple[str, ...] = ()
    """Of Kueue's kinds; all where empty."""
    workloads: bool = True
    running: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)
    """By plural: what a kind is listed in where it is served, in place of the stored version."""
    again: bool = False
    """Taken once more, to be compared: what it names may be gone by now."""

    def takes(self, kind: Kind) -> bool:
        """Whether a kind of Kueue is wanted."""
        return (not self.plurals or kind.plural in self.plurals) and (self.workloads or not kind.per_job)

    @property
    def dependents(self) -> bool:
        """Whether what Workloads own is wanted: with them, or not at all."""
        return self.takes(_WORKLOAD)

    @property
    def narrowed(self) -> list[str]:
        """The options that make a snapshot fit to look at, not to apply."""
        return [
            *([f"--namespaces={','.join(self.namespaces)}"] if self.namespaces else []),
            *([f"--kinds={','.join(self.plurals)}"] if self.plurals else []),
            *([] if self.workloads else ["--no-workloads"]),
        ]

    @property
    def without(self) -> list[str]:
        """Parts that were left out and that a plan can do without."""
        return [] if self.running else ["running"]

    @property
    def options(self) -> list[str]:
        """All of it, as the command takes it."""
        return [*self.narrowed, *(f"--no-{part}" for part in self.without)]

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> Self:
        """The scope that a snapshot was taken with, read back from its header."""
        options = dict(option.partition("=")[::2] for option in header["narrowed"])
        return cls(
            namespaces=tuple(_parts([options.get("--namespaces", "")])),
            plurals=tuple(_parts([options.get("--kinds", "")])),
            workloads="--no-workloads" not in options,
            running="running" not in header["without"],
        )

    @classmethod
    def as_in(cls, header: Mapping[str, Any]) -> Self:
        """The scope to take another snapshot with that is to be compared with this one: its versions, and its kinds."""
        own = cls.of_header(header)
        versions = {plural: str(listed["version"]) for plural, listed in header["lists"].items()}
        if header["origin"] == "cluster":
            return replace(own, versions=versions, again=True)
        # Manifests hold what somebody wrote: of what they have nothing, nothing needs to be asked for.
        running = any(place.startswith("running/") for place in header["parts"])
        return replace(own, versions=versions, plurals=tuple(versions), running=running, again=True)


def scope_of(*, namespaces: Sequence[str], kinds: Sequence[str], workloads: bool, running: bool) -> Scope:
    """The scope that words of the command line mean: commas and repeats add up; UsageError for an unknown kind."""
    return Scope(
        namespaces=tuple(sorted({_namespace(word) for word in _parts(namespaces)})),
        plurals=tuple(kind.plural for kind in kinds_of(kinds)),
        workloads=workloads,
        running=running,
    )


def kinds_of(words: Sequence[str]) -> tuple[Kind, ...]:
    """The kinds that words of the command line name, in the order of KINDS; UsageError for an unknown one."""
    named = {_kind(word) for word in _parts(words)}
    return tuple(kind for kind in KINDS if kind in named)


def _parts(words: Sequence[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _namespace(word: str) -> str:
    """A name that a namespace can have; it becomes a part of addresses."""
    if not _NAMESPACE.fullmatch(word):
        raise UsageError(f"--namespaces {word}: no name of a namespace; give lower-case letters, digits and hyphens")
    return word


def _kind(word: str) -> Kind:
    """A kind by name, plural or full name, in any case, as kubectl takes it."""
    wanted = word.lower()
    for kind in KINDS:
        if wanted in {kind.name.lower(), kind.plural, kind.crd_name}:
            return kind
    known = ", ".join(kind.plural for kind in KINDS)
    raise UsageError(f"--kinds {word}: no kind of Kueue; give any of {known}")
