"""The chart of the Kueue release that the manager is built from, packaged as the release job packages it."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bed.failure import BedError
from bed.toolchain import environment

MODULE = "sigs.k8s.io/kueue"
REGISTRY = "registry.k8s.io/kueue/kueue"


def package(*, go: Path, helm: Path, module: Path, out: Path) -> None:
    """Packages the chart in the Go module's folder into `out`, named `kueue-<version>.tgz`."""
    source = _module_directory(go, module) / "charts" / "kueue"
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        # The module cache is read-only, and its modes would travel into the archive's copy.
        chart = Path(scratch) / "kueue"
        shutil.copytree(source, chart, copy_function=shutil.copyfile)
        _as_released(chart, re.sub(r"^kueue-|\.tgz$", "", out.name))
        _run([str(helm), "package", str(chart), "--destination", scratch], cwd=Path(scratch))
        made = Path(scratch) / out.name
        if not made.exists():
            raise BedError(f"helm packaged another version than {out.name} from {MODULE}, see its Chart.yaml")
        made.rename(out)


def _module_directory(go: Path, module: Path) -> Path:
    answer = json.loads(_run([str(go), "mod", "download", "-json", MODULE], cwd=module))
    return Path(answer["Dir"])


def _as_released(chart: Path, version: str) -> None:
    """Sets what the release job sets and the tagged tree does not have: the image, and when to pull it."""
    values = chart / "values.yaml"
    text = values.read_text(encoding="utf-8")
    head, marker, rest = text.partition("\nmanagerConfig:\n")
    for key, value in {"repository": REGISTRY, "tag": f"v{version}", "pullPolicy": "IfNotPresent"}.items():
        head, count = re.subn(rf"(?m)^(      {key}:) \S+$", rf"\1 {value}", head)
        if count != 1 or not marker:
            raise BedError(f"the chart's values.yaml has {count} places for the manager's image {key}, wanted one")
    values.write_text(head + marker + rest, encoding="utf-8")


def _run(command: list[str], *, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise BedError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-800:]}")
    return done.stdout
