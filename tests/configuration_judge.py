"""Asks the bed's configuration-judge, which loads a Configuration with the code of Kueue 0.17.0."""

import base64
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kueuelift.manager_config import NEW, manager_config
from kueuelift.release_profile import Release
from kueuelift_transform.configuration_effective import canonical

RELEASE = Release.parse("0.17.0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the manager makes of a text."""

    effective: dict[str, Any]
    """What is in effect, without what Go cannot tell from nothing."""
    error: str


class Judge:
    """One running judge."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def load(self, text: str) -> Verdict:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(base64.b64encode(text.encode()) + b"\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        found = {key: item for key, item in told.get("effective", {}).items() if key not in ("apiVersion", "kind")}
        # A v1beta1 file leaves this block out, and the manager takes the same port then.
        effective = canonical(found, manager_config(RELEASE).shapes[NEW]) | (
            {} if found.get("visibilityServer") else {"visibilityServer": {"bindPort": 8082}}
        )
        return Verdict(effective=effective if found else {}, error=told.get("error", ""))
