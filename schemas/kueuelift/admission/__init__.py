"""What Kueue's validating webhooks refuse of the objects that a CRD accepts, by release: `problems` judges one object.

The webhooks judge ClusterQueues, Cohorts, ResourceFlavors and Workloads, and they judge the whole object at every
create and update, whatever has changed. Rules that compare with the object as it was are not judged here: they are
named in `unjudged`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Self

from kueuelift.admission import kinds
from kueuelift.admission.rule import AdmissionRule, Broken, KindRules, Setting
from kueuelift.admission.unjudged import Unjudged, left_to_server
from kueuelift.catalogue import discover
from kueuelift.errors import RefusedError
from kueuelift.kinds import TARGET_VERSION, kind_of, version_of
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.release_profile import Release

__all__ = ["AdmissionRule", "Broken", "Judge", "Unjudged", "all_rules", "left_to_server", "problems"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """The webhooks of one release with its gates as they are set; choosing the rules takes a moment, so keep it."""

    setting: Setting
    rules: Mapping[str, tuple[AdmissionRule, ...]]
    """By kind: those that this release holds."""

    @classmethod
    def of(cls, release: Release, gates: Mapping[str, bool] | None = None) -> Self:
        """Choose the rules; gates that are not given have the release's defaults."""
        setting = Setting.of(release, gates)
        chosen = {kind: tuple(rule for rule in rules if rule.holds(setting)) for kind, rules in all_rules().items()}
        return cls(setting=setting, rules=chosen)

    def problems(self, obj: KubernetesObject) -> list[Broken]:
        """List what the webhooks refuse, in the order of the rules; nothing for kinds that they do not judge."""
        kind = kind_of(obj)
        if kind is None or kind.name not in self.rules:
            return []
        quick = _kinds()[kind.name].surely_fine
        if version_of(obj["apiVersion"]) != TARGET_VERSION:
            raise RefusedError(
                f"{ObjectRef.of(obj)} is at {obj['apiVersion']}, and the webhooks' rules are those of "
                f"{TARGET_VERSION}; convert it first"
            )
        if quick and quick(obj):
            return []
        return [
            Broken(
                rule=rule.id,
                path=fault.path,
                found=fault.found,
                wanted=fault.wanted,
                rewritable=fault.rewritable,
            )
            for rule in self.rules[kind.name]
            for fault in rule.check(obj, self.setting)
        ]


def problems(obj: KubernetesObject, *, release: Release, gates: Mapping[str, bool] | None = None) -> list[Broken]:
    """List what a release's webhooks refuse of an object that the CRD accepts, given at v1beta2 and in stored form.

    Nothing found means that a create would pass. Gates that are not given have the release's defaults.
    """
    return _judge(release, tuple(sorted((gates or {}).items()))).problems(obj)


@lru_cache(maxsize=16)
def _judge(release: Release, gates: tuple[tuple[str, bool], ...]) -> Judge:
    return Judge.of(release, dict(gates))


@cache
def all_rules() -> Mapping[str, tuple[AdmissionRule, ...]]:
    """Every rule that some release's webhooks hold, by kind."""
    return {kind: item.rules for kind, item in _kinds().items()}


@cache
def _kinds() -> Mapping[str, KindRules]:
    return {item.kind: item for item in discover(kinds, "KIND", KindRules)}
