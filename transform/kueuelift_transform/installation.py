"""The Helm release that holds Kueue: its name, what its manager and hooks are called, what its user set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift.helm_record import HelmRecord
from kueuelift.model import KubernetesObject
from kueuelift.redaction import is_token
from kueuelift.release_profile import ChartShape
from kueuelift_transform.captured import manager_deployments

HOOK_KINDS = ("APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
"""What keeps failing calls once the manager behind it has stopped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """One Helm release of Kueue, there already or to be made."""

    release: str
    namespace: str
    values: Mapping[str, Any]
    """What the user set, hidden values as tokens."""
    record: HelmRecord | None = None
    """The newest deployed revision; None for a release to be made."""

    @property
    def manifest(self) -> tuple[KubernetesObject, ...]:
        """What the deployed revision installed."""
        return self.record.manifest if self.record else ()

    @property
    def holds_crds(self) -> bool:
        """Whether the deployed revision's manifest has CRDs, which helm would delete with it."""
        return any(obj.get("kind") == "CustomResourceDefinition" for obj in self.manifest)

    def named(self, chart: ChartShape, what: str) -> str:
        """The name that the chart gives one of its objects in this release."""
        return chart.object_name(
            what,
            self.release,
            name=str(value_at(self.values, chart.values["name"]) or ""),
            full_name=str(value_at(self.values, chart.values["full_name"]) or ""),
        )

    def managers(self, chart: ChartShape) -> list[dict[str, str]]:
        """Namespace and name of each Deployment of the deployed revision that runs a manager."""
        found = manager_deployments(self.manifest, self.named(chart, "deployment"))
        return [self._placed(obj) for obj in found]

    def hooks(self) -> list[dict[str, str]]:
        """The cluster-wide hooks of the deployed revision, sorted."""
        found = [obj for obj in self.manifest if obj.get("kind") in HOOK_KINDS]
        hooks = [
            {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": obj["metadata"]["name"]} for obj in found
        ]
        return sorted(hooks, key=lambda hook: (hook["kind"], hook["name"]))

    def _placed(self, obj: KubernetesObject) -> dict[str, str]:
        metadata = obj["metadata"]
        return {"namespace": metadata.get("namespace") or self.namespace, "name": metadata["name"]}


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path of Helm values; None where there is none or it is hidden."""
    found: Any = values
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return None if is_token(found) else found


def hidden_at(values: Mapping[str, Any], path: str) -> bool:
    """Whether the value at a dotted path, or what it lies in, is hidden by a token."""
    found: Any = values
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return False
        found = found[key]
        if is_token(found):
            return True
    return False


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Values with others laid over them, as helm does it."""
    laid = dict(base)
    for key, value in over.items():
        below = laid.get(key)
        laid[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return laid


def without_tokens(value: Any) -> Any:
    """Values with every hidden one left out, for a rendering that only names and images are read from."""
    if isinstance(value, Mapping):
        return {key: without_tokens(item) for key, item in value.items() if not _hidden(item)}
    if isinstance(value, list):
        return [without_tokens(item) for item in value if not _hidden(item)]
    return value


def _hidden(value: Any) -> bool:
    return isinstance(value, str) and "kueuelift-token-" in value
