"""A cluster with Kueue on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from bed.control_plane import ControlPlane
from bed.manager import Manager
from bed.node import Node

RELEASE, NAMESPACE = "kueue", "kueue-system"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kueue:
    """The cluster, its node, and the real manager where it runs one."""

    cluster: ControlPlane
    node: Node
    manager: Manager | None = None


def install(cluster: ControlPlane, *, gates: Mapping[str, bool] | None = None) -> None:
    """Installs the chart of the real release, as its users do; a Node starts its manager."""
    chart = str(cluster.programs.chart)
    words: list[str] = []
    for index, (name, enabled) in enumerate((gates or {}).items()):
        place = f"controllerManager.featureGates[{index}]"
        words += ["--set", f"{place}.name={name}", "--set", f"{place}.enabled={str(enabled).lower()}"]
    cluster.helm("install", RELEASE, chart, "--namespace", NAMESPACE, "--create-namespace", *words)
