"""Compares two snapshots by meaning, section by section: what both hold; what one of them lacks is said."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kueuelift.difference import Edit
from kueuelift.kinds import BY_NAME, BY_PLURAL, CONFIGURATION_KINDS, KINDS, Kind
from kueuelift.model import KubernetesObject
from kueuelift.snapshot_dir import place_of
from kueuelift.volatile import FROM_A_CLUSTER, VOLATILE
from kueuelift_snapshot import helm_comparison
from kueuelift_snapshot.changes import Changes, How
from kueuelift_snapshot.comparison_result import Comparison, Gap, Hidden, Side, Tally
from kueuelift_snapshot.kind_schemas import KindSchemas
from kueuelift_snapshot.object_comparison import ObjectComparison
from kueuelift_snapshot.pairing import Pair, count, equal_files, pairs
from kueuelift_snapshot.scope import Scope

CRDS = "CustomResourceDefinition"
_STREAMED = ("running", "dependents")
"""Parts with an object a job, which `--namespaces` narrows."""
_OWNERS = "gitops/owners"
_WORKLOAD = BY_NAME["Workload"]

Compared = Callable[[KubernetesObject, KubernetesObject], tuple[Edit, ...]]


def compare(before: Side, after: Side, *, show_volatile: bool = False) -> Comparison:
    """Compare all that both hold; RefusedError or UntrustedError where one of them cannot be read."""
    work = _Work(before, after, show_volatile=show_volatile)
    work.custom_resources()
    for kind in CONFIGURATION_KINDS:
        work.kind(kind)
    work.helm()
    work.parts()
    for kind in KINDS:
        if kind.per_job:
            work.kind(kind)
    return work.result()


@dataclass(kw_only=True, slots=True)
class _Common:
    """What the options of both snapshots have taken in."""

    scopes: tuple[Scope, Scope]
    namespaces: frozenset[str] | None = field(init=False)
    """None for all."""

    def __post_init__(self) -> None:
        chosen = [frozenset(scope.namespaces) for scope in self.scopes if scope.namespaces]
        self.namespaces = frozenset.intersection(*chosen) if chosen else None

    @property
    def differ(self) -> bool:
        """Whether one of the two was asked for something that the other was not."""
        return self.scopes[0] != self.scopes[1]

    def takes(self, kind: Kind) -> bool:
        """Whether both were asked for a kind."""
        return all(scope.takes(kind) for scope in self.scopes)

    def has(self, obj: KubernetesObject) -> bool:
        """Whether both were asked for an object's namespace."""
        if self.namespaces is None:
            return True
        metadata = obj.get("metadata")
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        return not namespace or namespace in self.namespaces


class _Work:
    """A comparison under way."""

    def __init__(self, before: Side, after: Side, *, show_volatile: bool) -> None:
        self.sides = (before, after)
        self.before, self.after = before.snapshot, after.snapshot
        headers = [side.snapshot.header for side in self.sides]
        self.headers = headers
        self.common = _Common(scopes=(Scope.of_header(headers[0]), Scope.of_header(headers[1])))
        self.objects = ObjectComparison(
            schemas=KindSchemas(self.before, self.after),
            with_tokens=headers[0]["redaction"]["keyId"] == headers[1]["redaction"]["keyId"],
            show_volatile=show_volatile,
            manifests=(before.from_files, after.from_files),
        )
        self.changes = Changes()
        self.tallies: list[Tally] = []
        self.gaps: list[Gap] = []

    def custom_resources(self) -> None:
        """The CRDs: spec, storedVersions."""
        if not self._lacking(CRDS, *(bool(snapshot.hashes("crds")) for snapshot in (self.before, self.after))):
            self._section(CRDS, "crds")

    def kind(self, kind: Kind) -> None:
        """The objects of one of Kueue's kinds."""
        listed = [kind.plural in header["lists"] for header in self.headers]
        if not any(listed):
            return
        if not self.common.takes(kind):
            self.gaps.append(Gap(what=kind.name, reason="left out of one of the two by an option"))
        elif not self._failed(kind.crd_name) and not self._lacking(kind.name, *listed):
            self._section(kind.name, place_of(kind), kind, many=kind.per_job)

    def helm(self) -> None:
        """The revisions of every release."""
        held = [bool(snapshot.helm_folders()) for snapshot in (self.before, self.after)]
        if self._lacking(helm_comparison.WHAT, *held) or not any(held):
            return
        tally = self._tally(helm_comparison.WHAT)
        failed = tuple(what for header in self.headers for what in (it["what"] for it in header["failures"]))
        for name, before, after in helm_comparison.records(self.before, self.after, failed):
            if before is after:
                tally.same += 1
            else:
                self._one(tally, Pair(name, before, after), self.objects.forms)

    def parts(self) -> None:
        """What surrounds Kueue."""
        for place in sorted({*self.headers[0]["parts"], *self.headers[1]["parts"]}):
            folder, _, resource = place.partition("/")
            held = [bool(header["parts"].get(place)) for header in self.headers]
            if not any(held) or self._failed(resource) or self._lacking(place, *held):
                continue
            if reason := self._chosen_otherwise(place, folder):
                self.gaps.append(Gap(what=place, reason=reason))
            else:
                self._section(place, place, many=folder in _STREAMED)

    def _chosen_otherwise(self, place: str, folder: str) -> str:
        """Why a part of one snapshot is not what it would be in the other, by the options that they were taken with."""
        scopes = self.common.scopes
        if folder == "running" and not all(scope.running for scope in scopes):
            return "left out of one of the two by an option"
        if folder == "running" and scopes[0].takes(_WORKLOAD) != scopes[1].takes(_WORKLOAD):
            return "found by the Workloads, which one of the two was not asked for"
        if folder in _STREAMED and not all(place in header["parts"] for header in self.headers):
            return "not asked for in one of the two" if self.common.differ else ""
        if place == _OWNERS and self.common.differ:
            return "sums up all that was read, which is not the same in both"
        return ""

    def _failed(self, what: str) -> bool:
        """Whether one of the two could not be read: told as a gap, with all other failures."""
        return any(
            what in header["unseen"] or any(failure["what"] == what for failure in header["failures"])
            for header in self.headers
        )

    def _lacking(self, what: str, *held: bool) -> bool:
        """Whether one side holds nothing of a kind because it was made from files; that says nothing."""
        for side, has, other in zip(self.sides, held, held[::-1], strict=True):
            if side.from_files and other and not has:
                self.gaps.append(Gap(what=what, reason=f"{side.name} was made from files that hold none"))
                return True
        return False

    def _section(self, what: str, folder: str, kind: Kind | None = None, *, many: bool = False) -> None:
        tally = self._tally(what)
        tally.same += sum(count(self.before, self.after, path) for path in equal_files(self.before, self.after, folder))
        narrowed = kind is not None or folder.partition("/")[0] in _STREAMED
        for pair in pairs(self.before, self.after, folder, self.common.has if narrowed else lambda _: True):
            self._one(tally, pair, lambda before, after: self.objects.edits(before, after, kind), many=many)

    def _tally(self, what: str) -> Tally:
        self.tallies.append(Tally(what=what))
        return self.tallies[-1]

    def _one(self, tally: Tally, pair: Pair, compared: Compared, *, many: bool = False) -> None:
        edits: tuple[Edit, ...] = ()
        how = How.REMOVED if pair.after is None else How.ADDED
        if pair.before is not None and pair.after is not None:
            how, edits = How.CHANGED, compared(pair.before, pair.after)
            if not edits:
                tally.same += 1
                return
        self.changes.add(how, tally.what, pair.name, edits, many=many)
        tally.count(how)

    def result(self) -> Comparison:
        """All of it."""
        reasons = {known.path: known.reason for known in (*VOLATILE, *FROM_A_CLUSTER)}
        return Comparison(
            before=self.sides[0],
            after=self.sides[1],
            tallies=tuple(self.tallies),
            changes=tuple(self.changes.all()),
            hidden=tuple(
                Hidden(field=path, reason=reason, objects=self.objects.hidden[path])
                for path, reason in reasons.items()
                if self.objects.hidden[path]
            ),
            tokens_compared=self.objects.with_tokens,
            tokens=self.objects.tokens,
            gaps=(*self._failures(), *self.gaps, *self._version_gaps()),
            notes=tuple(self._notes()),
        )

    def _failures(self) -> Iterator[Gap]:
        """What one of the two lacks; of no matter is what the other, made from files, could not hold."""
        for side, other in (self.sides, self.sides[::-1]):
            wanted = {BY_PLURAL[plural].crd_name for plural in other.snapshot.header["lists"]}
            for failure in side.snapshot.failures:
                failed = not other.from_files or failure.what in wanted
                yield Gap(
                    what=failure.what,
                    reason=f"not in {side.name}: {failure.reason}",
                    failed=failed and not failure.foreign,
                )
            for what in side.snapshot.header["unseen"]:
                yield Gap(what=what, reason=f"not in {side.name}, whose user may not list it")

    def _version_gaps(self) -> Iterator[Gap]:
        for kind, fields in self.objects.left_out.items():
            (old, new), *_ = sorted(self.objects.versions[kind])
            if fields:
                where = f"not alike in {old} ({self.sides[0].name}) and {new} ({self.sides[1].name})"
                yield Gap(what=f"{kind}: {', '.join(sorted(fields))}", reason=where, versions=True)

    def _notes(self) -> Iterator[str]:
        names = [side.name for side in self.sides]
        clusters: list[Any] = [header["cluster"]["uid"] for header in self.headers]
        if all(clusters) and clusters[0] != clusters[1]:
            yield f"two clusters: {names[0]} is of {clusters[0]}, {names[1]} of {clusters[1]}"
        for side, header in zip(self.sides, self.headers, strict=True):
            without = [] if side.from_files else [f"--no-{part}" for part in header["without"]]
            if options := [*header["narrowed"], *without]:
                yield f"{side.name} was taken with {' '.join(options)}: nothing else is compared"
        if self.common.namespaces is not None and not self.common.namespaces:
            yield f"{names[0]} and {names[1]} have no namespace in common"
        if not self.objects.with_tokens:
            yield f"{names[0]} and {names[1]} hide secrets with different keys: hidden values are not compared"
