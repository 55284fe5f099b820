"""The feature gates that an installation sets, wherever it sets them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.release_profile import ChartShape
from kueuelift_transform.installation import Installation, hidden_at, value_at


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class GateSetting:
    """One gate as the user set it."""

    name: str
    enabled: bool
    where: str
    """A path of the release's values."""


def gates_set(installation: Installation, chart: ChartShape) -> list[GateSetting]:
    """The gates of the release's values: the chart's own list, and those in the manager's Configuration."""
    return sorted([*_from_list(installation, chart), *_from_configuration(installation, chart)])


def list_gates(installation: Installation, chart: ChartShape) -> dict[str, bool]:
    """The gates of the chart's own list; of one that stands there twice, the last counts, as for the manager."""
    return {setting.name: setting.enabled for setting in _from_list(installation, chart)}


def hidden_places(installation: Installation, chart: ChartShape) -> list[str]:
    """The places of gates that the snapshot hides."""
    places = (chart.values["feature_gates"], chart.values["manager_config"])
    return [path for path in places if hidden_at(installation.values, path)]


def _from_list(installation: Installation, chart: ChartShape) -> Iterator[GateSetting]:
    path = chart.values["feature_gates"]
    listed = value_at(installation.values, path)
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and "name" in entry:
            yield GateSetting(name=str(entry["name"]), enabled=bool(entry.get("enabled")), where=path)


def _from_configuration(installation: Installation, chart: ChartShape) -> Iterator[GateSetting]:
    path = chart.values["manager_config"]
    configuration: Any = value_at(installation.values, path)
    if isinstance(configuration, str):
        try:
            configuration = yaml_text.load(configuration, path)
        except RefusedError:
            # Why it cannot be read is told where it is carried over.
            return
    gates = configuration.get("featureGates") if isinstance(configuration, dict) else None
    for name, enabled in sorted(gates.items()) if isinstance(gates, dict) else []:
        yield GateSetting(name=str(name), enabled=bool(enabled), where=f"{path}: featureGates")
