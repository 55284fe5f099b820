"""Reads files into a snapshot: what can be read is taken, and all that cannot is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from kueuelift.errors import RefusedError
from kueuelift.manifest_stream import Broken, LeftAside, Manifest, read_stream
from kueuelift.model import Failure
from kueuelift.progress import Progress
from kueuelift.secret_text import without_secrets
from kueuelift.yaml_text import NotYamlError
from kueuelift_snapshot.file_objects import DifferingError, FileObjects
from kueuelift_snapshot.manifest_files import Text, is_one_file, read_files, shown


@dataclass(kw_only=True, slots=True)
class FileReading:
    """What has been read so far."""

    objects: FileObjects
    unparsed: list[LeftAside] = field(default_factory=list)
    """Documents and files that are no objects; those that stand for some are failures too."""
    failures: list[Failure] = field(default_factory=list)
    """What should have been read and was not, but for Helm's records."""
    _broken: list[RefusedError] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    """Where each text came from."""
    _found: bool = False

    def read(self, paths: Sequence[str], stdin: BinaryIO | None, progress: Progress) -> None:
        """Take all objects below `paths`; to be called once.

        What is broken in one of many files is a failure. RefusedError where the only file is broken, where no file
        holds an object, and where one object of Kueue's is there in two forms.
        """
        with progress.task("files") as task:
            for file in read_files(paths, stdin):
                if isinstance(file, Text):
                    self._texts.append(file.origin)
                    self._read(file)
                elif isinstance(file, Failure):
                    self.failures.append(_safe(file))
                else:
                    self._leave(file)
                task.advance()
        if self._broken and is_one_file(paths):
            self._refuse_broken(progress)
        if not self._found:
            self._refuse_nothing(paths)
        self._tell(progress)

    def _read(self, file: Text) -> None:
        try:
            for part in read_stream(file.content, file.origin):
                if isinstance(part, Broken):
                    self._break(part.origin, part.error)
                elif isinstance(part, LeftAside):
                    self._leave(part)
                else:
                    self._take(part)
        except NotYamlError as error:
            self._break(file.origin, error)

    def _take(self, manifest: Manifest) -> None:
        self._found = True
        try:
            self.objects.take(manifest)
        except DifferingError as error:
            raise RefusedError(without_secrets(str(error))) from None
        except RefusedError as error:
            self._break(manifest.origin, error)

    def _leave(self, aside: LeftAside) -> None:
        safe = replace(aside, origin=without_secrets(aside.origin), reason=without_secrets(aside.reason))
        self.unparsed.append(safe)
        if safe.remedy:
            self.failures.append(Failure(what=safe.origin, reason=safe.reason, remedy=safe.remedy))

    def _break(self, origin: str, error: RefusedError) -> None:
        self._broken.append(error)
        reason, _, remedy = str(error).removeprefix(f"{origin}: ").rpartition("; ")
        self.failures.append(_safe(Failure(what=origin, reason=reason, remedy=remedy)))

    def _refuse_broken(self, progress: Progress) -> None:
        """All that is broken is told at once."""
        first, *others = [without_secrets(str(error)) for error in self._broken]
        for other in others:
            progress.say(other)
        raise RefusedError(first + (f" (and {len(others)} more, told above)" if others else ""))

    def _refuse_nothing(self, paths: Sequence[str]) -> None:
        """The first of what might have been objects says what to do."""
        only = self._texts[0] if len(self._texts) == 1 else ""
        asides = [(it.origin, it.reason, "") for it in self.unparsed if not it.remedy]
        told = [*((it.what, it.reason, it.remedy) for it in self.failures), *asides]
        found, remedy = "", "give manifests, or what kubectl get prints with -o yaml or -o json"
        if told:
            origin, reason, mended = told[0]
            found = f": {origin.removeprefix(f'{only}, ')}: {reason}" + (
                f" (and {len(told) - 1} more)" * (len(told) > 1)
            )
            remedy = mended or remedy
        where = only or f"{len(self._texts)} files"
        given = " ".join(map(shown, paths))
        raise RefusedError(f"--from {given}: no object of Kubernetes in {where}{found}; {remedy}")

    def _tell(self, progress: Progress) -> None:
        for aside in self.unparsed:
            progress.say(f"{aside.origin}: left aside; {aside.reason}")
        for error in self._broken:
            progress.say(without_secrets(str(error)))


def _safe(failure: Failure) -> Failure:
    """As it may be told and kept: reasons repeat what was read."""
    return replace(failure, what=without_secrets(failure.what), reason=without_secrets(failure.reason))
