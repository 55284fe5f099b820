"""Charts as files: read without being unpacked, told apart by their Chart.yaml, rendered by helm where it is there."""

import gzip
import io
import os
import re
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import shaped
from kueuelift.release_profile import Release
from kueuelift.sealed import file_name

CHART_NAME = "kueue"
VALUES_PATH = "helm/values.yaml"
"""Where the values that a plan sets lie in it."""
_LARGEST_FILE = 16 << 20
_LARGEST_CHART = 64 << 20
_PATIENCE_SECONDS = 120


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """One chart archive, whole."""

    path: Path
    content: bytes
    name: str
    version: str
    app_version: str

    @property
    def plan_path(self) -> str:
        """Where the chart lies in a plan."""
        return f"helm/{file_name(self.path.name.removesuffix('.tgz'), '.tgz')}"


def read_chart(path: Path) -> Chart:
    """Read an archive into memory and its Chart.yaml; RefusedError where it is no chart."""
    if path.exists() and not path.is_file():
        raise RefusedError(f"--chart {path}: not a regular file; give a chart's .tgz file")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= _LARGEST_FILE else b""
    except OSError as error:
        raise RefusedError(f"--chart {path}: cannot be read ({error.strerror}); give a chart's .tgz file") from None
    if not content:
        raise RefusedError(
            f"--chart {path}: {size} bytes found, a chart of at most {_LARGEST_FILE >> 20} MB wanted; give its .tgz"
        )
    try:
        about = _chart_yaml(path, content)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise RefusedError(
            f"--chart {path}: no chart archive ({error}); give the .tgz that `helm pull` saves"
        ) from None
    version, app_version = str(about.get("version", "")), str(about.get("appVersion", ""))
    return Chart(path=path, content=content, name=str(about["name"]), version=version, app_version=app_version)


def chart_for(charts: Sequence[Chart], release: Release) -> Chart | None:
    """The one chart of the release; RefusedError where one given is not Kueue's or not the release's."""
    for chart in charts:
        if chart.name != CHART_NAME:
            raise RefusedError(
                f"--chart {chart.path}: chart {chart.name!r} found, {CHART_NAME!r} wanted; give Kueue's own chart"
            )
        if not (_is(chart.version, release) and _is(chart.app_version, release)):
            raise RefusedError(
                f"--chart {chart.path}: version {chart.version or '?'}, appVersion {chart.app_version or '?'} found, "
                f"{release} with v{release} wanted; give the chart of that release"
            )
    if len(charts) > 1:
        raise RefusedError(
            f"--chart {charts[1].path}: a second chart of release {release}, after {charts[0].path}; give one a release"
        )
    return charts[0] if charts else None


def default_values(chart: Chart) -> dict[str, Any]:
    """The values of the chart's own values.yaml; empty where it has none that can be read."""
    found = _member(chart.path, chart.content, "values.yaml")
    try:
        values = yaml_text.load(found[1] if found else b"", f"{chart.path}: values.yaml")
    except RefusedError:
        return {}
    return values if isinstance(values, dict) else {}


def render(
    chart: Chart, *, helm: Path, release: str, namespace: str, values: Mapping[str, Any], kube_version: str
) -> tuple[KubernetesObject, ...]:
    """The chart's objects as helm would install them; helm sees no kubeconfig, no plugin and no repository."""
    with tempfile.TemporaryDirectory(prefix="kueuelift-chart-") as folder:
        archive, values_file = Path(folder, "chart.tgz"), Path(folder, "values.yaml")
        archive.write_bytes(chart.content)
        values_file.write_text(yaml_text.dump(dict(values)), encoding="utf-8")
        known = ["--kube-version", version[0]] if (version := re.match(r"v?\d+\.\d+\.\d+", kube_version)) else []
        command = [
            *(str(helm), "template", release, str(archive), "--namespace", namespace, "--include-crds"),
            *("--values", str(values_file), *known),
        ]
        rendered = _run(command, chart, folder)
    origin = f"--chart {chart.path}, rendered by helm template"
    manifest = tuple(shaped(document, origin) for document in yaml_text.load_all(rendered, origin))
    if not any(obj["kind"] == "Deployment" for obj in manifest):
        raise RefusedError(f"{origin}: no Deployment found, so no Kueue would run; give the chart as released")
    return manifest


def _run(command: list[str], chart: Chart, folder: str) -> bytes:
    places = {f"HELM_{what}_HOME": folder for what in ("CACHE", "CONFIG", "DATA")}
    environment = {"PATH": os.defpath, "HOME": folder, "HELM_PLUGINS": f"{folder}/plugins", **places}
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, check=False, timeout=_PATIENCE_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise RefusedError(
            f"--chart {chart.path}: helm template did not end in {_PATIENCE_SECONDS} s; render it by hand to see why"
        ) from None
    except OSError as error:
        raise RefusedError(
            f"{command[0]}: cannot be run ({error.strerror}); install helm 3.20 or newer, or take it off PATH"
        ) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        said = next((line for line in lines if line.startswith("Error: ")), "Error: no reason given")
        raise RefusedError(
            f"--chart {chart.path}: helm template refused it ({said.removeprefix('Error: ')[:300]}); "
            "mend the release's values or give another chart"
        )
    return done.stdout


def _chart_yaml(path: Path, content: bytes) -> dict[str, Any]:
    """The top Chart.yaml of an archive that is whole."""
    found = _member(path, content, "Chart.yaml")
    if found is None:
        raise RefusedError(f"--chart {path}: an archive without a Chart.yaml; give the .tgz that `helm pull` saves")
    name, content = found
    about = yaml_text.load(content, f"{path}: {name}")
    if isinstance(about, dict) and isinstance(about.get("name"), str):
        return about
    raise RefusedError(f"--chart {path}: {name} names no chart; give a .tgz that `helm pull` saved")


def _member(path: Path, content: bytes, name: str) -> tuple[str, bytes] | None:
    """A file of the chart's top folder, with its name there; nothing is unpacked to disk."""
    with tarfile.open(fileobj=io.BytesIO(_unpacked(path, content)), mode="r:") as archive:
        for member in archive.getmembers():
            if member.isfile() and re.fullmatch(rf"(?:\./)?[^/]+/{re.escape(name)}", member.name):
                file = archive.extractfile(member)
                return member.name, file.read() if file else b""
    return None


def _unpacked(path: Path, content: bytes) -> bytes:
    """The whole archive, its checksum verified; what unpacks to more than any chart does is refused."""
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        unpacked = packed.read(_LARGEST_CHART + 1)
    if len(unpacked) > _LARGEST_CHART:
        raise RefusedError(
            f"--chart {path}: more than {_LARGEST_CHART >> 20} MB unpacked, and no chart is; give Kueue's .tgz"
        )
    return unpacked


def _is(text: str, release: Release) -> bool:
    """Whether a chart's version is the release; what a site put behind a plus sign does not count."""
    try:
        return Release.parse(text) == release
    except RefusedError:
        return False
