"""Objects as the API server will store them in the new version, and what they lose on the way."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from kueuelift import crd as crds
from kueuelift.errors import RefusedError
from kueuelift.kinds import TARGET_VERSION, version_of
from kueuelift.model import Change, KubernetesObject, Loss, ObjectRef
from kueuelift.quantity import same
from kueuelift.release_profile import Release
from kueuelift.structural import coerce, pruned_paths
from kueuelift_transform import go_scalar
from kueuelift_transform.conversion import Conversion, conversion_for, field_at, no_edit
from kueuelift_transform.go_scalar import MismatchError
from kueuelift_transform.go_struct import metadata_codec

_EMPTY: tuple[Any, ...] = (None, "", 0, [], {})


def stored_form(
    obj: KubernetesObject, *, crd: KubernetesObject, release: Release, version: str = TARGET_VERSION
) -> KubernetesObject:
    """Convert an object from its own version, then prune it, drop its nulls and fill in defaults by the CRD's schema.

    The object is taken as its own version holds it: a default that the old schema would have given comes from the new
    one, alike but for its spelling. What only a living server knows (uid, managedFields) is neither made nor taken
    away, and neither is the status.
    """
    conversion = _conversion(obj, version)
    converted = conversion.convert(obj, release) if conversion else obj
    if not (conversion and conversion.by_webhook):
        converted = {**converted, "metadata": _metadata(obj)}
    return coerce(converted, crds.schema(crd, version))


def losses(
    obj: KubernetesObject,
    *,
    source_crd: KubernetesObject,
    target_crd: KubernetesObject,
    release: Release,
    version: str = TARGET_VERSION,
    stored: KubernetesObject | None = None,
) -> tuple[Loss, ...]:
    """List what of an object's spec and status does not come back from its stored form, by path.

    Another spelling of the same is no loss: a canonical quantity, an emptied list, a filled default, a renamed word.
    `stored` is the stored form where the caller has it already.
    """
    conversion = _conversion(obj, version)
    stored = stored or stored_form(obj, crd=target_crd, release=release, version=version)
    back = conversion.revert(stored, release) if conversion and conversion.edit_back else stored
    written = _without_metadata(obj)
    if conversion and conversion.respell is not no_edit:
        written = deepcopy(written)
        conversion.respell(written, release)
    # Go structs leave out what is empty; elsewhere an empty value that is missing was taken away.
    harmless = _EMPTY if conversion and conversion.by_webhook else (None,)
    gone = list(_gone(written, _without_metadata(back), "", harmless))
    unknown = _unknown_paths(obj, source_crd) if gone else frozenset()
    found: dict[str, Loss] = {}
    for path, value, change in gone:
        loss = _loss(obj, path, value, change, conversion, unknown)
        found.setdefault(loss.path, loss)
    return tuple(found[path] for path in sorted(found))


def _conversion(obj: KubernetesObject, version: str) -> Conversion | None:
    source = version_of(str(obj.get("apiVersion", "")))
    if source is None:
        raise RefusedError(
            f"{ObjectRef.of(obj)} has apiVersion {obj.get('apiVersion')!r}, which is none of kueue.x-k8s.io:"
            " leave it out"
        )
    return conversion_for(str(obj.get("kind")), source, version)


def _without_metadata(obj: KubernetesObject) -> KubernetesObject:
    return {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}


def _metadata(obj: KubernetesObject) -> Any:
    """Read metadata as every API server does, whatever the kind: through a Go struct."""
    try:
        return metadata_codec().decode(obj.get("metadata") or {})
    except MismatchError as wrong:
        raise RefusedError(
            f"{ObjectRef.of(obj)} at metadata.{wrong.path}: found {wrong.found!r:.80}, wanted {wrong.wanted};"
            " correct it and run again"
        ) from wrong


def _gone(before: Any, after: Any, path: str, harmless: tuple[Any, ...]) -> Iterator[tuple[str, Any, Change]]:
    """Walk what there was and name each topmost part that is missing or another one now."""
    if before == after and type(before) is type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            other = after.get(key)
            if value is not other and not (value == other and type(value) is type(other)):
                yield from _gone(value, other, f"{path}.{key}" if path else key, harmless)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (value, other) in enumerate(zip(before, after, strict=True)):
            yield from _gone(value, other, f"{path}[{index}]", harmless)
    elif after is None:
        if before not in harmless:
            yield path, before, Change.DROPPED
    elif before is not None and not _same_value(before, after):
        yield path, before, Change.NOT_INVERTIBLE


def _same_value(before: Any, after: Any) -> bool:
    """Compare two spellings: of a quantity, or of a time."""
    try:
        return same(before, after)
    except ValueError:
        pass
    try:
        return bool(go_scalar.utc(before) == go_scalar.utc(after))
    except MismatchError:
        return False


def _unknown_paths(obj: KubernetesObject, source_crd: KubernetesObject) -> frozenset[str]:
    version = version_of(obj["apiVersion"])
    if version not in crds.versions(source_crd):
        return frozenset()
    return frozenset(pruned_paths(obj, crds.schema(source_crd, version)))


def _loss(
    obj: KubernetesObject,
    path: str,
    value: Any,
    change: Change,
    conversion: Conversion | None,
    unknown: frozenset[str],
) -> Loss:
    name = ObjectRef.of(obj)
    reason = "the version that is stored has no such field, or cannot hold this value"
    if path in unknown:
        reason = f"{obj['apiVersion']} has no such field: an API server would not have kept it"
    for field in conversion.lossy if conversion else ():
        if path == field.path or path.startswith((f"{field.path}.", f"{field.path}[")):
            path, value, reason, change = field.path, field_at(obj, field.path), field.reason, Change.DROPPED
            break
    return Loss(
        kind=name.kind,
        namespace=name.namespace,
        name=name.name,
        path=path,
        change=change,
        value=value,
        reason=reason,
    )
