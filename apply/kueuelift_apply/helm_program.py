"""The helm program as an adapter: an argument vector, never a shell, version 3.20 or newer."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuelift.errors import PartlyDoneError, RefusedError
from kueuelift_apply.live import Access

OLDEST = (3, 20)
EXTRA_ARGUMENTS = "KUEUELIFT_HELM_ARGS"
"""Environment variable with further arguments for `helm upgrade`: they never enter a plan."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """The newest record of a release, as `helm history` tells it."""

    number: int
    status: str
    chart: str
    """`kueue-0.17.0`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Helm:
    """helm, pointed at one cluster."""

    access: Access

    def check(self) -> str:
        """The version found; RefusedError where helm is missing or too old."""
        if shutil.which("helm") is None:
            raise RefusedError(
                "helm: not found on PATH, version 3.20 or newer wanted; install it on this host and run again"
            )
        text = self._run("version", "--template", "{{.Version}}").strip()
        found = re.match(r"v?(\d+)\.(\d+)", text)
        if found is None or (int(found[1]), int(found[2])) < OLDEST:
            raise RefusedError(
                f"helm: version {text!r} found, 3.20 or newer wanted; install it on this host and run again"
            )
        return text

    def newest(self, release: str, namespace: str) -> Revision | None:
        """The newest record of a release; None where there is no such release."""
        try:
            text = self._run("history", release, "--namespace", namespace, "--max", "1", "--output", "json")
        except HelmError as error:
            if "release: not found" in str(error):
                return None
            raise
        last = json.loads(text)[-1]
        return Revision(number=last["revision"], status=last["status"], chart=last["chart"])

    def values(self, release: str, namespace: str) -> dict[str, Any]:
        """The values that the user gave; they may hold secrets and stay in memory."""
        text = self._run("get", "values", release, "--namespace", namespace, "--output", "json")
        values: dict[str, Any] = json.loads(text) or {}
        return values

    def upgrade(
        self, release: str, namespace: str, chart: Path, values: Path, seconds: int, started: Callable[[int], None]
    ) -> None:
        """Install or upgrade; the release's own values stay, ours are laid over them. `started` is told the process."""
        self._run(
            *("upgrade", release, str(chart), "--install", "--namespace", namespace, "--create-namespace"),
            *("--reset-then-reuse-values", "--values", str(values), "--timeout", f"{seconds}s"),
            *_extra_arguments(),
            started=started,
        )

    def _run(self, *arguments: str, started: Callable[[int], None] = lambda _: None) -> str:
        access = [
            *(("--kubeconfig", str(self.access.kubeconfig)) if self.access.kubeconfig else ()),
            *(("--kube-context", self.access.context) if self.access.context else ()),
        ]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HELM_KUBE")}
        with subprocess.Popen(
            ["helm", *arguments, *access], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as process:
            started(process.pid)
            try:
                told, complaint = process.communicate()
            except BaseException:
                process.terminate()
                raise
        if process.returncode != 0:
            raise HelmError(f"helm {arguments[0]}: {_last_line(complaint)}; mend it and run again")
        return told


def _extra_arguments() -> list[str]:
    """What the operator adds; never another cluster or namespace than the one that was checked."""
    extra = shlex.split(os.environ.get(EXTRA_ARGUMENTS, ""))
    for argument in extra:
        if argument.startswith(("--kube", "--namespace", "-n")):
            raise RefusedError(
                f"{EXTRA_ARGUMENTS}: {argument} found, which would turn helm to another place; remove it"
            )
    return extra


class HelmError(PartlyDoneError):
    """helm ended with an error; what it did so far is in its own record."""


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    return lines[-1].removeprefix("Error: ")[:500] if lines else "no reason given"
