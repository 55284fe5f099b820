"""The snapshot format: the only code that writes or reads a SNAPSHOT directory. `schemas/README.md` has its chapter."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from kueuelift import object_store, yaml_text
from kueuelift.errors import UntrustedError
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_PLURAL, Kind
from kueuelift.model import Failure, KubernetesObject
from kueuelift.object_shape import shaped, shaped_crd
from kueuelift.object_store import LineFiles, line_files
from kueuelift.sealed import Format, Sealed, Writer, canonical_json, file_name, writing

FORMAT = Format(name="snapshot", version=1)
CLUSTER_SCOPED = "_cluster"
"""The line file of objects without a namespace; no namespace has such a name."""

_CRDS, _OBJECTS, _WORKLOADS = "crds", "objects", "workloads"


def place_of(kind: Kind) -> str:
    """The folder of all objects of one of Kueue's kinds."""
    return _WORKLOADS if kind.per_job else f"{_OBJECTS}/{kind.plural}"


def place_of_crd(plural: str) -> str:
    """The file of a CustomResourceDefinition of the group."""
    return f"{_CRDS}/{file_name(plural, '.yaml')}"


class SnapshotWriter:
    """Puts captured things into their places; what it is given must be redacted already."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._crds: dict[str, dict[str, Any]] = {}

    def add_crd(self, crd: KubernetesObject) -> str:
        """A CustomResourceDefinition of the group, known or not; returns its path."""
        spec = crd["spec"]
        plural = spec["names"]["plural"]
        self._crds[plural] = {
            "served": [version["name"] for version in spec["versions"] if version["served"]],
            "storage": next(version["name"] for version in spec["versions"] if version["storage"]),
            "storedVersions": (crd.get("status") or {}).get("storedVersions") or [],
        }
        return self._writer.write(place_of_crd(plural), yaml_text.dump(crd))

    def add_object(self, kind: Kind, obj: KubernetesObject) -> str:
        """A configuration object, whole."""
        return object_store.write_object(self._writer, _OBJECTS, kind, obj)

    @contextmanager
    def workloads(self) -> Iterator[LineFiles]:
        """Where Workloads are streamed to, by namespace."""
        with line_files(self._writer, _WORKLOADS) as files:
            yield files

    def add_part(self, folder: str, resource: str, obj: KubernetesObject) -> str:
        """An object of what surrounds Kueue: `installation/deployments.apps/<namespace>/<name>.yaml`."""
        metadata = obj["metadata"]
        namespace = f"{file_name(metadata['namespace'])}/" if metadata.get("namespace") else ""
        place = f"{folder}/{file_name(resource)}/{namespace}{file_name(metadata['name'], '.yaml')}"
        return self._writer.write(place, yaml_text.dump(obj))

    @contextmanager
    def part_lines(self, folder: str, resource: str) -> Iterator[LineFiles]:
        """Where the many objects of a part are streamed to: `running/jobs.batch/<namespace>.jsonl.gz`."""
        with line_files(self._writer, f"{folder}/{file_name(resource)}") as files:
            yield files

    def discard(self, folder: str) -> None:
        """Take back all of a folder: a list is in a snapshot whole or not at all."""
        self._writer.discard(folder)

    def add_helm_record(self, record: HelmRecord) -> str:
        """One revision of a release: `release.json`, values, computed values, manifest, hooks; returns its folder."""
        folder = "/".join(("helm", *(file_name(part) for part in record.folder)))
        self._writer.write(f"{folder}/release.json", canonical_json(record.info()))
        self._writer.write(f"{folder}/values.yaml", yaml_text.dump(dict(record.values)))
        self._writer.write(f"{folder}/computed.yaml", yaml_text.dump(dict(record.computed)))
        self._writer.write(f"{folder}/manifest.yaml", _stream(record.manifest))
        self._writer.write(f"{folder}/hooks.yaml", _stream(hook.to_dict() for hook in record.hooks))
        return folder

    def seal(self, header: Mapping[str, Any], volatile: Mapping[str, Any]) -> str:
        """Seal with the header's remaining fields; returns the digest."""
        kueue = {"installed": bool(self._crds), "crds": self._crds}
        return self._writer.seal({**header, "kueue": kueue}, volatile)


@contextmanager
def writing_snapshot(final: Path) -> Iterator[SnapshotWriter]:
    """A writer for a new snapshot; nothing is left behind unless it is sealed."""
    with writing(final, FORMAT) as writer:
        yield SnapshotWriter(writer)


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A sealed snapshot, read piece by piece."""

    sealed: Sealed

    @classmethod
    def open(cls, root: Path) -> Self:
        """Open a snapshot or an archive of one, and verify the header and tree; a ToolError names what is wrong."""
        return cls(sealed=Sealed.open(root, FORMAT))

    @property
    def digest(self) -> str:
        """`sha256:…`."""
        return self.sealed.digest

    @property
    def header(self) -> Mapping[str, Any]:
        """The whole header, as the JSON Schema describes it."""
        return self.sealed.header

    @property
    def whole(self) -> bool:
        """Whether nothing is missing, neither by failure nor by choice: only then may its plan be applied."""
        return bool(self.header["complete"]) and not self.header["narrowed"]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be read."""
        return tuple(Failure.from_dict(failure) for failure in self.header["failures"])

    def crds(self) -> dict[str, KubernetesObject]:
        """The captured CustomResourceDefinitions of known kinds, by plural."""
        found = {}
        for path in self.sealed.names(_CRDS):
            crd = self._crd_in(path)
            if crd["spec"]["names"]["plural"] in BY_PLURAL:
                found[crd["spec"]["names"]["plural"]] = crd
        return found

    def crd(self, plural: str) -> KubernetesObject:
        """One captured CustomResourceDefinition, whole."""
        return self._crd_in(place_of_crd(plural))

    def _crd_in(self, path: str) -> KubernetesObject:
        return shaped_crd(object_store.read_object(self.sealed, path), self.sealed.where(path), schemas=True)

    def objects(self, kind: Kind) -> Iterator[KubernetesObject]:
        """The objects of one kind; Workloads are streamed."""
        if kind.per_job:
            found = object_store.read_lines(self.sealed, _WORKLOADS)
        else:
            found = object_store.read_objects(self.sealed, _OBJECTS, kind)
        return (shaped(obj, f"{self.sealed.root}: {_told(kind, obj)}", namespaced=kind.namespaced) for obj in found)

    def parts(self, folder: str) -> Iterator[tuple[str, KubernetesObject]]:
        """What surrounds Kueue, with the name of its resource: all below `installation`, `running`, …; streamed."""
        for path in self.sealed.names(folder):
            resource = unquote(path.split("/")[1])
            yield from ((resource, obj) for obj in self.objects_in(path))

    def hashes(self, folder: str) -> dict[str, str]:
        """The SHA-256 of each file below a folder, by path: two snapshots have what is equal in equal files."""
        return {path: self.header["files"][path] for path in self.sealed.names(folder)}

    def objects_in(self, path: str) -> Iterator[KubernetesObject]:
        """The objects of one file; lines are streamed."""
        if path.endswith(".jsonl.gz"):
            yield from object_store.read_line_file(self.sealed, path)
        else:
            yield object_store.read_object(self.sealed, path)

    def count(self, kind: Kind) -> int:
        """How many objects of a kind were captured."""
        return int(self.header["lists"].get(kind.plural, {"count": 0})["count"])

    def helm_records(self) -> list[HelmRecord]:
        """All captured revisions, by where they lie, release, revision."""
        records = [self.helm_record(folder) for folder in self.helm_folders()]
        return sorted(records, key=lambda record: (record.storage_namespace, record.release, record.revision))

    def helm_folders(self) -> list[str]:
        """Where the revisions lie, one folder each."""
        return sorted({path.rpartition("/")[0] for path in self.sealed.names("helm")})

    def helm_record(self, folder: str) -> HelmRecord:
        """The revision in a folder."""

        def documents(name: str) -> list[Any]:
            path = f"{folder}/{name}"
            return list(yaml_text.load_all(self.sealed.read(path), self.sealed.where(path)))

        def mapping(name: str) -> Any:
            path = f"{folder}/{name}"
            return yaml_text.load(self.sealed.read(path), self.sealed.where(path))

        return HelmRecord.from_parts(
            _json(self.sealed.read(f"{folder}/release.json"), self.sealed.where(f"{folder}/release.json")),
            values=mapping("values.yaml"),
            computed=mapping("computed.yaml"),
            manifest=documents("manifest.yaml"),
            hooks=documents("hooks.yaml"),
            origin=self.sealed.where(folder),
        )


def _json(content: bytes, where: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise UntrustedError(f"{where}: not JSON; take the directory from its source again") from None


def _stream(documents: Iterable[Mapping[str, Any]]) -> str:
    """A text of several YAML documents."""
    return "".join(f"---\n{yaml_text.dump(document)}" for document in documents)


def _told(kind: Kind, obj: KubernetesObject) -> str:
    """What an object that may have no name is called: as much of it as there is."""
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return f"{kind.name} {name or '(no name)'}"
