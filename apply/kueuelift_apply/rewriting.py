"""Storage migration of one kind: every object is written once at the new version, until nothing old is left.

A conflict means read again; not-found is done; a refused object is listed and the rest goes on. The storage version
of an object cannot be read, so the proof is a whole list taken after the storage flip, each object rewritten or gone.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from kueuelift.errors import PartlyDoneError
from kueuelift.kinds import Kind
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift_apply.live import WRITERS, ApiError, Live, collection, object_path
from kueuelift_apply.renewal import Moves, has_old_records, renewed

_PASSES = 5
_CONFLICTS = 20
_LONGEST_MESSAGE = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An object that the API server would not take."""

    object: str
    reason: str


@dataclass(kw_only=True, slots=True)
class Tally:
    """What became of the objects of one kind."""

    written: int = 0
    gone: int = 0
    skipped: int = 0
    """Written by an earlier run, as its journal says."""
    refusals: list[Refusal] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """The migration of one kind."""

    live: Live
    kind: Kind
    version: str
    moves: Moves
    bridged: bool
    already: frozenset[str]
    """Uids that need not be written again."""
    before_batch: Callable[[], None]
    after_batch: Callable[[list[str]], None]
    """Told the uids that were written or found gone: they may be skipped by a later run."""

    def run(self) -> Tally:
        """Rewrite all, then what was changed by others meanwhile; PartlyDoneError where it never comes to rest."""
        tally = Tally()
        settled = set(self.already)
        while not self._pass(settled, tally):
            pass
        for _ in range(_PASSES):
            refused = {refusal.object for refusal in tally.refusals}
            left = [obj for obj in self._with_old_records() if str(self._ref(obj)) not in refused]
            if not left:
                return tally
            self._write(left, tally)
        raise PartlyDoneError(
            f"{self.kind.plural}: records of an older version keep coming back after {_PASSES} passes; "
            "see which client still writes the old version, then run again"
        )

    def _pass(self, settled: set[str], tally: Tally) -> bool:
        """Write what is not settled yet, page by page; False where the list ran out of date and must start again."""
        try:
            for page in self.live.pages(collection(self.kind, self.version)):
                fresh = [obj for obj in page if obj["metadata"]["uid"] not in settled]
                tally.skipped += sum(obj["metadata"]["uid"] in self.already for obj in page)
                self._write(fresh, tally)
                settled.update(obj["metadata"]["uid"] for obj in fresh)
        except ApiError as error:
            if error.status != 410:
                raise
            tally.skipped = 0
            return False
        return True

    def _with_old_records(self) -> Iterable[KubernetesObject]:
        for page in self.live.pages(collection(self.kind, self.version), metadata_only=True):
            yield from (obj for obj in page if has_old_records(obj, self.version))

    def _write(self, objects: list[KubernetesObject], tally: Tally) -> None:
        self.before_batch()
        with ThreadPoolExecutor(WRITERS) as pool:
            outcomes = list(pool.map(self._write_one, objects))
        settled = []
        for obj, outcome in zip(objects, outcomes, strict=True):
            if isinstance(outcome, Refusal):
                tally.refusals.append(outcome)
                continue
            tally.written += outcome
            tally.gone += not outcome
            settled.append(obj["metadata"]["uid"])
        self.after_batch(settled)

    def _write_one(self, obj: KubernetesObject) -> bool | Refusal:
        """True where it was written, False where it is gone."""
        metadata = obj["metadata"]
        path = object_path(self.kind, self.version, metadata.get("namespace", ""), metadata["name"])
        current: KubernetesObject | None = (
            obj if "kind" in obj and obj["kind"] == self.kind.name else self.live.get(path)
        )
        for _ in range(_CONFLICTS):
            if current is None or current["metadata"]["uid"] != metadata["uid"]:
                return False
            try:
                self.live.put(path, renewed(current, self.version, self.moves, bridged=self.bridged))
            except ApiError as error:
                if error.status == 404 and f'"{metadata["name"]}" not found' in error.message:
                    return False
                if error.status != 409:
                    return Refusal(object=str(self._ref(obj)), reason=error.message[:_LONGEST_MESSAGE])
            else:
                return True
            try:
                current = self.live.get(path)
            except ApiError as error:
                return Refusal(object=str(self._ref(obj)), reason=error.message[:_LONGEST_MESSAGE])
        return Refusal(object=str(self._ref(obj)), reason=f"changed by somebody else {_CONFLICTS} times in a row")

    def _ref(self, obj: KubernetesObject) -> ObjectRef:
        metadata = obj["metadata"]
        return ObjectRef(kind=self.kind.name, namespace=metadata.get("namespace", ""), name=metadata["name"])


def old_records(live: Live, kind: Kind, version: str) -> int:
    """How many objects still carry records of an older version."""
    pages = live.pages(collection(kind, version), metadata_only=True)
    return sum(has_old_records(obj, version) for page in pages for obj in page)
