"""What a comparison of two snapshots found, and what it could not look at."""

from dataclasses import dataclass

from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.changes import Change, How


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the two snapshots."""

    name: str
    """As the operator calls it: a path, `the live cluster`."""
    snapshot: Snapshot

    @property
    def from_files(self) -> bool:
        """Whether it was made from manifests, which hold what somebody wrote and nothing else."""
        return bool(self.snapshot.header["origin"] == "files")


@dataclass(kw_only=True, slots=True)
class Tally:
    """What became of the objects of one section."""

    what: str
    same: int = 0
    changed: int = 0
    added: int = 0
    removed: int = 0
    recreated: int = 0
    """How many of those that are the same, or changed, were deleted and made again."""

    def count(self, how: How) -> None:
        """One more that differs."""
        match how:
            case How.CHANGED:
                self.changed += 1
            case How.ADDED:
                self.added += 1
            case How.REMOVED:
                self.removed += 1
            case How.RECREATED:
                self.same += 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """Something that was not compared."""

    what: str
    reason: str
    failed: bool = False
    """Whether it should have been there: a snapshot is incomplete."""
    versions: bool = False
    """Whether these are fields that the versions of both sides do not have alike."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hidden:
    """A volatile field that differs."""

    field: str
    reason: str
    objects: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What two snapshots have in common, and what not."""

    before: Side
    after: Side
    tallies: tuple[Tally, ...]
    changes: tuple[Change, ...]
    hidden: tuple[Hidden, ...]
    tokens_compared: bool
    tokens: int
    """Hidden values that were not compared."""
    gaps: tuple[Gap, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """As kubectl diff has it: 0 same, 1 different; 3 where not all could be compared.

        Nothing that could be compared differs, and there is more that could not: that is no 0.
        """
        if any(gap.failed for gap in self.gaps):
            return 3
        if any(change.how is not How.RECREATED for change in self.changes):
            return 1
        return 3 if self.tokens or any(gap.versions for gap in self.gaps) else 0
