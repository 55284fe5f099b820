"""What a rule of Kueue's webhooks is: what it demands, from which release on, and under which feature gate."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Evidence, Release, profile


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The release whose webhooks judge, and its feature gates as they are set."""

    release: Release
    gates: Mapping[str, bool]

    @classmethod
    def of(cls, release: Release, gates: Mapping[str, bool] | None = None) -> Self:
        """The release's own defaults, and over them what is set; a gate that it does not know changes nothing."""
        known = profile(str(release)).gates.values()
        given = gates or {}
        return cls(
            release=release,
            gates={gate.name: gate.default if gate.locked else given.get(gate.name, gate.default) for gate in known},
        )

    def on(self, gate: str, *, unknown: bool) -> bool:
        """Whether a gate is on; `unknown` is the answer where the release does not know it."""
        return self.gates.get(gate, unknown)

    def since(self, first: str, *backports: str) -> bool:
        """Whether the release is `first` or newer, or one of a line to which a backport came, from that patch on."""
        if self.release >= Release.parse(first):
            return True
        lines = [Release.parse(backport) for backport in backports]
        return any(line.line == self.release.line and self.release >= line for line in lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One place where an object breaks a rule."""

    path: str
    """Such as `spec.resourceGroups[0].flavors[0].name`."""
    found: str
    wanted: str
    rewritable: bool = False
    """An update that changes nothing is let through: only a create is refused, or a change of that part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken(Fault):
    """One place where an object breaks a rule, and which rule it is."""

    rule: str
    """`CQ-04`."""

    def __str__(self) -> str:
        """One line for a person."""
        return f"{self.path}: found {self.found}, wanted {self.wanted} ({self.rule})"


Check = Callable[[KubernetesObject, Setting], Iterator[Fault]]
"""Takes an object that its CRD accepts; what has another type than it should have is passed over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmissionRule:
    """One rule that a webhook holds against objects which the CRD accepts."""

    id: str
    """The kind's letters and a number that is never used again."""
    demands: str
    check: Check
    evidence: Evidence
    since: str = ""
    """The release that it came with; empty where every known one has it."""
    backports: tuple[str, ...] = ()
    """Patches of older lines that brought it too."""
    gate: str = ""
    """The feature gate that it hangs on; where a release has the rule and not the gate, the rule holds."""

    def holds(self, setting: Setting) -> bool:
        """Whether the webhook of a release, with its gates as they are set, has this rule."""
        present = not self.since or setting.since(self.since, *self.backports)
        return present and (not self.gate or setting.on(self.gate, unknown=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class KindRules:
    """One item of the catalogue `kinds/`: the rules of one kind, in the order of their numbers."""

    kind: str
    rules: tuple[AdmissionRule, ...]
    surely_fine: Callable[[KubernetesObject], bool] | None = None
    """A quick yes for objects that keep every rule, where there are many of them."""
