"""The objects of two snapshots, side by side: equal files are only counted, and little of the rest is held at once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kueuelift.errors import UntrustedError
from kueuelift.model import KubernetesObject
from kueuelift.snapshot_dir import Snapshot

Wanted = Callable[[KubernetesObject], bool]
"""Whether an object is to be compared."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An object in both snapshots, or in one of them."""

    name: str
    """`team-a/default`; without a namespace, the name alone."""
    before: KubernetesObject | None
    after: KubernetesObject | None


def equal_files(before: Snapshot, after: Snapshot, folder: str) -> list[str]:
    """The paths of the files that both have with the same content."""
    theirs = after.hashes(folder)
    return [path for path, digest in before.hashes(folder).items() if theirs.get(path) == digest]


def count(before: Snapshot, after: Snapshot, path: str) -> int:
    """How many objects a file holds that both have; its bytes are verified in both."""
    with after.sealed.stream(path):
        return sum(1 for _ in before.objects_in(path))


def pairs(before: Snapshot, after: Snapshot, folder: str, wanted: Wanted) -> Iterator[Pair]:
    """All objects of the files that are not equal, each once."""
    equal = set(equal_files(before, after, folder))
    ours, theirs = ([path for path in it.hashes(folder) if path not in equal] for it in (before, after))
    for path in sorted({*ours, *theirs}):
        if path.endswith(".jsonl.gz"):
            yield from _merged(
                _in_order(before, [path] if path in ours else [], wanted),
                _in_order(after, [path] if path in theirs else [], wanted),
            )
    single = [[path for path in paths if not path.endswith(".jsonl.gz")] for paths in (ours, theirs)]
    yield from _merged(
        sorted(_read(before, single[0], wanted), key=_key), sorted(_read(after, single[1], wanted), key=_key)
    )


def _read(snapshot: Snapshot, paths: list[str], wanted: Wanted) -> Iterator[KubernetesObject]:
    return (obj for path in paths for obj in snapshot.objects_in(path) if wanted(obj))


def _in_order(snapshot: Snapshot, paths: list[str], wanted: Wanted) -> Iterable[KubernetesObject]:
    """Objects by name: streamed as an API server listed them, sorted where they came from elsewhere."""
    last: tuple[str, str] | None = None
    for obj in _read(snapshot, paths, wanted):
        if last is not None and _key(obj) < last:
            return sorted(_read(snapshot, paths, wanted), key=_key)
        last = _key(obj)
    return _read(snapshot, paths, wanted)


def _merged(before: Iterable[KubernetesObject], after: Iterable[KubernetesObject]) -> Iterator[Pair]:
    left, right = iter(before), iter(after)
    one, two = next(left, None), next(right, None)
    while one is not None or two is not None:
        first = min(_key(obj) for obj in (one, two) if obj is not None)
        took, gave = one is not None and _key(one) == first, two is not None and _key(two) == first
        yield Pair("/".join(filter(None, first)), one if took else None, two if gave else None)
        if took:
            one = next(left, None)
        if gave:
            two = next(right, None)


def _key(obj: KubernetesObject) -> tuple[str, str]:
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str):
        raise UntrustedError(
            f"{str(obj.get('kind'))[:80]}: an object without metadata.name in a snapshot; take another one"
        )
    return str(metadata.get("namespace") or "") if isinstance(metadata, dict) else "", name
