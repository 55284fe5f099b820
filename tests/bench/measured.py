"""One run of a command, and several of them: time, processor, peak memory."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from bed.failure import BedError

_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """What one run took, or several in the middle."""

    seconds: float
    """By the clock on the wall."""
    processor: float
    """Seconds of processor time, user and system."""
    peak: float
    """The most memory that it had at a time, in bytes."""

    @classmethod
    def middle(cls, runs: Sequence[Self]) -> Self:
        """The median of each figure."""
        return cls(
            seconds=median(run.seconds for run in runs),
            processor=median(run.processor for run in runs),
            peak=median(run.peak for run in runs),
        )


def measure(
    command: Sequence[str | Path], *, environment: Mapping[str, str], out: Path, may_fail: bool = False
) -> Figures:
    """Run a command to its end, its output into the file `out`; BedError where it ends otherwise."""
    errors = out.with_suffix(".stderr")
    words = [sys.executable, "-I", "-S", _LAUNCHER, out, errors, *command]
    with subprocess.Popen(words, env=dict(environment), stdout=subprocess.PIPE, process_group=0) as launcher:
        try:
            told = json.loads(launcher.communicate()[0])
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(launcher.pid, signal.SIGTERM)
            raise
    if told["code"] not in ({0, 1} if may_fail else {0}):
        raise BedError(f"{' '.join(map(str, command))} ended with {told['code']}: {errors.read_text()[-1500:].strip()}")
    return Figures(seconds=told["seconds"], processor=told["processor"], peak=told["peak"])
