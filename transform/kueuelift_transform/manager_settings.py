"""The manager's own settings in a Helm release: its Configuration and feature gates, brought to the target's release.

What is in effect now is what the ConfigMap of the snapshot holds. Values are written where the user set them, and where
the target's chart would put its own defaults in the place of others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelift import model, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.manager_config import KIND, NEW, version_in
from kueuelift.model import KubernetesObject, Loss
from kueuelift.redaction import has_token
from kueuelift.release_profile import ChartShape, Release, profile
from kueuelift_transform.captured import Captured
from kueuelift_transform.charts import Chart, default_values
from kueuelift_transform.configuration import ConvertedText, convert_text
from kueuelift_transform.configuration_change import Category, Change
from kueuelift_transform.configuration_decode import HiddenError, decode
from kueuelift_transform.configuration_effective import effective
from kueuelift_transform.gate_set import GateChange, settle
from kueuelift_transform.gates import list_gates
from kueuelift_transform.installation import Installation, hidden_at, value_at

CONFIG_KEY = "controller_manager_config.yaml"
MISPLACED = "controllerManager.managerConfig"
"""Where no chart of Kueue looks for a Configuration."""
_LOSSES = {
    Category.DROPPED: model.Change.DROPPED,
    Category.MOVED: model.Change.MOVED,
    Category.MERGED: model.Change.MERGED,
    Category.DEFAULTED: model.Change.DEFAULTED,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ManagerSettings:
    """What the plan makes of the manager's settings."""

    name: str
    """The ConfigMap that the chart makes of the Configuration."""
    namespace: str
    values: Mapping[str, Any]
    """The chart's values that have to be set for it; an emptied one is None."""
    changes: tuple[Change, ...] = ()
    """What converting the Configuration changes."""
    gate_changes: tuple[GateChange, ...] = ()
    """What becomes of the gates that stay in the chart's own list."""
    gates: Mapping[str, bool] = field(default_factory=dict)
    """Those that are set with these values, wherever."""
    gates_before: Mapping[str, bool] = field(default_factory=dict)
    """Those that are set now."""
    origin: str = ""
    """Where the Configuration was read; empty where none was found."""
    known: bool = False
    """Whether it is known what is in effect now."""
    pinned: bool = False
    """Whether the user never set it, and the plan does, since the new chart's own would be another."""
    refusal: str = ""
    """Why the Configuration cannot be carried over."""
    hidden: bool = False
    """Whether that is because the snapshot hides a part of it."""
    edited: tuple[str, ...] = ()
    """Fields in which the ConfigMap is not what the values say."""
    misplaced: str = ""
    """What would change if a Configuration in the wrong place were moved to the right one."""

    @property
    def config_map(self) -> str:
        """The ConfigMap, as findings name it."""
        return f"ConfigMap {self.namespace}/{self.name}"

    @property
    def losses(self) -> Iterator[Loss]:
        """Where each setting of the Configuration went, as losses.json has it."""
        for change in self.changes:
            if change.category in _LOSSES:
                yield Loss(
                    kind=KIND,
                    namespace=self.namespace,
                    name=self.name,
                    path=change.path,
                    change=_LOSSES[change.category],
                    to="managedJobsNamespaceSelector" if change.category is Category.MOVED else "",
                    value=change.after if change.category is Category.DEFAULTED else change.before,
                    reason=change.reason,
                    meaning_kept=change.meaning_kept,
                )


def manager_settings(
    captured: Captured, installation: Installation, *, source: Release | None, release: Release, chart: Chart | None
) -> ManagerSettings:
    """Work out the settings for a release; what cannot be carried over is said, and left as it is."""
    shape = profile(str(release)).chart
    work = _Work(installation, shape, source, release, _config_map(captured, installation, shape))
    name = installation.named(shape, "config_map")
    try:
        settings = work.settings(name, chart)
    except RefusedError as error:
        hidden = isinstance(error, HiddenError)
        return ManagerSettings(
            name=name, namespace=installation.namespace, values={}, refusal=str(error), hidden=hidden
        )
    return settings


class _Work:
    """One installation's settings on their way."""

    def __init__(
        self,
        installation: Installation,
        shape: ChartShape,
        source: Release | None,
        release: Release,
        live: tuple[str, str],
    ) -> None:
        self._installation, self._shape = installation, shape
        self._source, self._release = source, release
        self._live_origin, self._live = live
        self._path, self._gates_path = shape.values["manager_config"], shape.values["feature_gates"]

    def settings(self, name: str, chart: Chart | None) -> ManagerSettings:
        """All of it; RefusedError where the target would not start with the Configuration."""
        values = self._installation.values
        if hidden_at(values, self._path) or hidden_at(values, self._gates_path):
            raise HiddenError(f"values of Helm release {self._release_name}: the snapshot hides them")
        own, listed = self._own_text(), list_gates(self._installation, self._shape)
        text, origin = own, f"values of Helm release {self._release_name}: {self._path}"
        pinned = False
        if not text and self._live and self._is_other_than(chart):
            text, origin, pinned = self._without_injected(self._live), self._live_origin, True
        converted, kept = self._converted(text, origin, listed) if text else (None, dict(listed))
        settled = settle(kept, self._release, self._source)
        inside = dict((converted.value.get("featureGates") if converted else None) or {})
        before = {**self._gates_in(text or self._live), **listed}
        return ManagerSettings(
            name=name,
            namespace=self._installation.namespace,
            values=self._values(converted, settled.gates, listed),
            changes=converted.changes if converted else (),
            gate_changes=settled.changes,
            gates={**settled.gates, **inside},
            gates_before=before,
            origin=origin if text else "",
            known=bool(text or self._live),
            pinned=pinned,
            edited=tuple(self._edited(own)) if own and self._live else (),
            misplaced=self._misplaced(converted),
        )

    @property
    def _release_name(self) -> str:
        return f"{self._installation.namespace}/{self._installation.release}"

    def _own_text(self) -> str:
        """The Configuration in the user's values; written out where it is no text, as the chart wants one."""
        found = value_at(self._installation.values, self._path)
        return found if isinstance(found, str) else yaml_text.dump(found) if found else ""

    def _converted(self, text: str, origin: str, listed: Mapping[str, bool]) -> tuple[ConvertedText, dict[str, bool]]:
        """The Configuration, and the gates that stay in the chart's list: all or none, since two places are refused."""
        converted = self._convert(text, origin, {})
        if not listed or converted.value.get("featureGates") is None:
            return converted, dict(listed)
        return self._convert(text, origin, listed), {}

    def _convert(self, text: str, origin: str, more: Mapping[str, bool]) -> ConvertedText:
        return convert_text(
            text,
            release=self._release,
            origin=origin,
            source=self._source,
            namespace=self._installation.namespace,
            more_gates=more,
        )

    def _values(
        self, converted: ConvertedText | None, gates: Mapping[str, bool], listed: Mapping[str, bool]
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if converted:
            _put(values, self._path, converted.text)
        if dict(gates) != dict(listed):
            entries = [{"name": name, "enabled": on} for name, on in gates.items()]
            # A value that is taken away is written as null: helm keeps the old one otherwise.
            _put(values, self._gates_path, entries or None)
        return values

    def _gates_in(self, text: str) -> dict[str, bool]:
        document = yaml_text.load(text, "") if text else {}
        found = document.get("featureGates") if isinstance(document, dict) else None
        return {name: bool(on) for name, on in found.items()} if isinstance(found, dict) else {}

    def _is_other_than(self, chart: Chart | None) -> bool:
        """Whether the new chart's own Configuration would put something else in effect than what is in effect now."""
        usual = value_at(default_values(chart), self._path) if chart else None
        if not isinstance(usual, str) or not usual:
            return True
        kept = self._convert(self._without_injected(self._live), self._live_origin, {})
        own = self._in_effect(kept.text, self._live_origin, self._release)
        return own != self._in_effect(usual, f"chart of {self._release}: values.yaml", self._release)

    def _in_effect(self, text: str, origin: str, release: Release) -> dict[str, Any]:
        decoded = decode(text, release=self._release, origin=origin)
        return effective(decoded.value, decoded.version, release, namespace=self._installation.namespace)

    def _without_injected(self, text: str) -> str:
        """A ConfigMap's text without the certificate settings that charts from 0.16 on put in by themselves."""
        document = yaml_text.load(text, self._live_origin)
        injected = {
            "enable": True,
            "webhookServiceName": self._installation.named(self._shape, "webhook_service"),
            "webhookSecretName": self._installation.named(self._shape, "secret"),
        }
        if isinstance(document, dict) and document.get("internalCertManagement") == injected:
            return yaml_text.dump({key: item for key, item in document.items() if key != "internalCertManagement"})
        return text

    def _edited(self, own: str) -> Iterator[str]:
        """What somebody changed in the ConfigMap by hand, which an upgrade undoes."""
        try:
            since = self._source or self._release
            said = self._in_effect(own, self._path, since)
            live = self._in_effect(self._without_injected(self._live), self._live_origin, since)
        except RefusedError:
            yield "all of it, since one of the two cannot be read"
            return
        said.pop("internalCertManagement", None)
        live.pop("internalCertManagement", None)
        yield from (key for key in sorted(said.keys() | live.keys()) if said.get(key) != live.get(key))

    def _misplaced(self, converted: ConvertedText | None) -> str:
        found = value_at(self._installation.values, f"{MISPLACED}.controllerManagerConfigYaml")
        if not found:
            return ""
        text = found if isinstance(found, str) else yaml_text.dump(found)
        try:
            moved = self._convert(text, f"values of Helm release {self._release_name}: {MISPLACED}", {})
        except HiddenError:
            return "what it would change is hidden in the snapshot"
        except RefusedError as error:
            return f"the manager would not start with it ({error})"
        then = effective(moved.value, NEW, self._release, namespace=self._installation.namespace)
        usual = converted.value if converted else None
        if usual is None:
            return f"it would take the place of the chart's default, with {_listed(sorted(moved.value))}"
        now = effective(usual, NEW, self._release, namespace=self._installation.namespace)
        other = [key for key in sorted(now.keys() | then.keys()) if now.get(key) != then.get(key)]
        return f"these would change: {_listed(other)}" if other else "nothing would change"


def _listed(names: list[str]) -> str:
    return ", ".join(name for name in names if name not in ("apiVersion", "kind")) or "nothing"


def _config_map(captured: Captured, installation: Installation, shape: ChartShape) -> tuple[str, str]:
    """Where the Configuration that is in effect was found, and its text; both empty where it is not known."""
    name = installation.named(shape, "config_map")
    installed = [obj for _, obj in captured.snapshot.parts("installation") if obj.get("kind") == "ConfigMap"]
    for obj in (*installed, *installation.manifest):
        if obj.get("kind") == "ConfigMap" and _is(obj, installation.namespace, name):
            for text in (obj.get("data") or {}).values():
                if isinstance(text, str) and not has_token(text) and _is_configuration(text):
                    return f"ConfigMap {installation.namespace}/{name}", text
    return "", ""


def _is(obj: KubernetesObject, namespace: str, name: str) -> bool:
    metadata = obj["metadata"]
    return bool(metadata.get("name") == name and (metadata.get("namespace") or namespace) == namespace)


def _is_configuration(text: str) -> bool:
    try:
        document = yaml_text.load(text, "")
        return isinstance(document, dict) and bool(version_in(document, ""))
    except RefusedError:
        return False


def _put(values: dict[str, Any], path: str, value: Any) -> None:
    *above, name = path.split(".")
    for key in above:
        values = values.setdefault(key, {})
    values[name] = value
