"""What the target's webhooks would refuse of the objects that its CRDs accept."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelift.admission import Broken, Judge
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.release_profile import Release


@dataclass(frozen=True, kw_only=True, slots=True)
class Inadmissible:
    """One place where an object breaks a rule of the target's webhooks."""

    ref: ObjectRef
    broken: Broken
    already: bool | None
    """Whether the source's webhooks refuse it for the same; None where the source is not known."""


class Webhooks:
    """The webhooks of the target and of the source, with the gates that the installation sets."""

    def __init__(self, release: Release, source: Release | None, gates: Mapping[str, bool]) -> None:
        self._target = Judge.of(release, gates)
        self._source = Judge.of(source, gates) if source else None

    def inadmissible(self, ref: ObjectRef, stored: KubernetesObject) -> Iterator[Inadmissible]:
        """What of an object's stored form they refuse; give it only what the CRD accepts, as the server does."""
        found = self._target.problems(stored)
        if not found:
            return
        before = {(broken.rule, broken.path) for broken in self._source.problems(stored)} if self._source else None
        for broken in found:
            already = None if before is None else (broken.rule, broken.path) in before
            yield Inadmissible(ref=ref, broken=broken, already=already)
