"""Takes the parts of a cluster one after the other, redacted, into a snapshot: each list whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_PLURAL, GROUP, Kind
from kueuelift.model import Failure, KubernetesObject
from kueuelift.progress import Progress, Task
from kueuelift.snapshot_dir import SnapshotWriter
from kueuelift_snapshot import helm_releases
from kueuelift_snapshot.api import AnswerError, Api
from kueuelift_snapshot.failure_text import CRDS, SECRETS, Resource, failure_of, refusal_of
from kueuelift_snapshot.pages import GONE, read_pages
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.served import version_to_list

Result = TypeVar("Result")

CRDS_A_PAGE = 50
"""A cluster may have hundreds of CRDs of some hundred kilobytes each."""

RESTARTS = 2
"""How often a list whose continue token expired begins again, before it goes on at another moment than it began."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """One list, read to its end."""

    version: str
    count: int
    tokens: dict[str, int]
    """By file."""
    told: dict[str, Any]
    """What changes by itself: the resourceVersion, the pages, whether all of it is of one moment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Releases:
    records: list[HelmRecord]
    failures: list[Failure]
    tokens: dict[str, int]


@dataclass(kw_only=True, slots=True)
class Capture:
    """What has been taken so far, and the means to take more."""

    api: Api
    writer: SnapshotWriter
    redactor: Redactor
    progress: Progress
    lists: dict[str, Listing] = field(default_factory=dict)
    """By plural."""
    failures: list[Failure] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    """By file."""
    helm_records: list[HelmRecord] = field(default_factory=list)

    def crds(self) -> dict[str, KubernetesObject]:
        """Every CRD of the group, by plural; RefusedError where they cannot be listed, since all else hangs on them."""
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        found: dict[str, KubernetesObject] = {}
        with self.progress.task("customresourcedefinitions") as task:
            try:
                for page in read_pages(self.api, path, limit=CRDS_A_PAGE, tolerant=True):
                    found |= {
                        crd["spec"]["names"]["plural"]: crd for crd in page.items if crd["spec"]["group"] == GROUP
                    }
            except AnswerError as error:
                raise refusal_of(CRDS, error) from None
            for _, crd in sorted(found.items()):
                redacted = self.redactor.of_object(crd)
                _count(self.tokens, self.writer.add_crd(redacted.value), redacted.tokens)
                task.advance()
        for plural in sorted(found.keys() - BY_PLURAL.keys()):
            self.progress.say(f"{plural}.{GROUP}: a kind that this version does not know; its objects are not read")
        return found

    def objects(self, kind: Kind, crd: KubernetesObject) -> None:
        """All objects of one kind, or a failure and none of them."""
        listed = version_to_list(crd)
        if listed is None:
            reason, remedy = "no version of the kind is served", "serve its storage version in the CRD, then run again"
            self.failures.append(Failure(what=kind.crd_name, reason=reason, remedy=remedy))
            return
        with self.progress.task(kind.plural) as task:
            listing = self._whole(
                Resource(group=GROUP, plural=kind.plural),
                read=lambda tolerant: self._read_objects(kind, listed, task, tolerant=tolerant),
                discard=lambda: self.writer.discard_objects(kind),
            )
        if listing is not None:
            self.lists[kind.plural] = listing
            self.tokens |= listing.tokens

    def helm_releases(self) -> None:
        """Every release record that touches Kueue, in all namespaces; each unreadable one is a failure of its own."""
        with self.progress.task("helm releases") as task:
            releases = self._whole(
                SECRETS,
                read=lambda tolerant: self._read_releases(task, tolerant=tolerant),
                discard=self.writer.discard_helm_records,
            )
        if releases is not None:
            self.helm_records += releases.records
            self.failures += releases.failures
            self.tokens |= releases.tokens

    def _whole(
        self, resource: Resource, *, read: Callable[[bool], Result], discard: Callable[[], None]
    ) -> Result | None:
        """What `read` gives; begun again where the list expired, taken back and told as a failure where it failed."""
        for attempt in range(RESTARTS + 1):
            last = attempt == RESTARTS
            try:
                return read(last)
            except AnswerError as error:
                discard()
                if error.status == GONE and not last:
                    self.progress.say(f"{resource.name}: the list expired while it was read, beginning again")
                    continue
                self.failures.append(failure_of(resource, error))
                self.progress.say(f"{resource.name}: not read; {self.failures[-1].reason}")
                break
        return None

    def _read_objects(self, kind: Kind, version: str, task: Task, *, tolerant: bool) -> Listing:
        count, pages, tokens = 0, 0, dict[str, int]()
        with self._place(kind) as put:
            for page in read_pages(self.api, f"/apis/{GROUP}/{version}/{kind.plural}", tolerant=tolerant):
                for obj in page.items:
                    redacted = self.redactor.of_object(obj)
                    _count(tokens, put(redacted.value), redacted.tokens)
                count, pages = count + len(page.items), pages + 1
                task.advance(len(page.items))
        told = {"resourceVersion": page.resource_version, "pages": pages, "consistent": page.consistent}
        return Listing(version=version, count=count, tokens=tokens, told=told)

    @contextmanager
    def _place(self, kind: Kind) -> Iterator[Callable[[KubernetesObject], str]]:
        """Where the objects of a kind go, one at a time; each call returns the file's path."""
        if not kind.per_job:
            yield lambda obj: self.writer.add_object(kind, obj)
            return
        with self.writer.workloads() as files:
            yield lambda obj: files.add(obj["metadata"]["namespace"], obj)

    def _read_releases(self, task: Task, *, tolerant: bool) -> _Releases:
        records, failures, tokens = list[HelmRecord](), list[Failure](), dict[str, int]()
        pages = read_pages(
            self.api, helm_releases.PATH, limit=helm_releases.SECRETS, query=helm_releases.QUERY, tolerant=tolerant
        )
        for secret in (secret for page in pages for secret in page.items):
            found = helm_releases.read_release(secret, self.redactor)
            if isinstance(found, Failure):
                self.progress.say(f"{found.what}: {found.reason}")
                failures.append(found)
            elif found is not None:
                folder = self.writer.add_helm_record(found.record)
                _count(tokens, f"{folder}/values.yaml", found.value_tokens)
                _count(tokens, f"{folder}/manifest.yaml", found.manifest_tokens)
                records.append(found.record)
                task.advance()
        return _Releases(records=records, failures=failures, tokens=tokens)


def _count(tokens: dict[str, int], path: str, more: int) -> None:
    if more:
        tokens[path] = tokens.get(path, 0) + more
