"""Takes a manager's Configuration to a release, told top to bottom: text in; text out, with every change and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kueuelift import yaml_comments
from kueuelift.errors import RefusedError
from kueuelift.manager_config import KIND, NEW, ConfigField, manager_config
from kueuelift.model import Severity
from kueuelift.release_profile import Release, known_releases
from kueuelift_transform.configuration_change import Category, Change
from kueuelift_transform.configuration_conversion import converted
from kueuelift_transform.configuration_decode import ConfigurationError, Decoded, Problem, decode
from kueuelift_transform.configuration_devices import reserved_name
from kueuelift_transform.configuration_effective import NAMESPACE, effective
from kueuelift_transform.configuration_rules import problems

_REFUSES_RESERVED = Release(major=0, minor=20)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConvertedText:
    """A Configuration that the release's manager loads."""

    text: str
    changes: tuple[Change, ...]
    value: Mapping[str, Any]
    """The same as data."""


def convert_text(
    text: str,
    *,
    release: Release,
    origin: str,
    source: Release | None = None,
    namespace: str = NAMESPACE,
    more_gates: Mapping[str, bool] | None = None,
) -> ConvertedText:
    """Bring one document of either version to v1beta2 for the release, its comments kept.

    `source` is the release whose manager runs with it now; where it is not known, the document means what the
    release's own manager takes it to mean. `more_gates` are gates that are set elsewhere and come into the document.

    RefusedError: ConfigurationError where the release's manager would not start with it, HiddenError where the
    snapshot hides a part of it, others where the text is none.
    """
    if NEW not in manager_config(release).shapes:
        raise RefusedError(f"{origin}: the manager of {release} does not know {NEW}; name a release from 0.15 on")
    decoded = decode(text, release=release, origin=origin)
    after, changes = converted(
        decoded.value,
        decoded.version,
        release=release,
        source=source,
        namespace=namespace,
        more_gates=more_gates,
    )
    now = effective(after, NEW, release, namespace=namespace)
    _check(now, decoded, release, origin, namespace)
    remarks = [*_effects(decoded, now, release, source, namespace, changes), *_reserved(now, release)]
    written = yaml_comments.rewrite(text, after, origin)
    comments = [
        Change(path=f"line {lost.line}", category=Category.COMMENT, reason="stood in what is gone", before=lost.text)
        for lost in written.lost_comments
    ]
    return ConvertedText(text=written.text, changes=(*changes, *remarks, *comments), value=after)


def _check(now: Mapping[str, Any], decoded: Decoded, release: Release, origin: str, namespace: str) -> None:
    """Refuse what the manager would, with the lines of the text."""
    found = problems(now, release, namespace=namespace)
    if found:
        placed = [replace(problem, line=_line(problem, decoded)) for problem in found]
        raise ConfigurationError(origin, placed, f"the manager of {release} would not start with such a {KIND}")


def _line(problem: Problem, decoded: Decoded) -> int:
    """The line of what is wrong, or of the nearest that stands around it."""
    path = problem.path
    while path and path not in decoded.lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return decoded.lines.get(path, 0)


def _effects(
    decoded: Decoded,
    now: Mapping[str, Any],
    release: Release,
    source: Release | None,
    namespace: str,
    told: list[Change],
) -> Iterator[Change]:
    """What the manager of the release does otherwise than that of the source, although nothing says so."""
    since = source or _oldest(decoded.version)
    shape = manager_config(since).shapes.get(decoded.version)
    if shape is None:
        return
    before = effective(decoded.value, decoded.version, since, namespace=namespace)
    said = [change.path for change in told]
    for path, old, new in _differences(before, now, shape, ""):
        if not any(path == known or path.startswith(f"{known}.") or known.startswith(f"{path}.") for known in said):
            reason = f"not written down, and {NEW} fills in another at {release} than {decoded.version} at {since}"
            yield Change(
                path=path,
                category=Category.EFFECT,
                reason=reason,
                before=old,
                after=new,
                severity=Severity.ACTION if path.startswith("waitForPodsReady") else Severity.NOTICE,
                meaning_kept=False,
            )


def _differences(before: Any, now: Any, shape: ConfigField, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Where two Configurations in effect differ, in fields that both releases have."""
    if shape.fields is None or not isinstance(before, dict) or not isinstance(now, dict):
        if before != now:
            yield path, before, now
        return
    for name in sorted(before.keys() | now.keys()):
        if name in shape.fields:
            below = f"{path}.{name}" if path else name
            yield from _differences(before.get(name), now.get(name), shape.fields[name], below)


def _oldest(version: str) -> Release:
    """The first release that loads a version."""
    releases = map(Release.parse, known_releases())
    return next(release for release in releases if version in manager_config(release).shapes)


def _reserved(now: Mapping[str, Any], release: Release) -> Iterator[Change]:
    """Names that a later release refuses."""
    if release < _REFUSES_RESERVED:
        for path, found, _ in reserved_name(now.get("resources") or {}):
            yield Change(
                path=f"resources.{path}",
                category=Category.EFFECT,
                reason=f"Kueue counts {found} itself, and refuses the name from {_REFUSES_RESERVED.line} on",
                before=found,
                after=found,
                severity=Severity.ACTION,
            )
