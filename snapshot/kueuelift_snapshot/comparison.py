"""Compares two snapshots by meaning, section by section: what both hold; what one of them lacks is said."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kueuelift.kinds import BY_NAME, BY_PLURAL, CONFIGURATION_KINDS, KINDS, Kind
from kueuelift.model import Failure, KubernetesObject
from kueuelift.snapshot_dir import place_of
from kueuelift.text_table import listed
from kueuelift.volatile import FROM_A_CLUSTER, VOLATILE
from kueuelift_snapshot import crd_comparison, helm_comparison
from kueuelift_snapshot.changes import Changes, How
from kueuelift_snapshot.comparison_result import Comparison, Gap, Hidden, Side, Tally
from kueuelift_snapshot.comparison_scope import Common
from kueuelift_snapshot.derivation import OWNERS, unread_before, unread_in
from kueuelift_snapshot.kind_schemas import KindSchemas
from kueuelift_snapshot.object_comparison import RECREATED, Difference, ObjectComparison
from kueuelift_snapshot.pairing import Pair, count, equal_files, pairs
from kueuelift_snapshot.scope import Scope

CRDS = "CustomResourceDefinition"
_STREAMED = ("running", "dependents")
"""Parts with an object a job, which `--namespaces` narrows."""
_WORKLOAD = BY_NAME["Workload"]

Compared = Callable[[KubernetesObject, KubernetesObject], Difference]


def compare(
    before: Side, after: Side, *, show_volatile: bool = False, status: bool = True, kinds: Sequence[Kind] = ()
) -> Comparison:
    """Compare all that both hold; RefusedError or UntrustedError where one of them cannot be read.

    Without `status` that of every object is left out, but for the stored versions of a CRD. With `kinds` these of
    Kueue are compared, and nothing else.
    """
    work = _Work(before, after, kinds, show_volatile=show_volatile, status=status)
    for kind in CONFIGURATION_KINDS:
        work.kind(kind)
    if not kinds:
        work.custom_resources()
        work.helm()
        work.parts()
    for kind in KINDS:
        if kind.per_job:
            work.kind(kind)
    return work.result()


class _Work:
    """A comparison under way."""

    def __init__(self, before: Side, after: Side, kinds: Sequence[Kind], *, show_volatile: bool, status: bool) -> None:
        self.sides = (before, after)
        self.before, self.after = before.snapshot, after.snapshot
        headers = [side.snapshot.header for side in self.sides]
        self.headers = headers
        self.common = Common(scopes=(Scope.of_header(headers[0]), Scope.of_header(headers[1])), wanted=kinds)
        clusters = {header["cluster"]["uid"] for header in headers}
        self.objects = ObjectComparison(
            schemas=KindSchemas(self.before, self.after),
            with_tokens=headers[0]["redaction"]["keyId"] == headers[1]["redaction"]["keyId"],
            show_volatile=show_volatile,
            status=status,
            manifests=(before.from_files, after.from_files),
            one_cluster=len(clusters) == 1 and "" not in clusters,
        )
        self.changes = Changes()
        self.tallies: list[Tally] = []
        self.gaps: list[Gap] = []

    def custom_resources(self) -> None:
        """The CRDs, summed up."""
        if not self._lacking(CRDS, *(bool(snapshot.hashes("crds")) for snapshot in (self.before, self.after))):
            names = self.sides[0].name, self.sides[1].name
            self._section(
                CRDS, "crds", lambda before, after: crd_comparison.compared(before, after, self.objects, names)
            )

    def kind(self, kind: Kind) -> None:
        """The objects of one of Kueue's kinds."""
        if not self.common.wants(kind):
            return
        taken = [kind.plural in header["lists"] for header in self.headers]
        asked = bool(self.common.wanted)
        if self._failed(kind.crd_name):
            return
        if (reason := self.common.lacks(kind)) and (any(taken) or asked):
            self.gaps.append(Gap(what=kind.name, reason=reason, failed=asked))
        elif not any(taken):
            if asked:
                self.gaps.append(Gap(what=kind.name, reason="neither of the two has the kind"))
        elif not self._lacking(kind.name, *taken):

            def compared(before: KubernetesObject, after: KubernetesObject) -> Difference:
                return Difference(edits=self.objects.edits(before, after, kind))

            self._section(kind.name, place_of(kind), compared, many=kind.per_job, narrowed=True)

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
                self._one(tally, Pair(name, before, after), lambda *both: Difference(edits=self.objects.forms(*both)))

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
                streamed = folder in _STREAMED
                source = self._unread_source(place)
                self._section(place, place, self._plain, many=streamed, narrowed=streamed, through=source)

    def _chosen_otherwise(self, place: str, folder: str) -> str:
        """Why a part of one snapshot is not what it would be in the other, by the options that they were taken with."""
        scopes = self.common.scopes
        if folder == "running" and not all(scope.running for scope in scopes):
            return "left out of one of the two by an option"
        if folder == "running" and scopes[0].takes(_WORKLOAD) != scopes[1].takes(_WORKLOAD):
            return "found by the Workloads, which one of the two was not asked for"
        if folder in _STREAMED and not all(place in header["parts"] for header in self.headers):
            return "not asked for in one of the two" if self.common.differ else ""
        if place == OWNERS and (source := self._unread_source(place)):
            return f"sums up {source}"
        return ""

    def _unread_source(self, place: str) -> str:
        """What a part was found through and one side has not read: an object of one side only says nothing then."""
        for side, header in zip(self.sides, self.headers, strict=True):
            if sources := unread_before(place, unread_in(header)):
                return f"{listed(sources)}, not read in {side.name}"
        if place.startswith("gitops/") and self.common.configuration_differs:
            return "all that was read, which is not the same in both"
        return ""

    def _plain(self, before: KubernetesObject, after: KubernetesObject) -> Difference:
        return Difference(edits=self.objects.edits(before, after))

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

    def _section(
        self,
        what: str,
        folder: str,
        compared: Compared,
        *,
        many: bool = False,
        narrowed: bool = False,
        through: str = "",
    ) -> None:
        """All objects of a folder; `narrowed` where options may have left some out, `through` as `_unread_source`."""
        tally = self._tally(what)
        tally.same += sum(count(self.before, self.after, path) for path in equal_files(self.before, self.after, folder))
        alone = 0
        for pair in pairs(self.before, self.after, folder, self.common.has if narrowed else lambda _: True):
            if through and (pair.before is None or pair.after is None):
                alone += 1
            else:
                self._one(tally, pair, compared, many=many)
        if alone:
            objects = f"{alone} object{'' if alone == 1 else 's'} of one of the two only"
            self.gaps.append(Gap(what=what, reason=f"{objects}: found through {through}"))

    def _tally(self, what: str) -> Tally:
        self.tallies.append(Tally(what=what))
        return self.tallies[-1]

    def _one(self, tally: Tally, pair: Pair, compared: Compared, *, many: bool = False) -> None:
        found = Difference()
        how = How.REMOVED if pair.after is None else How.ADDED
        if pair.before is not None and pair.after is not None:
            found = compared(pair.before, pair.after)
            how = How.CHANGED if found else How.RECREATED
            if again := self.objects.recreated(pair.before, pair.after):
                tally.recreated += 1
                found = Difference(edits=found.edits, notes=(again if not many else RECREATED, *found.notes))
            elif not found:
                tally.same += 1
                return
        self.changes.add(how, tally.what, pair.name, found.edits, found.notes, many=many)
        tally.count(how)

    def result(self) -> Comparison:
        """All of it."""
        reasons = {known.path: known.reason for known in (*VOLATILE, *FROM_A_CLUSTER)} | {
            crd_comparison.DESCRIPTIONS: "for people; the fields themselves are compared"
        }
        if not self.objects.status:
            reasons["status"] = "left out by --no-status"
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
            for failure in self._told(side):
                failed = not other.from_files or failure.what in wanted
                yield Gap(
                    what=failure.what,
                    reason=f"not in {side.name}: {failure.reason}",
                    failed=failed and not failure.foreign,
                )
            if not self.common.wanted:
                for what in side.snapshot.header["unseen"]:
                    yield Gap(what=what, reason=f"not in {side.name}, where it cannot be listed")

    def _told(self, side: Side) -> Iterator[Failure]:
        """The failures of a side, as far as they are of something that is to be compared."""
        wanted = {kind.crd_name for kind in self.common.wanted}
        return (failure for failure in side.snapshot.failures if not wanted or failure.what in wanted)

    def _version_gaps(self) -> Iterator[Gap]:
        for kind, fields in self.objects.left_out.items():
            (old, new), *_ = sorted(self.objects.versions[kind])
            if fields:
                where = f"not alike in {old} ({self.sides[0].name}) and {new} ({self.sides[1].name})"
                yield Gap(what=f"{kind}: {', '.join(sorted(fields))}", reason=where, versions=True)

    def _notes(self) -> Iterator[str]:
        names = [side.name for side in self.sides]
        if self.common.wanted:
            yield f"--kinds={','.join(kind.plural for kind in self.common.wanted)}: nothing else is compared"
        clusters: list[Any] = [header["cluster"]["uid"] for header in self.headers]
        if all(clusters) and clusters[0] != clusters[1]:
            yield f"two clusters: {names[0]} is of {clusters[0]}, {names[1]} of {clusters[1]}"
        for side, header in zip(self.sides, self.headers, strict=True):
            without = [] if side.from_files else [f"--no-{part}" for part in header["without"]]
            if options := [*header["narrowed"], *without]:
                yield f"{side.name} was taken with {' '.join(options)}: nothing else is compared"
        if self.common.namespaces is not None and not self.common.namespaces:
            yield f"{names[0]} and {names[1]} have no namespace in common"
        if not self.objects.with_tokens and self.objects.tokens:
            yield f"{names[0]} and {names[1]} hide secrets with different keys: hidden values are not compared"
