"""The engine of a snapshot: takes lists one after the other, redacted, into it; each list whole or not at all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from kueuelift import crd as custom_resource
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL, GROUP, Kind
from kueuelift.model import Failure, KubernetesObject
from kueuelift.object_shape import shaped, shaped_crd, with_metadata
from kueuelift.progress import Progress, Silence, Task
from kueuelift.snapshot_dir import CLUSTER_SCOPED, SnapshotWriter, place_of
from kueuelift_snapshot.api import NO_QUERY, AnswerError, Api
from kueuelift_snapshot.discovery import Served, ServedResource, all_crds, of_crd
from kueuelift_snapshot.failure_text import failure_of
from kueuelift_snapshot.listing import Listing, Reading
from kueuelift_snapshot.pages import GONE, Page, parsed, read_pages
from kueuelift_snapshot.redaction import HiddenPaths, Redacted, Redactor
from kueuelift_snapshot.resource import CRDS, Resource
from kueuelift_snapshot.scope import Scope
from kueuelift_snapshot.served import versions_to_list

Result = TypeVar("Result")
Keep = Callable[[KubernetesObject], KubernetesObject | None]
"""What is kept of an object; None where nothing is."""

Put = Callable[[KubernetesObject], str]
"""Writes one redacted object; returns its file's path."""

RESTARTS = 2
"""How often a list whose continue token expired begins again, before it goes on at another moment than it began."""

_FOR_NOBODY = frozenset({404, 405})
"""Answers that say no more than that a kind cannot be listed at all."""


@dataclass(kw_only=True, slots=True)
class Capture:
    """What has been taken so far, and the means to take more."""

    api: Api
    writer: SnapshotWriter
    redactor: Redactor
    progress: Progress
    scope: Scope = field(default_factory=Scope)
    observers: list[Callable[[KubernetesObject], None]] = field(default_factory=list)
    """Each is shown every object that is kept, as it came, perhaps twice."""
    lists: dict[str, Listing] = field(default_factory=dict)
    """By plural."""
    readings: dict[str, Reading] = field(default_factory=dict)
    """How each list was read, by plural of Kueue's kinds, else by folder and resource."""
    parts: dict[str, int] = field(default_factory=dict)
    """By folder and resource: how many objects were kept."""
    unseen: set[str] = field(default_factory=set)
    """Resources that a snapshot can do without and that the server lists for nobody."""
    failures: list[Failure] = field(default_factory=list)
    hidden: dict[str, HiddenPaths] = field(default_factory=dict)
    """By file: where tokens stand."""
    custom: list[ServedResource] = field(default_factory=list)
    """Every served kind of another group that a CRD defines, in its stored version where that is served."""
    served: Served = field(init=False)

    def __post_init__(self) -> None:
        self.served = Served(api=self.api)

    def crds(self) -> dict[str, KubernetesObject]:
        """Every CRD of the group, by plural; RefusedError where they cannot be listed, since all else hangs on them."""
        found: dict[str, KubernetesObject] = {}
        with self.progress.task(CRDS.plural) as task:
            for crd in all_crds(self.api):
                if crd["spec"].get("group") == GROUP:
                    found[crd["spec"]["names"]["plural"]] = shaped_crd(crd, crd["metadata"]["name"], schemas=True)
                elif kind := of_crd(crd):
                    self.custom.append(kind)
            for _, crd in sorted(found.items()):
                self.write(crd, self.writer.add_crd)
                task.advance()
        for plural in sorted(found.keys() - BY_PLURAL.keys()):
            self.progress.say(f"{plural}.{GROUP}: a kind that this version does not know; its objects are not read")
        return found

    def objects(self, kind: Kind, crd: KubernetesObject) -> None:
        """All objects of one kind, or a failure and none of them."""
        versions = versions_to_list(crd, self.scope.versions.get(kind.plural, ""))
        if not versions:
            reason, remedy = "no version of the kind is served", "serve its storage version in the CRD, then run again"
            self.fail(Failure(what=kind.crd_name, reason=reason, remedy=remedy))
            return
        stored = versions[0] == custom_resource.storage_version(crd)
        with self.progress.task(kind.plural) as task:

            def read(tolerant: bool) -> Listing:
                listing, reading = Listing(version=versions[0], stored=stored), Reading()
                with self._place(kind) as put:
                    for page in reading.through(self._pages_of(kind, versions, tolerant=tolerant)):
                        for obj in page.items:
                            self.write(obj, put)
                            listing.add(obj)
                        task.advance(len(page.items))
                self.readings[kind.plural] = reading
                return listing

            resource = Resource(group=GROUP, version=versions[0], plural=kind.plural)
            listing = self.whole(resource, read, discard=lambda: self.discard(place_of(kind)))
        if listing is not None:
            self.lists[kind.plural] = listing

    def part(
        self,
        folder: str,
        resource: Resource,
        keep: Keep,
        *,
        namespaces: Sequence[str] = (),
        query: Mapping[str, str] = NO_QUERY,
        lines: bool = False,
        optional: bool = False,
    ) -> int:
        """List what surrounds Kueue and write what `keep` leaves of it below `<folder>/<resource>/`.

        One YAML an object, or with `lines` streamed by namespace. Listed are `namespaces`, or all of the cluster.
        A list that fails is a failure of the snapshot; an `optional` one may be of what the server lists for nobody.
        `keep` may see an object twice. Returns how many were kept.
        """
        place = f"{folder}/{resource.name}"
        paths = [resource.path(namespace) for namespace in namespaces or ("",)]
        with (Silence() if optional else self.progress).task(place) as task:

            def read(tolerant: bool) -> int:
                reading = Reading()
                pages = (it for path in paths for it in read_pages(self.api, path, query=query, tolerant=tolerant))
                with self._place_of_part(folder, resource, lines=lines) as put:
                    kept = (obj for page in reading.through(pages) for obj in map(keep, page.items) if obj is not None)
                    count = self._write_all(kept, put, task)
                self.readings[place] = reading
                return count

            count = self.whole(resource, read, discard=lambda: self.discard(place), optional=optional) or 0
        if count:
            self.parts[place] = self.parts.get(place, 0) + count
        return count

    def look(self, resource: Resource, see: Callable[[KubernetesObject], None], *, forget: Callable[[], None]) -> None:
        """Show every object of a list, and write none; `forget` where the list begins again, or has failed."""
        with self.progress.task(resource.name) as task:

            def read(tolerant: bool) -> None:
                reading = Reading()
                for page in reading.through(read_pages(self.api, resource.path(), tolerant=tolerant)):
                    for obj in page.items:
                        see(obj)
                    task.advance(len(page.items))
                self.readings[resource.name] = reading

            self.whole(resource, read, discard=forget)

    def one(self, folder: str, resource: Resource, namespace: str, name: str) -> KubernetesObject | None:
        """One object, written below `<folder>/<resource>/`; None where there is none, or it may not be read."""
        path = f"{resource.path(namespace)}/{name}"
        try:
            found = with_metadata(parsed(self.api.get(path), path), path)
        except AnswerError as error:
            if error.status != 404:
                self.fail(failure_of(resource, error))
            return None
        except RefusedError as error:
            self.fail(failure_of(resource, AnswerError(path, status=200, message=str(error))))
            return None
        self.add(folder, resource.name, found)
        return found

    def add(self, folder: str, resource: str, obj: KubernetesObject) -> None:
        """An object, perhaps of our own making, below `<folder>/<resource>/`."""
        self.write(obj, lambda redacted: self.writer.add_part(folder, resource, redacted))
        place = f"{folder}/{resource}"
        self.parts[place] = self.parts.get(place, 0) + 1

    def find(self, group: str, plural: str) -> ServedResource | None:
        """A resource that the cluster may serve; None where it does not, or where it does not tell: a failure."""
        try:
            return self.served.find(group, plural)
        except AnswerError as error:
            self.fail(failure_of(Resource(group=group, version="", plural=plural), error))
            return None

    def whole(
        self,
        resource: Resource,
        read: Callable[[bool], Result],
        *,
        discard: Callable[[], None],
        optional: bool = False,
    ) -> Result | None:
        """What `read` gives, told whether to go on from an expired token at another moment than it began.

        It begins again where its list expires. What failed is taken back by `discard`, and is a failure.
        """
        for attempt in range(RESTARTS + 1):
            last = attempt == RESTARTS
            try:
                return read(last)
            except AnswerError as error:
                discard()
                if error.status == GONE and not last:
                    self.progress.say(f"{resource.name}: the list expired while it was read, beginning again")
                    continue
                if optional and error.status in _FOR_NOBODY:
                    self.unseen.add(resource.name)
                else:
                    self.fail(failure_of(resource, error))
                break
        return None

    def fail(self, failure: Failure) -> None:
        """Note what should be there and is not, once; a right that is missing in several places, for the first."""
        known = [(it.what, it.rule or it) for it in self.failures]
        if (failure.what, failure.rule or failure) not in known:
            self.failures.append(failure)
            self.progress.say(f"{failure.what}: not read; {failure.reason}")

    def write(self, obj: KubernetesObject, put: Put) -> None:
        """Redact and write one object."""
        for observer in self.observers:
            observer(obj)
        redacted = self.redactor.of_object(obj)
        self.account(put(redacted.value), redacted)

    def account(self, path: str, redacted: Redacted) -> None:
        """Note what has been hidden in a file."""
        if redacted.hidden:
            self.hidden.setdefault(path, HiddenPaths()).add(redacted)

    def discard(self, folder: str) -> None:
        """Take back all that was written below a folder."""
        self.writer.discard(folder)
        for path in [path for path in self.hidden if path.startswith(f"{folder}/")]:
            del self.hidden[path]

    def _pages_of(self, kind: Kind, versions: list[str], *, tolerant: bool) -> Iterator[Page]:
        """The pages of a kind, of one namespace after the other where the scope names some."""
        resources = [Resource(group=GROUP, version=version, plural=kind.plural) for version in versions]
        for namespace in (self.scope.namespaces if kind.namespaced else ()) or ("",):
            first, *otherwise = [resource.path(namespace) for resource in resources]
            shape = partial(shaped, namespaced=kind.namespaced)
            yield from read_pages(self.api, first, tolerant=tolerant, otherwise=otherwise, shape=shape)

    @contextmanager
    def _place(self, kind: Kind) -> Iterator[Put]:
        """Where the objects of a kind go, one at a time."""
        if not kind.per_job:
            yield lambda obj: self.writer.add_object(kind, obj)
            return
        with self.writer.workloads() as files:
            yield lambda obj: files.add(obj["metadata"]["namespace"], obj)

    @contextmanager
    def _place_of_part(self, folder: str, resource: Resource, *, lines: bool) -> Iterator[Put]:
        if not lines:
            yield lambda obj: self.writer.add_part(folder, resource.name, obj)
            return
        with self.writer.part_lines(folder, resource.name) as files:
            yield lambda obj: files.add(obj["metadata"].get("namespace") or CLUSTER_SCOPED, obj)

    def _write_all(self, objects: Iterable[KubernetesObject], put: Put, task: Task) -> int:
        """Write objects as they come; how many."""
        count = 0
        for count, obj in enumerate(objects, 1):  # noqa: B007 - the last number is the answer
            self.write(obj, put)
            task.advance()
        return count
