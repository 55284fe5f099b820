"""The Configuration that a manager of the bed is started with: the cluster's own, moved to loopback."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

FRAMEWORKS = ["batch/job"]
"""The only integration whose kind the bed's API server knows."""

_OFF = "VisibilityOnDemand"


def on_loopback(
    text: str, *, webhook_port: int, health_port: int, metrics_port: int, certificates: Path
) -> dict[str, Any]:
    """The Configuration in `text`, changed in its addresses, its leader election and its integrations only."""
    configuration: dict[str, Any] = deepcopy(yaml.safe_load(text)) or {}
    configuration.setdefault("health", {})["healthProbeBindAddress"] = f"127.0.0.1:{health_port}"
    configuration.setdefault("metrics", {})["bindAddress"] = f"127.0.0.1:{metrics_port}"
    configuration.setdefault("webhook", {}).update(host="127.0.0.1", port=webhook_port, certDir=str(certificates))
    configuration.setdefault("leaderElection", {})["leaderElect"] = False
    configuration.setdefault("integrations", {})["frameworks"] = FRAMEWORKS
    # It takes one place only for gates, so where the file has some, the bed's own goes there.
    if configuration.get("featureGates") is not None:
        configuration["featureGates"][_OFF] = False
    return configuration


def arguments(own: list[str], *, path: Path, gates_in_file: bool) -> list[str]:
    """The manager's arguments: the container's, with the file's place and the visibility server off.

    The visibility server listens on every interface and on one fixed port, so two beds could not run side by side.
    """
    gates = [word.partition("=")[2] for word in own if word.startswith("--feature-gates=")]
    kept = [word for word in own if not word.startswith(("--feature-gates=", "--config="))]
    if not gates_in_file or gates:
        kept.append(f"--feature-gates={','.join([*gates, f'{_OFF}=false'])}")
    return [f"--config={path}", *kept]
