"""What a conversion of a kind between two API versions is (moved fields, and what that costs), and how to find one."""

import importlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from kueuelift import catalogue
from kueuelift.errors import RefusedError
from kueuelift.kinds import TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.object_shape import at
from kueuelift.release_profile import Release, profile
from kueuelift_transform.go_scalar import MismatchError
from kueuelift_transform.go_struct import codec

Edit = Callable[[KubernetesObject, Release], None]
"""Moves the fields of an object in place; the release is the one that converts."""


def no_edit(_obj: KubernetesObject, _release: Release) -> None:
    """Move nothing: both versions have the same fields."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Renamed:
    """A field whose value is found under another path, which managedFields (`f:cohort`) must follow; `[]`: any item."""

    old: str
    new: str
    reshaped: str = ""
    """How the value is written otherwise there, in a clause; empty where it is carried over as it is."""

    @property
    def is_moved(self) -> bool:
        """Whether it is more than another name in the same place."""
        return bool(self.reshaped) or self.old.rpartition(".")[0] != self.new.rpartition(".")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reworded:
    """A word that the target version spells otherwise, with the same meaning; going back gives the new word."""

    path: str
    old: str
    new: str
    reason: str
    source: str
    """Where the fact was read: tag and file of the release."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LossyField:
    """A field that has no home in the target version, or whose meaning may change there."""

    path: str
    reason: str
    source: str
    """Where the fact was read: tag and file of the release."""
    homeless: bool = True
    """Always gone; False where it depends on the object, which `losses` then tells."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversion:
    """One kind from one API version to another; pure, as every answer is a new object."""

    kind: str
    source: str
    target: str
    edit: Edit = no_edit
    edit_back: Edit | None = no_edit
    """None where there is no way back."""
    respell: Edit = no_edit
    """Rewrites an object of the source version into what comes back of it, as far as that means the same."""
    renamed: tuple[Renamed, ...] = ()
    reworded: tuple[Reworded, ...] = ()
    lossy: tuple[LossyField, ...] = ()
    by_webhook: bool = False
    """Kueue's webhook answers for it, so that the object passes through Go structs."""

    def convert(self, obj: KubernetesObject, release: Release) -> KubernetesObject:
        """Give what the release answers for the object: its webhook, or an API server that changes `apiVersion` only.

        Pruning and defaulting come after it (`stored_form`). RefusedError where the webhook fails on the object.
        """
        return self._through(obj, release, self.edit, self.source, self.target)

    def revert(self, obj: KubernetesObject, release: Release) -> KubernetesObject:
        """Give what the release answers on the way back; RefusedError where there is none."""
        if self.edit_back is None:
            raise RefusedError(
                f"{ObjectRef.of(obj)} cannot go back from {self.target} to {self.source}:"
                " restore it from the plan's originals"
            )
        return self._through(obj, release, self.edit_back, self.target, self.source)

    def move(self, obj: KubernetesObject, release: Release) -> KubernetesObject:
        """Give the object for Git: fields moved, homeless ones gone, everything else as it was written."""
        own: KubernetesObject = deepcopy(obj)
        own["apiVersion"] = api_version(self.target)
        self.edit(own, release)
        for field in self.lossy:
            if field.homeless:
                *parents, last = field.path.split(".")
                inner(own, *parents).pop(last, None)
        return own

    def _through(
        self, obj: KubernetesObject, release: Release, edit: Edit, source: str, target: str
    ) -> KubernetesObject:
        if not self.by_webhook:
            own: KubernetesObject = deepcopy(obj)
            edit(own, release)
            return {**own, "apiVersion": api_version(target)}
        library = _library(release)
        own = _decoded(obj, self.kind, source, library)
        edit(own, release)
        converted: KubernetesObject = codec(self.kind, target, library).encode(own)
        return {**converted, "apiVersion": api_version(target)}


@cache
def all_conversions() -> tuple[Conversion, ...]:
    """List every conversion there is, by module name."""
    # Each of its modules imports this one.
    package = importlib.import_module("kueuelift_transform.conversions")
    return tuple(catalogue.discover(package, "CONVERSION", Conversion))


def conversion_for(kind: str, source: str, target: str = TARGET_VERSION) -> Conversion | None:
    """Find the way of a kind from one version to another, None where both are the same.

    RefusedError where none is known.
    """
    if source == target:
        return None
    for conversion in all_conversions():
        if (conversion.kind, conversion.source, conversion.target) == (kind, source, target):
            return conversion
    known = sorted(c.source for c in all_conversions() if (c.kind, c.target) == (kind, target))
    raise RefusedError(
        f"no conversion of {kind} from {source} to {target} is known, only from {', '.join(known) or 'no version'}:"
        " check apiVersion and kind"
    )


def inner(obj: KubernetesObject, *path: str) -> KubernetesObject:
    """Find an object inside an object, to read or to change; where there is none, a loose empty one."""
    found = obj
    for key in path:
        below = found.get(key)
        if not isinstance(below, dict):
            return {}
        found = below
    return found


def field_at(obj: Any, path: str) -> Any:
    """Find the value at a dotted path that goes through no list; None where there is none."""
    return at(obj, *path.split("."))


def rename(fields: KubernetesObject, old: str, new: str) -> None:
    """Give a field its new name, in its place; what had that name before meant nothing to the old version, and goes."""
    if old not in fields:
        fields.pop(new, None)
        return
    items = [(new if key == old else key, value) for key, value in fields.items() if key != new]
    fields.clear()
    fields.update(items)


def _decoded(obj: KubernetesObject, kind: str, version: str, library: str) -> KubernetesObject:
    try:
        own: KubernetesObject = codec(kind, version, library).decode(obj)
    except MismatchError as wrong:
        raise RefusedError(
            f"{ObjectRef.of(obj)} at {wrong.path}: found {wrong.found!r:.80}, wanted {wrong.wanted};"
            " correct it and run again"
        ) from wrong
    return own


@cache
def _library(release: Release) -> str:
    library = profile(str(release)).kubernetes.client_library
    if library is None:
        raise RefusedError(f"Kueue {release} has no conversion webhook: name a release from 0.15 on")
    return library
