"""Helm's release records of both drivers: decoded within limits, redacted; an unreadable one is a failure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift import helm_payload
from kueuelift.helm_payload import CONFIG_MAPS, SECRET_TYPE, SECRETS, Payload, UnreadableError
from kueuelift.model import Failure, KubernetesObject
from kueuelift.secret_text import without_secrets
from kueuelift_snapshot.helm_documents import UnreadableDocumentError
from kueuelift_snapshot.helm_reading import OddRecordError, Release, read
from kueuelift_snapshot.marks import names_kueue
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.resource import Resource

RECORDS_A_PAGE = 20
"""Records in the first page: each may have a megabyte."""

_REMEDY = "see with `helm history` whether Helm can still read it; if it is not needed, remove the {}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Driver:
    """One of Helm's places for its records, and how they are listed."""

    name: str
    resource: Resource
    query: Mapping[str, str]


DRIVERS = (
    Driver(
        name=SECRETS,
        resource=Resource(group="", version="v1", plural="secrets"),
        query={"labelSelector": "owner=helm", "fieldSelector": f"type={SECRET_TYPE}"},
    ),
    Driver(
        name=CONFIG_MAPS,
        resource=Resource(group="", version="v1", plural="configmaps"),
        query={"labelSelector": "owner=helm"},
    ),
)


_Key = tuple[str, str]
"""Storage namespace and name of a release."""

Suspects = Callable[[str, str], bool]
"""Whether something says that a release, told by storage namespace and name, could have to do with Kueue:
a manager in its namespace, or an object that names it as its owner."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Unread:
    keys: frozenset[_Key]
    touches: bool
    """Whether what of it can be read says Kueue."""
    named: bool
    """Whether its names say so."""
    failure: Failure


@dataclass(kw_only=True, slots=True)
class _Seen:
    """What the records of one driver said; of each release only whether it touches Kueue is kept."""

    touching: set[_Key] = field(default_factory=set)
    foreign: set[_Key] = field(default_factory=set)
    unread: list[_Unread] = field(default_factory=list)
    holders: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """By the folder of a record: the object that it came in."""


class Releases:
    """The records of one run, taken one after the other.

    `take` every object of each driver's list, `forget` a driver whose list begins again, and ask for `failures` when
    all lists have ended, and it is known where managers are: only then can be told which unreadable record belongs to a
    release without Kueue.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._seen = {driver.name: _Seen() for driver in DRIVERS}

    def take(self, obj: KubernetesObject) -> Release | None:
        """The record in an object, to be written now; None for what Helm never wrote, foreign or unreadable ones."""
        if not helm_payload.is_record(obj):
            return None
        seen = self._seen[helm_payload.driver_of(obj)]
        keys = _keys(obj)
        touches = False
        try:
            payload = helm_payload.decode(obj)
            touches = _touches_kueue(payload.record)
            (seen.touching if touches else seen.foreign).update(keys)
            return self._release(obj, payload, seen) if touches else None
        except UnreadableError as error:
            reason = error.reason
            touches |= b"kueue" in error.found.lower()
        except (UnreadableDocumentError, OddRecordError) as error:
            reason = str(error)
        except RecursionError:
            reason = "it is nested too deeply"
        metadata = helm_payload.metadata_of(obj)
        named = names_kueue(*(metadata.get(field) for field in ("name", "namespace", "labels")))
        seen.unread.append(_Unread(keys=keys, touches=touches, named=named, failure=_failure(obj, reason)))
        return None

    def forget(self, driver: str) -> None:
        """Take back all that the records of a driver said."""
        self._seen[driver] = _Seen()

    def failures(self, suspects: Suspects) -> list[Failure]:
        """Every record that could not be read, by name; foreign where nothing says that it could be Kueue's.

        What says so: what of it can be read, its release's name, labels and namespace, other revisions, and `suspects`.
        What other revisions are known to be counts for more than a name or a suspicion.
        """
        touching = set[_Key]().union(*(seen.touching for seen in self._seen.values()))
        foreign = set[_Key]().union(*(seen.foreign for seen in self._seen.values())) - touching
        found = []
        for unread in (unread for seen in self._seen.values() for unread in seen.unread):
            known = unread.keys <= foreign
            free = not unread.named and not unread.keys & touching and not any(suspects(*key) for key in unread.keys)
            harmless = not unread.touches and bool(unread.keys) and (known or free)
            it = unread.failure
            found.append(Failure(what=it.what, reason=it.reason, remedy=it.remedy, foreign=harmless))
        return sorted(found, key=lambda failure: failure.what)

    def _release(self, obj: KubernetesObject, payload: Payload, seen: _Seen) -> Release:
        release = read(payload, obj, self._redactor)
        holder = seen.holders.setdefault(release.record.folder, helm_payload.holder(obj))
        if holder != helm_payload.holder(obj):
            raise OddRecordError(f"it is revision {release.record.revision} once more, which {holder} holds")
        return release


def _failure(obj: KubernetesObject, reason: str) -> Failure:
    what = helm_payload.holder(obj)
    return Failure(
        what=what,
        reason=f"holds no readable Helm release record: {without_secrets(reason)}",
        remedy=_REMEDY.format(what.partition(" ")[0]),
    )


def _keys(obj: KubernetesObject) -> frozenset[_Key]:
    """The release that an object belongs to, by its name and by its label."""
    metadata = helm_payload.metadata_of(obj)
    labels = metadata.get("labels")
    label = labels.get("name") if isinstance(labels, dict) else None
    names = {name for name in (helm_payload.release_of(obj), label) if name}
    return frozenset((str(metadata.get("namespace")), str(name)) for name in names)


def _touches_kueue(record: dict[str, Any]) -> bool:
    """Whether Kueue, a chart that bundles it, or a chart with objects for it was installed."""
    chart = record.get("chart")
    of_chart = [chart.get("metadata"), chart.get("values")] if isinstance(chart, dict) else []
    return names_kueue(record.get("manifest"), record.get("config"), record.get("hooks"), *of_chart)
