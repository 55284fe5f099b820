"""A topology assignment in its two spellings: v1beta1 lists domains, v1beta2 packs them into slices.

Both say the same, in the same order. Which slices Kueue makes is its own affair and differs between releases, so that
assignments of different releases are compared by `expanded`. Source: kueue v0.17.0 and v0.19.2, pkg/util/tas.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Any

from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release

HOSTNAME = "kubernetes.io/hostname"
_SPLIT_SINCE = Release(major=0, minor=19)
_MOST_SLICES = 1000
_MOST_DOMAINS_A_SLICE = 100_000


def splits(release: Release) -> bool:
    """Tell whether Kueue packs an assignment into a slice per node pool, where that is shorter, or always into one."""
    return release >= _SPLIT_SINCE


def to_slices(assignment: KubernetesObject, *, split: bool, where: str) -> KubernetesObject:
    """Pack domains into slices, byte for byte as Kueue's encoder does; `split` is what `splits` says of the release.

    RefusedError, naming `where`, for what makes Kueue's encoder fail or destroy data.
    """
    levels = assignment.get("levels")
    domains = assignment.get("domains") or []
    _check(levels or [], domains, where)
    packed = {} if levels is None else {"levels": levels}
    if not domains:
        return packed
    if split:
        return _shorter(packed, levels or [], domains)
    return {**packed, "slices": [_slice(levels or [], domains)]}


def to_domains(assignment: KubernetesObject, *, where: str) -> KubernetesObject:
    """Unpack slices into domains; RefusedError, naming `where`, where a slice does not hold what it counts."""
    unpacked = {} if assignment.get("levels") is None else {"levels": assignment["levels"]}
    return {
        **unpacked,
        "domains": [{"values": list(values), "count": count} for values, count in _unpack(assignment, where)],
    }


def expanded(assignment: KubernetesObject) -> list[tuple[tuple[str, ...], int]]:
    """Give the meaning of either spelling: each domain's values and number of pods, in order."""
    if "domains" in assignment:
        width = len(assignment.get("levels") or [])
        return [(tuple(domain["values"][:width]), domain["count"]) for domain in assignment["domains"] or []]
    return list(_unpack(assignment, "topologyAssignment"))


def _check(levels: list[str], domains: list[KubernetesObject], where: str) -> None:
    for index, domain in enumerate(domains):
        values = domain.get("values") or []
        if len(values) < len(levels):
            raise RefusedError(
                f"{where}.domains[{index}].values has {len(values)} values for {len(levels)} levels, which Kueue's"
                " conversion cannot read: let Kueue evict and admit the Workload again first"
            )
        for value in values[: len(levels)]:
            if not value.isascii():
                raise RefusedError(
                    f"{where}.domains[{index}].values holds {value!r}, which is no node label value (ASCII only) and"
                    " would be destroyed by Kueue's conversion: correct it first"
                )


def _slice(levels: list[str], domains: list[KubernetesObject]) -> KubernetesObject:
    counts = [domain.get("count", 0) for domain in domains]
    return {
        "domainCount": len(domains),
        "valuesPerLevel": [_level([domain["values"][index] for domain in domains]) for index in range(len(levels))],
        "podCounts": {"universal": counts[0]} if len(set(counts)) == 1 else {"individual": counts},
    }


def _level(values: list[str]) -> KubernetesObject:
    prefix = _common_start(values)
    if all(value == prefix for value in values):
        return {"universal": prefix}
    suffix = _common_start([value[::-1] for value in values])[::-1]
    # Where both would overlap in the shortest value, the suffix goes first.
    prefix = prefix[: min(map(len, values)) - len(suffix)]
    individual: dict[str, Any] = {"roots": [value[len(prefix) : len(value) - len(suffix)] for value in values]}
    if prefix:
        individual["prefix"] = prefix
    if suffix:
        individual["suffix"] = suffix
    return {"individual": individual}


def _common_start(values: list[str]) -> str:
    # The first and the last in order differ soonest.
    first, last = min(values), max(values)
    return next((first[:index] for index, letter in enumerate(first) if letter != last[index]), first)


def _shorter(packed: KubernetesObject, levels: list[str], domains: list[KubernetesObject]) -> KubernetesObject:
    """Choose between one slice and one per run of host names with the same prefix; a tie goes to the runs."""
    runs = [run for stretch in _runs(levels, domains) for run in _chunks(stretch)]
    several = {**packed, "slices": [_slice(levels, run) for run in runs]}
    if len(runs) == 1 or len(domains) > _MOST_DOMAINS_A_SLICE:
        return several
    one = {**packed, "slices": [_slice(levels, domains)]}
    return one if _json_length(one) < _json_length(several) else several


def _runs(levels: list[str], domains: list[KubernetesObject]) -> list[list[KubernetesObject]]:
    if len(domains) == 1 or not levels or levels[-1] != HOSTNAME:
        return [domains]
    candidates = [_prefixes(domain["values"][len(levels) - 1]) for domain in domains]
    uses = Counter(prefix for prefixes in candidates for prefix in prefixes)
    for depth in range(max(map(len, candidates)), 0, -1):
        keys = [_longest_shared(prefixes[:depth], uses) for prefixes in candidates]
        lengths = [len(list(stretch)) for _, stretch in groupby(keys)]
        if sum(-(-length // _MOST_DOMAINS_A_SLICE) for length in lengths) <= _MOST_SLICES:
            ends = [0, *_running_total(lengths)]
            return [domains[start:end] for start, end in pairwise(ends)]
    return [domains]


def _prefixes(hostname: str) -> list[str]:
    """List the texts up to and including a `-` that is not the last character, shortest first."""
    return [hostname[: index + 1] for index, letter in enumerate(hostname[:-1]) if letter == "-"]


def _longest_shared(prefixes: list[str], uses: Counter[str]) -> str:
    return next((prefix for prefix in reversed(prefixes) if uses[prefix] >= 2), "")


def _running_total(lengths: Iterable[int]) -> Iterator[int]:
    total = 0
    for length in lengths:
        total += length
        yield total


def _chunks(domains: list[KubernetesObject]) -> Iterator[list[KubernetesObject]]:
    for start in range(0, len(domains), _MOST_DOMAINS_A_SLICE):
        yield domains[start : start + _MOST_DOMAINS_A_SLICE]


def _json_length(value: KubernetesObject) -> int:
    """Count the bytes of the JSON that Go writes, which spells `<`, `>` and `&` with six characters each."""
    text = json.dumps(value, separators=(",", ":"))
    return len(text) + 5 * sum(map(text.count, "<>&"))


def _unpack(assignment: KubernetesObject, where: str) -> Iterator[tuple[tuple[str, ...], int]]:
    width = len(assignment.get("levels") or [])
    for index, packed in enumerate(assignment.get("slices") or []):
        try:
            per_level = packed.get("valuesPerLevel") or []
            counts = packed.get("podCounts") or {}
            for position in range(packed.get("domainCount") or 0):
                values = tuple(_value(per_level[level], position) for level in range(width))
                yield values, counts["universal"] if "universal" in counts else counts["individual"][position]
        except (IndexError, KeyError) as broken:
            raise RefusedError(
                f"{where}.slices[{index}] has fewer values or pod counts than its domainCount"
                f" {packed.get('domainCount')} wants: let Kueue evict and admit the Workload again first"
            ) from broken


def _value(level: KubernetesObject, position: int) -> str:
    if "universal" in level:
        return str(level["universal"])
    packed = level["individual"]
    return f"{packed.get('prefix', '')}{packed['roots'][position]}{packed.get('suffix', '')}"
