"""Tells the objects of files apart, by group and never by the kind's name alone, and puts each in its place, once."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

import orjson

from kueuelift import helm_payload
from kueuelift.errors import RefusedError
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import GROUP, KINDS, Kind, group_of, kind_of, version_of
from kueuelift.manifest_stream import Manifest
from kueuelift.model import Failure, KubernetesObject, ObjectRef
from kueuelift.object_shape import shaped, shaped_crd
from kueuelift.object_store import LineFiles
from kueuelift.snapshot_dir import CLUSTER_SCOPED, SnapshotWriter
from kueuelift.volatile import split
from kueuelift_snapshot.helm_releases import Releases
from kueuelift_snapshot.listing import Listing
from kueuelift_snapshot.redaction import HiddenPaths, Redacted, Redactor

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


class DifferingError(RefusedError):
    """One object in two forms: nobody but the operator knows which of them counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Placed:
    """What is kept of an object that surrounds Kueue, and where."""

    folder: str
    """`installation`, `gitops`, `running` or `dependents`."""
    resource: str
    """`deployments.apps`."""
    value: KubernetesObject
    lines: bool = False
    """Whether there are so many that they are written as lines."""


@dataclass(frozen=True, slots=True)
class Later:
    """Objects that are still to come decide; whoever says so holds the object."""


ODD_SHAPE = (AttributeError, KeyError, TypeError, ValueError)
"""What a look at an object raises that has another shape than its kind: no server would take it."""


class Surroundings(Protocol):
    """Knows what surrounds Kueue, from all that is seen in one run."""

    def see(self, obj: KubernetesObject) -> None:
        """Take in an object or CRD of Kueue's own."""

    def place(self, obj: KubernetesObject) -> Placed | Later | None:
        """Where another object goes, shown once; None for what has nothing to do with Kueue."""

    def suspects(self, namespace: str, release: str) -> bool:
        """Whether a Helm release could have to do with Kueue; asked when all were seen."""

    def rest(self, releases: Sequence[HelmRecord]) -> Iterator[Placed]:
        """What is kept of the objects that waited, and what all of them say; asked once, when all were seen."""


@dataclass(kw_only=True, slots=True)
class FileObjects:
    """What has been taken so far. To be left (`with`) before the snapshot is sealed."""

    writer: SnapshotWriter
    redactor: Redactor
    surroundings: Surroundings
    lists: dict[str, Listing] = field(default_factory=dict)
    crds: set[str] = field(default_factory=set)
    """Plurals of the group's CRDs, known or not."""
    helm_records: list[HelmRecord] = field(default_factory=list)
    parts: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    """How many objects came again; the first form of each was taken."""
    _releases: Releases = field(init=False)
    _hidden: dict[str, HiddenPaths] = field(default_factory=dict)
    _seen: dict[tuple[str, str, str, str], tuple[bytes, str]] = field(default_factory=dict)
    """By group, kind, namespace and name: the hash of what does not change by itself, and where it came from."""
    _waiting: Counter[str] = field(default_factory=Counter)
    """By kind: objects of which the surroundings say later whether they are foreign."""
    _open: ExitStack = field(default_factory=ExitStack)
    _lines: dict[str, LineFiles] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._releases = Releases(self.redactor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def take(self, manifest: Manifest) -> None:
        """Write one object, or count it as foreign; RefusedError names its origin where it lacks its shape.

        One that came before is only counted. DifferingError where Kueue's own, or a Helm record, is not what it was,
        but for what changes by itself.
        """
        obj = manifest.value
        group, kind_name = group_of(obj["apiVersion"]), obj["kind"]
        kind = kind_of(obj)
        if kind is not None:
            self._take_kueue(kind, manifest)
        elif (group, kind_name) == _CRD and _is_of_kueue(obj):
            self._take_crd(manifest)
        elif not group and helm_payload.is_record(obj):
            self._take_record(manifest)
        else:
            self._take_other(obj, manifest.origin)

    def take_rest(self) -> None:
        """Write what could not be placed before everything was seen; to be called once, when all objects are taken."""
        for placed in self.surroundings.rest(self.helm_records):
            self._waiting[_kind_of(placed.value)] -= 1
            self._write_part(placed)
        self.foreign += +self._waiting

    def failures(self) -> list[Failure]:
        """Helm's records that could not be read; to be asked for once all objects and the rest are taken."""
        return self._releases.failures(self.surroundings.suspects)

    def closed_lists(self) -> dict[str, Listing]:
        """The lists in the order of the kinds, each with the version that most of its objects have."""
        ordered = {kind.plural: self.lists[kind.plural] for kind in KINDS if kind.plural in self.lists}
        for listing in ordered.values():
            listing.version = max(listing.versions, key=lambda version: (listing.versions[version], version))
        return ordered

    def hidden_paths(self) -> dict[str, dict[str, int]]:
        """By file and field: how many values became tokens."""
        return {path: account.to_dict() for path, account in sorted(self._hidden.items())}

    def _take_kueue(self, kind: Kind, manifest: Manifest) -> None:
        obj = shaped(manifest.value, manifest.origin, namespaced=kind.namespaced)
        if not self._is_new(obj, manifest.origin, namespaced=kind.namespaced):
            return
        listing = self.lists.setdefault(kind.plural, Listing(version=version_of(obj["apiVersion"]) or "", stored=False))
        listing.add(obj)
        self.surroundings.see(obj)
        redacted = self.redactor.of_object(obj)
        if kind.per_job:
            self._account(self._workloads().add(obj["metadata"]["namespace"], redacted.value), redacted)
        else:
            self._account(self.writer.add_object(kind, redacted.value), redacted)

    def _take_crd(self, manifest: Manifest) -> None:
        obj = shaped_crd(manifest.value, manifest.origin, schemas=True)
        if self._is_new(obj, manifest.origin, namespaced=False):
            self.crds.add(obj["spec"]["names"]["plural"])
            self.surroundings.see(obj)
            redacted = self.redactor.of_object(obj)
            self._account(self.writer.add_crd(redacted.value), redacted)

    def _take_record(self, manifest: Manifest) -> None:
        obj = shaped(manifest.value, manifest.origin, namespaced=True)
        release = self._releases.take(obj) if self._is_new(obj, manifest.origin) else None
        if release is not None:
            folder = self.writer.add_helm_record(release.record)
            self.helm_records.append(release.record.without_content())
            for name, redacted in release.hidden.items():
                self._account(f"{folder}/{name}", redacted)

    def _take_other(self, obj: KubernetesObject, origin: str) -> None:
        try:
            whole = shaped(obj, origin)
        except RefusedError:
            self.foreign[_kind_of(obj)] += 1  # Without name or shape no server has it, and it runs nothing.
            return
        identity = _identity(whole)
        if identity in self._seen:
            self.repeated += 1
            return
        placed = self.surroundings.place(whole)
        if placed is None:
            self.foreign[_kind_of(obj)] += 1
            return
        self._seen[identity] = (b"", origin)
        if isinstance(placed, Later):
            self._waiting[_kind_of(obj)] += 1
        else:
            self._write_part(placed)

    def _write_part(self, placed: Placed) -> None:
        part = f"{placed.folder}/{placed.resource}"
        self.parts[part] += 1
        redacted = self.redactor.of_object(placed.value)
        if not placed.lines:
            self._account(self.writer.add_part(placed.folder, placed.resource, redacted.value), redacted)
            return
        if part not in self._lines:
            self._lines[part] = self._open.enter_context(self.writer.part_lines(placed.folder, placed.resource))
        namespace = placed.value["metadata"].get("namespace") or CLUSTER_SCOPED
        self._account(self._lines[part].add(namespace, redacted.value), redacted)

    def _workloads(self) -> LineFiles:
        if "" not in self._lines:
            self._lines[""] = self._open.enter_context(self.writer.workloads())
        return self._lines[""]

    def _is_new(self, obj: KubernetesObject, origin: str, *, namespaced: bool = True) -> bool:
        """Whether an object has not been taken yet; DifferingError where it is another one than before."""
        identity = _identity(obj, namespaced=namespaced)
        lasting = _hash_of(split(obj)[0])
        if identity not in self._seen:
            self._seen[identity] = (lasting, origin)
            return True
        before, where = self._seen[identity]
        if before != lasting:
            raise DifferingError(f"{ObjectRef.of(obj)}: differs between {where} and {origin}; leave one of the two out")
        self.repeated += 1
        return False

    def _account(self, path: str, redacted: Redacted) -> None:
        if redacted.hidden:
            self._hidden.setdefault(path, HiddenPaths()).add(redacted)


def _kind_of(obj: KubernetesObject) -> str:
    """`Pod`, `Workload.scheduling.k8s.io`."""
    group = group_of(obj["apiVersion"])
    return f"{obj['kind']}.{group}" if group else str(obj["kind"])


def _identity(obj: KubernetesObject, *, namespaced: bool = True) -> tuple[str, str, str, str]:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace") or "" if namespaced else ""
    return group_of(obj["apiVersion"]), obj["kind"], namespace, metadata["name"]


def _hash_of(value: Any) -> bytes:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).digest()


def _is_of_kueue(crd: KubernetesObject) -> bool:
    spec = crd.get("spec")
    return isinstance(spec, dict) and spec.get("group") == GROUP
