"""Rules of a ClusterRole: told in one line, and merged into the fewest."""

from collections.abc import Iterable, Mapping
from typing import Any

Rule = Mapping[str, Any]
"""As Kubernetes has it: `apiGroups`, `resources`, perhaps `resourceNames`, or `nonResourceURLs`; and `verbs`."""

_FIELDS = ("apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs")


def in_one_line(rule: Rule) -> str:
    """`{apiGroups: [apps], resources: [deployments], verbs: [list]}`, which is YAML too."""
    told = ((field, ", ".join(name or '""' for name in rule.get(field) or ())) for field in _FIELDS)
    return f"{{{', '.join(f'{field}: [{names}]' for field, names in told if names)}}}"


def merged(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """The same rights, each told once: a rule for each group, names and set of verbs, sorted."""
    verbs: dict[tuple[tuple[str, ...], str, str], set[str]] = {}
    for rule in rules:
        names = tuple(sorted(rule.get("resourceNames") or ()))
        for group in rule.get("apiGroups") or ("",):
            for place in ("resources", "nonResourceURLs"):
                for name in rule.get(place) or ():
                    verbs.setdefault((names, group, name), set()).update(rule["verbs"])
    alike: dict[tuple[str, tuple[str, ...], tuple[str, ...], bool], list[str]] = {}
    for (names, group, name), allowed in sorted(verbs.items()):
        alike.setdefault((group, tuple(sorted(allowed)), names, name.startswith("/")), []).append(name)
    return [
        {"nonResourceURLs": found, "verbs": list(allowed)}
        if is_address
        else {"apiGroups": [group], "resources": found}
        | ({"resourceNames": list(names)} if names else {})
        | {"verbs": list(allowed)}
        for (group, allowed, names, is_address), found in sorted(alike.items())
    ]
