"""What the header says of the lists that a snapshot was made of."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kueuelift.kinds import version_of
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.pages import Page


@dataclass(kw_only=True, slots=True)
class Reading:
    """How one list was read: all that changes by itself."""

    pages: int = 0
    resource_version: str = ""
    consistent: bool = True
    """Whether all of it is of one moment."""

    def through(self, pages: Iterable[Page]) -> Iterator[Page]:
        """The same pages, noted."""
        for page in pages:
            self.pages += 1
            self.resource_version = page.resource_version
            self.consistent &= page.consistent
            yield page

    def to_dict(self) -> dict[str, Any]:
        """The reading as the header's volatile block has it."""
        return {"resourceVersion": self.resource_version, "pages": self.pages, "consistent": self.consistent}


@dataclass(kw_only=True, slots=True)
class Listing:
    """One list of Kueue's objects, counted while it is read."""

    version: str
    """What is asked for first."""
    stored: bool
    """Whether that is how objects lie in etcd."""
    versions: Counter[str] = field(default_factory=Counter)
    """How many objects came in each version."""
    deleting: int = 0
    """How many are being deleted."""

    def add(self, obj: KubernetesObject) -> None:
        """Count an object."""
        self.versions[version_of(obj["apiVersion"]) or ""] += 1
        self.deleting += "deletionTimestamp" in obj["metadata"]

    @property
    def count(self) -> int:
        """How many objects there are."""
        return self.versions.total()

    @property
    def how(self) -> str:
        """`stored`: as it lies in etcd; `served`: converted; `fallback`: in part in another version than asked for."""
        if self.versions.keys() - {self.version}:
            return "fallback"
        return "stored" if self.stored else "served"

    def to_dict(self) -> dict[str, Any]:
        """The list as the header has it."""
        return {
            "version": self.version,
            "how": self.how,
            "versions": dict(sorted(self.versions.items())),
            "count": self.count,
            "deleting": self.deleting,
        }
