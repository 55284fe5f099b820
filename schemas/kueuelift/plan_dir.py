"""The plan format: the only code that writes or reads a PLAN directory. `schemas/README.md` has its chapter."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Self

import orjson

from kueuelift import object_store, yaml_text
from kueuelift.errors import UntrustedError
from kueuelift.kinds import Kind
from kueuelift.model import Finding, KubernetesObject, LossEntry, Phase, Step
from kueuelift.object_store import LineFiles, line_files
from kueuelift.sealed import Format, Sealed, Writer, canonical_json, file_name, writing

FORMAT = Format(name="plan", version=1)
FINDINGS, LOSSES = "findings.json", "losses.json"


class PlanWriter:
    """Puts the results of a transform into their places."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def add_manifest(self, kind: Kind, obj: KubernetesObject) -> None:
        """A configuration object in stored form, without server metadata and status."""
        object_store.write_object(self._writer, "manifests", kind, obj)

    def add_original(self, kind: Kind, obj: KubernetesObject) -> None:
        """A configuration object as snapshotted, for drift and undo."""
        object_store.write_object(self._writer, "originals", kind, obj)

    @contextmanager
    def workload_manifests(self) -> Iterator[LineFiles]:
        """Where Workloads in stored form are streamed to, by namespace."""
        with line_files(self._writer, "manifests/workloads") as files:
            yield files

    @contextmanager
    def workload_identities(self) -> Iterator[LineFiles]:
        """Where the identities of the snapshot's Workloads are streamed to, by namespace."""
        with line_files(self._writer, "originals/workloads") as files:
            yield files

    def add_crd(self, hop: str, plural: str, crd: KubernetesObject) -> str:
        """A CustomResourceDefinition as a hop installs it; returns its path, for a step's arguments."""
        return self._writer.write(f"crds/{hop}/{file_name(plural, '.yaml')}", yaml_text.dump(crd))

    def add_text(self, path: str, content: bytes | str) -> str:
        """A report, a chart or another file by its path of the format chapter."""
        return self._writer.write(path, content)

    def add_findings(self, findings: list[Finding]) -> None:
        """`findings.json`."""
        self._writer.write(FINDINGS, canonical_json([finding.to_dict() for finding in findings]))

    def add_losses(self, losses: list[LossEntry]) -> None:
        """`losses.json`."""
        self._writer.write(LOSSES, canonical_json([loss.to_dict() for loss in losses]))

    def seal(self, header: Mapping[str, Any], phases: list[Phase], steps: list[Step]) -> str:
        """Seal; returns the digest. A plan has nothing volatile: the same snapshot gives the same bytes."""
        planned = {"phases": [phase.to_dict() for phase in phases], "steps": [step.to_dict() for step in steps]}
        return self._writer.seal({**header, **planned}, {})


@contextmanager
def writing_plan(final: Path) -> Iterator[PlanWriter]:
    """A writer for a new plan; nothing is left behind unless it is sealed."""
    with writing(final, FORMAT) as writer:
        yield PlanWriter(writer)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A sealed plan, read piece by piece."""

    sealed: Sealed
    _documents: dict[str, KubernetesObject] = field(default_factory=dict, repr=False, compare=False)
    """Steps ask for the same eleven CRDs again and again, some of them once a second."""

    @classmethod
    def open(cls, root: Path) -> Self:
        """Open and verify header, tree and every byte: nothing of an altered plan is ever carried out.

        `root` is the plan, or an archive of it.
        """
        sealed = Sealed.open(root, FORMAT)
        sealed.verify()
        return cls(sealed=sealed)

    @property
    def digest(self) -> str:
        """`sha256:…`, as the ticket names it."""
        return self.sealed.digest

    @property
    def header(self) -> Mapping[str, Any]:
        """The whole header, as the JSON Schema describes it."""
        return self.sealed.header

    @property
    def cluster_uid(self) -> str:
        """The uid of the one cluster that this plan is for."""
        return str(self.header["cluster"]["uid"])

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases, in order."""
        return tuple(Phase(**phase) for phase in self.header["phases"])

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in order."""
        return tuple(Step.from_dict(step) for step in self.header["steps"])

    def manifests(self, kind: Kind) -> Iterator[KubernetesObject]:
        """What the objects of one kind will be; Workloads are streamed."""
        if kind.per_job:
            return object_store.read_lines(self.sealed, "manifests/workloads")
        return object_store.read_objects(self.sealed, "manifests", kind)

    def originals(self, kind: Kind) -> Iterator[KubernetesObject]:
        """The configuration objects of one kind, as snapshotted."""
        return object_store.read_objects(self.sealed, "originals", kind)

    def workload_identities(self) -> Iterator[dict[str, Any]]:
        """One line a Workload: namespace, name, uid, generation, finished, owners; streamed."""
        return object_store.read_lines(self.sealed, "originals/workloads")

    def findings(self) -> list[dict[str, Any]]:
        """What the operator must know, as `add_findings` wrote it; UntrustedError where it is no list of objects."""
        return self._list(FINDINGS)

    def losses(self) -> list[dict[str, Any]]:
        """What became of fields, as `add_losses` wrote it; UntrustedError where it is no list of objects."""
        return self._list(LOSSES)

    def _list(self, path: str) -> list[dict[str, Any]]:
        where = self.sealed.where(path)
        try:
            found = orjson.loads(self.sealed.read(path))
        except orjson.JSONDecodeError as error:
            raise UntrustedError(f"{where}: not readable ({error}); make the plan again") from None
        if not isinstance(found, list) or not all(isinstance(it, dict) for it in found):
            raise UntrustedError(f"{where}: no list of objects; make the plan again")
        return found

    def document(self, path: str) -> KubernetesObject:
        """One YAML document by its path, a CRD say; read and verified once, so never to be changed."""
        if path not in self._documents:
            self._documents[path] = yaml_text.load(self.sealed.read(path), self.sealed.where(path))
        return self._documents[path]

    @contextmanager
    def file(self, path: str) -> Iterator[Path]:
        """A verified copy of a file on disk, for programs such as helm; for its owner only, and gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="kueuelift.") as folder:
            copy = Path(folder) / PurePosixPath(path).name
            copy.write_bytes(self.sealed.read(path))
            yield copy
