"""Brings a set of feature gates to what the manager of a release starts with, and says why each entry changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelift.release_profile import Gate, Release, gate_successors, profile


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class GateChange:
    """What became of one gate."""

    name: str
    before: bool | None
    """None where it was not set."""
    after: bool | None
    """None where it is not set any more."""
    reason: str
    in_effect: bool = False
    """Whether the manager works otherwise than before because of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateSet:
    """Gates that the manager of a release accepts, sorted by name."""

    gates: Mapping[str, bool]
    changes: tuple[GateChange, ...]


def settle(gates: Mapping[str, bool], release: Release, source: Release | None = None) -> GateSet:
    """The nearest set that the release's manager starts with; `source` is the release whose manager has them now."""
    known, changes = profile(str(release)).gates, list[GateChange]()
    settled = {name: on for name, on in sorted(gates.items()) if name in known and not _is_locked_off(known[name], on)}
    for name in sorted(gates.keys() - settled.keys()):
        changes.append(_removed(name, gates[name], known, release, source))
        settled |= _taken_over(name, gates, known, changes)
    for change in (*_freed(settled, gates, known, release), *_one_of_each(settled, gates, release)):
        settled[change.name] = bool(change.after)
        changes.append(change)
    return GateSet(gates=dict(sorted(settled.items())), changes=tuple(sorted(changes, key=lambda it: it.name)))


def refusals(gates: Mapping[str, bool], release: Release) -> list[str]:
    """Why the release's manager would not start with a set, a sentence each; empty where it would."""
    known = profile(str(release)).gates
    told = {name: f"{name}={_word(on)}" if name in known else name for name, on in gates.items()}
    alone = [
        f"{told[name]}: {why}"
        for name in sorted(gates, key=lambda name: (name in known, name))
        if (why := refusal_of(name, on=gates[name], release=release))
    ]
    return alone + conflicts(gates, release)


def refusal_of(name: str, *, on: bool, release: Release) -> str:
    """Why the release's manager refuses one gate, whatever else is set; empty where it takes it."""
    gate = profile(str(release)).gates.get(name)
    if gate is None:
        return f"release {release} knows no such gate"
    return f"release {release} has it locked to {_word(gate.default)}" if _is_locked_off(gate, on) else ""


def conflicts(gates: Mapping[str, bool], release: Release) -> list[str]:
    """Why the release's manager refuses gates together; those of a set that it does not know say nothing."""
    known, found = profile(str(release)).gates, list[str]()
    standing = {name: gates.get(name, gate.default) for name, gate in known.items()}
    for name, gate in known.items():
        off = [needed for needed in gate.requires if not standing.get(needed, False)]
        if standing[name] and off:
            found.append(f"{name} is on without {' and '.join(off)}")
    for names in profile(str(release)).at_most_one_on:
        several = [name for name in names if standing[name]]
        if len(several) > 1:
            found.append(f"{' and '.join(several)} are on, one of them is allowed")
    return found


def default_changes(gates: Mapping[str, bool], release: Release, source: Release) -> list[GateChange]:
    """Gates that nobody sets and that are on in one of two releases only, one sentence each."""
    old, new = profile(str(source)).gates, profile(str(release)).gates
    return [
        GateChange(
            name=name,
            before=None,
            after=None,
            reason=f"{_word(old[name].default)} unless set at {source}, {_word(new[name].default)} at {release}",
            in_effect=True,
        )
        for name in sorted((old.keys() & new.keys()) - gates.keys())
        if old[name].default != new[name].default
    ]


def deprecated(gates: Mapping[str, bool], release: Release) -> list[str]:
    """Gates of a set that a later release will refuse to know."""
    known = profile(str(release)).gates
    return [name for name in sorted(gates) if name in known and (known[name].stage in ("Deprecated", "GA"))]


def _is_locked_off(gate: Gate, on: bool) -> bool:
    return gate.locked and on != gate.default


def _removed(name: str, on: bool, known: Mapping[str, Gate], release: Release, source: Release | None) -> GateChange:
    successor = gate_successors().get(name)
    then = f"; {successor} does its work now" if successor in known else ""
    before = profile(str(source)).gates.get(name) if source else None
    if name in known:
        reason = (
            f"release {release} has it locked to {_word(known[name].default)}, and its manager refuses another value"
        )
        return GateChange(name=name, before=on, after=None, reason=reason + then, in_effect=True)
    reason = f"release {release} knows no such gate, and its manager would not start with it"
    return GateChange(
        name=name, before=on, after=None, reason=reason + then, in_effect=before is None or on != before.default
    )


def _taken_over(
    name: str, gates: Mapping[str, bool], known: Mapping[str, Gate], changes: list[GateChange]
) -> dict[str, bool]:
    """The successor of a gate that is gone, set as that one was where it would work otherwise if left alone."""
    successor = gate_successors().get(name, "")
    if successor not in known or successor in gates or known[successor].default == gates[name]:
        return {}
    if known[successor].locked:
        return {}
    changes.append(
        GateChange(name=successor, before=None, after=gates[name], reason=f"says what {name}={_word(gates[name])} said")
    )
    return {successor: gates[name]}


def _freed(
    settled: Mapping[str, bool], gates: Mapping[str, bool], known: Mapping[str, Gate], release: Release
) -> Iterator[GateChange]:
    """Every gate that is on although one that it needs is off, turned off as well: it had no effect without that."""
    standing = {name: settled.get(name, gate.default) for name, gate in known.items()}
    loose = True
    while loose:
        loose = False
        for name, gate in known.items():
            off = [needed for needed in gate.requires if not standing.get(needed, False)]
            if standing[name] and off and not gate.locked:
                standing[name], loose = False, True
                reason = f"{' and '.join(off)} off, and release {release} starts with it on only together"
                yield GateChange(name=name, before=gates.get(name), after=False, reason=reason)


def _one_of_each(settled: Mapping[str, bool], gates: Mapping[str, bool], release: Release) -> Iterator[GateChange]:
    """All but one of gates of which one may be on: the one that is set stays before one that is on by default."""
    own = profile(str(release))
    for names in own.at_most_one_on:
        on = [name for name in names if settled.get(name, own.gates[name].default)]
        kept = sorted(on, key=lambda name: (not settled.get(name, False), name))[:1]
        for name in on:
            if name not in kept:
                reason = f"{kept[0]} is on, and release {release} allows one of {', '.join(names)}"
                yield GateChange(name=name, before=gates.get(name), after=False, reason=reason)


def _word(on: bool) -> str:
    return str(on).lower()
