"""What becomes of integrations.podOptions, which chose the pods that Kueue looks at until 0.14."""

from collections.abc import Mapping
from typing import Any, Protocol

from kueuelift.model import Severity
from kueuelift.release_profile import Release
from kueuelift_transform import label_selector
from kueuelift_transform.configuration_change import Category

IGNORED = Release(major=0, minor=15)
"""From here on the manager reads podOptions and does nothing with it."""
_PATH = "integrations.podOptions"
_SELECTOR = "managedJobsNamespaceSelector"


class Noted(Protocol):
    """A Configuration on its way that takes notes."""

    value: dict[str, Any]
    source: Release | None
    namespace: str

    def note(self, path: str, category: Category, reason: str, **more: Any) -> None:
        """One more change."""


def without_pod_options(draft: Noted) -> None:
    """Take the block out; its namespaceSelector becomes managedJobsNamespaceSelector where that means the same."""
    integrations = draft.value.get("integrations") or {}
    if "podOptions" not in integrations:
        return
    options = integrations["podOptions"] or {}
    draft.value["integrations"] = {key: item for key, item in integrations.items() if key != "podOptions"}
    ignored = draft.source is not None and draft.source >= IGNORED
    frameworks = integrations.get("frameworks") or []
    if ignored or "pod" not in frameworks or not any(options.values()):
        why = "has had no effect since 0.15" if ignored else "does nothing without the framework pod or a selector"
        draft.note(_PATH, Category.DROPPED, why, before=options)
        return
    if options.get("namespaceSelector"):
        _place_namespaces(draft, options["namespaceSelector"], only_pods=set(frameworks) == {"pod"})
    if options.get("podSelector"):
        known = draft.source is not None
        draft.note(
            f"{_PATH}.podSelector",
            Category.DROPPED,
            "nothing takes its place: pods that it left out are Kueue's from 0.15 on where their namespace and label "
            "say so; decide which namespaces and labels those may have and take it out yourself",
            before=options["podSelector"],
            severity=Severity.BLOCKER if known else Severity.ACTION,
            meaning_kept=False,
        )


def _place_namespaces(draft: Noted, selector: Mapping[str, Any], *, only_pods: bool) -> None:
    path, own = f"{_PATH}.namespaceSelector", draft.value.get(_SELECTOR)
    usual = {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": ["kube-system", draft.value.get("namespace") or draft.namespace],
            }
        ]
    }
    if _means(selector) == _means(own or usual):
        said = f"{_SELECTOR} says the same" if own else f"it is what {_SELECTOR} is unless said otherwise"
        draft.note(path, Category.DROPPED, said, before=selector)
    elif own is None and only_pods and not list(label_selector.selector_problems(selector)):
        draft.value[_SELECTOR] = dict(selector)
        draft.note(path, Category.MOVED, f"is {_SELECTOR} from 0.15 on", before=selector, after=selector)
    else:
        draft.note(
            path,
            Category.DROPPED,
            f"{_SELECTOR} would do it for every kind of job and not for pods alone; write it there where that is meant",
            before=selector,
            severity=Severity.ACTION,
            meaning_kept=False,
        )


def _means(selector: Mapping[str, Any]) -> set[tuple[str, str, tuple[str, ...]]]:
    """A selector without its spelling; one of problems equals only itself."""
    alike: set[tuple[str, str, tuple[str, ...]]] = set()
    for key, value in (selector.get("matchLabels") or {}).items():
        alike.add((key, "In", (value,)))
    for given in selector.get("matchExpressions") or []:
        wanted = given or {}
        values = tuple(sorted(set(wanted.get("values") or [])))
        alike.add((wanted.get("key", ""), wanted.get("operator", ""), values))
    return alike
