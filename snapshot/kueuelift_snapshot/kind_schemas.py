"""The schemas that Kueue's objects are read by: those of the snapshot's own CRDs, else the nearest to be had."""

from functools import cache

from kueuelift import crd as crds
from kueuelift.kinds import Kind
from kueuelift.model import KubernetesObject
from kueuelift.snapshot_dir import Snapshot, place_of_crd
from kueuelift.structural_steps import Schema


class KindSchemas:
    """Of two snapshots; a CRD is read when it is asked for, since each has some hundred kilobytes."""

    def __init__(self, before: Snapshot, after: Snapshot) -> None:
        self._sides = (before, after)
        self._crds: dict[tuple[str, str], KubernetesObject] = {}
        """By plural and hash: most often both have the same one."""

    def of(self, kind: Kind, before: str, after: str) -> tuple[Schema | None, Schema | None]:
        """The schemas of two versions, one for each side; None where nothing is known of a version."""
        return self._one(kind, before, 0), self._one(kind, after, 1)

    def _one(self, kind: Kind, version: str, side: int) -> Schema | None:
        for snapshot in (self._sides[side], self._sides[1 - side]):
            crd = self._captured(kind, snapshot)
            if crd is not None and version in crds.versions(crd):
                return crds.schema(crd, version)
        return _bundled(kind.plural, version)

    def _captured(self, kind: Kind, snapshot: Snapshot) -> KubernetesObject | None:
        digest = snapshot.header["files"].get(place_of_crd(kind.plural))
        if digest is None:
            return None
        if (kind.plural, digest) not in self._crds:
            self._crds[kind.plural, digest] = snapshot.crd(kind.plural)
        return self._crds[kind.plural, digest]


@cache
def _bundled(plural: str, version: str) -> Schema | None:
    """Of the newest bundled release that has the version."""
    for release in reversed(crds.bundled_releases()):
        crd = crds.bundled(release, service=None)[plural]
        if version in crds.versions(crd):
            return crds.schema(crd, version)
    return None
