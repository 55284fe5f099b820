"""Takes a Configuration to v1beta2 as data, so that the manager of a release does with it what it did before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift.manager_config import CONFIG_GROUP, NEW, OLD, Default, manager_config
from kueuelift.model import Severity
from kueuelift.release_profile import Release
from kueuelift_transform.configuration_change import Category, Change
from kueuelift_transform.configuration_pods import without_pod_options
from kueuelift_transform.gate_set import settle

DISABLE = "DisableWaitForPodsReady"
ON_UNLESS_SAID = Release(major=0, minor=19)
"""From here on a v1beta2 Configuration without waitForPodsReady turns it on."""
RECOVERY_TIMED = Release(major=0, minor=16)
"""From here on the time to recover is the timeout unless said otherwise; before, there was no limit."""


@dataclass(kw_only=True, slots=True)
class Draft:
    """A Configuration on its way, and what was changed so far."""

    value: dict[str, Any]
    version: str
    release: Release
    source: Release | None
    namespace: str
    changes: list[Change] = field(default_factory=list)

    def note(self, path: str, category: Category, reason: str, **more: Any) -> None:
        """One more change."""
        self.changes.append(Change(path=path, category=category, reason=reason, **more))

    def default(self, path: str) -> Any:
        """What the old version's manager of the target fills in at a path where its block is on; None: nothing."""
        found: list[Default] = [d for d in manager_config(self.release).defaults[self.version] if d.path == path]
        return found[-1].value if found else None


def converted(
    value: Mapping[str, Any],
    version: str,
    *,
    release: Release,
    source: Release | None,
    namespace: str,
    more_gates: Mapping[str, bool] | None = None,
) -> tuple[dict[str, Any], list[Change]]:
    """The Configuration at v1beta2 and every change; `more_gates` are those that are set elsewhere and come in here.

    `value` has to be one that the release's manager can read, and `source` is the release that runs with it now.
    """
    draft = Draft(value=dict(value), version=version, release=release, source=source, namespace=namespace)
    draft.value["apiVersion"] = f"{CONFIG_GROUP}/{NEW}"
    if version == OLD:
        _drop_queue_visibility(draft)
        without_pod_options(draft)
        _say_fair_sharing(draft)
    _say_waiting(draft)
    _settle_gates(draft, more_gates or {})
    return draft.value, draft.changes


def _drop_queue_visibility(draft: Draft) -> None:
    if "queueVisibility" in draft.value:
        before = draft.value.pop("queueVisibility")
        acted = draft.source is not None and draft.source < Release(major=0, minor=14)
        reason = "has had no effect since 0.14; who reads pending workloads asks the visibility API"
        severity = Severity.ACTION if acted and before else Severity.NOTICE
        draft.note(
            "queueVisibility", Category.DROPPED, reason, before=before, severity=severity, meaning_kept=not acted
        )


def _say_fair_sharing(draft: Draft) -> None:
    if "fairSharing" not in draft.value:
        return
    before = draft.value["fairSharing"] or {}
    if not before.get("enable"):
        del draft.value["fairSharing"]
        reason = "it was off, which v1beta2 says by leaving the block out"
        draft.note("fairSharing", Category.DROPPED, reason, before=before)
        return
    after = {key: item for key, item in before.items() if key != "enable"}
    reason = "v1beta2 has no such field: the block being there turns it on"
    draft.note("fairSharing.enable", Category.DROPPED, reason, before=True)
    if not after.get("preemptionStrategies"):
        path = "fairSharing.preemptionStrategies"
        after["preemptionStrategies"] = list(draft.default(path))
        reason = "v1beta1 filled both in, v1beta2 wants them written"
        draft.note(path, Category.DEFAULTED, reason, after=after["preemptionStrategies"])
    draft.value["fairSharing"] = after


def _say_waiting(draft: Draft) -> None:
    before = draft.value.get("waitForPodsReady")
    if draft.version == OLD and not (before or {}).get("enable"):
        if "waitForPodsReady" in draft.value:
            del draft.value["waitForPodsReady"]
            reason = "it was off, which v1beta2 says by leaving the block out"
            draft.note("waitForPodsReady", Category.DROPPED, reason, before=before)
        _keep_off(draft)
    elif before is None:
        if draft.source is not None and draft.source < ON_UNLESS_SAID:
            _keep_off(draft)
    else:
        draft.value["waitForPodsReady"] = _waiting(draft, before)


def _waiting(draft: Draft, before: Mapping[str, Any]) -> dict[str, Any]:
    """The block that is on, with what the versions and releases fill in otherwise written down."""
    after: dict[str, Any] = {key: item for key, item in before.items() if key != "enable"}
    if draft.version == OLD:
        reason = "v1beta2 has no such field: the block being there turns it on"
        draft.note("waitForPodsReady.enable", Category.DROPPED, reason, before=True)
        for name, why in (
            ("timeout", "v1beta1 fills in its own, v1beta2 another or none"),
            ("blockAdmission", "v1beta1 fills in true, v1beta2 false"),
        ):
            if after.get(name) is None:
                after[name] = draft.default(f"waitForPodsReady.{name}")
                draft.note(f"waitForPodsReady.{name}", Category.DEFAULTED, why, after=after[name])
    if after.get("recoveryTimeout") is None and after.get("timeout") is not None:
        endless = draft.source is not None and draft.source < RECOVERY_TIMED
        if draft.version == OLD or endless:
            after["recoveryTimeout"] = "0s" if endless else after["timeout"]
            reason = f"there was no limit before {RECOVERY_TIMED.line}" if endless else "it is the timeout unless said"
            draft.note("waitForPodsReady.recoveryTimeout", Category.DEFAULTED, reason, after=after["recoveryTimeout"])
    return after


def _keep_off(draft: Draft) -> None:
    """Waiting for pods stays off where the new manager would turn it on by itself."""
    gates = draft.value.get("featureGates") or {}
    if draft.release >= ON_UNLESS_SAID and not gates.get(DISABLE):
        draft.value["featureGates"] = {**gates, DISABLE: True}
        reason = f"waiting for pods was off, and release {draft.release} turns it on where nothing is said"
        draft.note(f"featureGates.{DISABLE}", Category.DEFAULTED, reason, before=gates.get(DISABLE), after=True)


def _settle_gates(draft: Draft, more: Mapping[str, bool]) -> None:
    own = draft.value.get("featureGates")
    before = {name: bool(on) for name, on in (own or {}).items()}
    for name, on in sorted(more.items()):
        reason = "gates are given in one place only, and the manager refuses two"
        draft.note(f"featureGates.{name}", Category.MERGED, reason, before=before.get(name), after=on)
    settled = settle({**before, **more}, draft.release, draft.source)
    for change in settled.changes:
        draft.note(
            f"featureGates.{change.name}",
            Category.DROPPED if change.after is None else Category.DEFAULTED,
            change.reason,
            before=change.before,
            after=change.after,
            severity=Severity.ACTION if change.in_effect else Severity.NOTICE,
            meaning_kept=not change.in_effect,
        )
    if settled.gates == before and not more:
        return
    order = [name for name in (own or {}) if name in settled.gates]
    names = [*order, *(name for name in settled.gates if name not in order)]
    if names:
        draft.value["featureGates"] = {name: settled.gates[name] for name in names}
    else:
        draft.value.pop("featureGates", None)
