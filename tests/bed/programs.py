"""The programs of the bed, built from the Go module registry at the versions pinned in `go/`.

They lie in a cache outside the repository, each under a hash of what it is built from, so a changed pin builds anew and
an unchanged one is found again. A program appears whole or not at all, and two runs never build at the same time.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from bed import release_chart
from bed.failure import BedError
from bed.toolchain import Report, environment, go_command

KUBERNETES = "1.35.4"
KUEUE = "0.17.0"
SOURCES = Path(__file__).parent / "go"
HOW = "run `make testbed` (it needs the module registry and, for want of go 1.26, the package registry)"

_VERSION = "k8s.io/component-base/version"
# Kueue and kubectl refuse an API server that does not say which version it is.
_KUBERNETES_FLAGS = (
    f"-s -w -X {_VERSION}.gitVersion=v{KUBERNETES} -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor=35"
    f" -X {_VERSION}.gitTreeState=clean -X {_VERSION}.buildDate=1970-01-01T00:00:00Z"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How one program is built: the folder of its go.mod, the package, the linker's flags."""

    name: str
    module: str
    package: str
    ldflags: str = "-s -w"

    def command(self, go: Path, out: Path) -> list[str]:
        """The argument vector that builds the program into `out`."""
        flags = ["-mod=readonly", "-trimpath", "-ldflags", self.ldflags]
        return [str(go), "build", *flags, "-o", str(out), self.package]

    def key(self) -> str:
        """A hash of everything that decides what is built."""
        digest = hashlib.sha256(" ".join([*self.command(Path("go"), Path("out")), *_platform()]).encode())
        for file in sorted((SOURCES / self.module).iterdir()):
            digest.update(file.read_bytes())
        return digest.hexdigest()[:16]


ETCD = Recipe(name="etcd", module="etcd", package="go.etcd.io/etcd/server/v3")
HELM = Recipe(name="helm", module="helm", package="helm.sh/helm/v3/cmd/helm")
MANAGER = Recipe(name="kueue-manager", module="kueue", package="sigs.k8s.io/kueue/cmd/kueue")
API_SERVER = Recipe(
    name="kube-apiserver",
    module="kube-apiserver",
    package="k8s.io/kubernetes/cmd/kube-apiserver",
    ldflags=_KUBERNETES_FLAGS,
)
KUBECTL = Recipe(
    name="kubectl", module="kube-apiserver", package="k8s.io/kubernetes/cmd/kubectl", ldflags=_KUBERNETES_FLAGS
)
"""Built only where PATH has no kubectl."""
YAML_JUDGE = Recipe(name="yaml-judge", module="yaml-judge", package=".")
"""Tells how Kubernetes reads YAML."""
CONFIGURATION_JUDGE = Recipe(name="configuration-judge", module="configuration-judge", package=".")
"""Tells what Kueue makes of its manager's Configuration."""

KUBECONFORM = Recipe(name="kubeconform", module="kubeconform", package="github.com/yannh/kubeconform/cmd/kubeconform")
"""Holds objects against JSON Schemas, without CEL: for comparison only."""
KUBECTL_VALIDATE = Recipe(name="kubectl-validate", module="kubectl-validate", package="sigs.k8s.io/kubectl-validate")
"""The API server's own validation, CEL included, without a server: for comparison only."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Programs:
    """Where each program is, and the released Kueue chart."""

    etcd: Path
    kube_apiserver: Path
    kubectl: Path
    helm: Path
    kueue_manager: Path
    yaml_judge: Path
    configuration_judge: Path
    chart: Path

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The caller's environment with the bed's helm first on PATH, and its kubectl where there is none."""
        path = [str(self.helm.parent), os.environ.get("PATH", ""), str(self.kubectl.parent)]
        return os.environ | {"PATH": os.pathsep.join(path)} | dict(extra or {})


def cache_directory() -> Path:
    """The bed's folder in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "kueuelift" / "bed"


def locate() -> Programs:
    """The programs as they lie in the cache; raises when one is missing."""
    found = Programs(
        etcd=_place(ETCD),
        kube_apiserver=_place(API_SERVER),
        kubectl=Path(shutil.which("kubectl") or _place(KUBECTL)),
        helm=_place(HELM),
        kueue_manager=_place(MANAGER),
        yaml_judge=_place(YAML_JUDGE),
        configuration_judge=_place(CONFIGURATION_JUDGE),
        chart=_chart_place(),
    )
    missing = [place.name for place in astuple(found) if not place.exists()]
    if missing:
        raise BedError(f"the test bed lacks {', '.join(missing)} in {cache_directory()}: {HOW}")
    return found


def ensure(report: Report) -> Programs:
    """The programs, building those that are missing."""
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / "lock", report):
        wanted = [recipe for recipe in _recipes() if not _place(recipe).exists()]
        if wanted or not _chart_place().exists():
            go = go_command(cache, report)
            for recipe in wanted:
                _build(recipe, go, report)
            if not _chart_place().exists():
                release_chart.package(go=go, helm=_place(HELM), module=SOURCES / "kueue", out=_chart_place())
                report(f"packaged {_chart_place().name}")
    return locate()


def ensure_one(recipe: Recipe, report: Report) -> Path:
    """One program that the bed itself does not need, built where it is missing."""
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / "lock", report):
        if not _place(recipe).exists():
            _build(recipe, go_command(cache, report), report)
    return _place(recipe)


def _recipes() -> tuple[Recipe, ...]:
    needed = (ETCD, HELM, MANAGER, API_SERVER, YAML_JUDGE, CONFIGURATION_JUDGE)
    return needed if shutil.which("kubectl") else (*needed, KUBECTL)


def _platform() -> tuple[str, str]:
    return sys.platform, platform.machine()


def _place(recipe: Recipe) -> Path:
    return cache_directory() / recipe.key() / recipe.name


def _chart_place() -> Path:
    return _place(MANAGER).with_name(f"kueue-{KUEUE}.tgz")


def _build(recipe: Recipe, go: Path, report: Report) -> None:
    place = _place(recipe)
    place.parent.mkdir(parents=True, exist_ok=True)
    report(f"building {recipe.name}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        out, log = Path(scratch) / recipe.name, Path(scratch) / "log"
        with log.open("wb") as sink:
            done = subprocess.run(
                recipe.command(go, out),
                cwd=SOURCES / recipe.module,
                env=environment(),
                stdout=sink,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            tail = log.read_text(errors="replace")[-1500:].strip()
            raise BedError(f"{recipe.name} could not be built; {HOW} once this is put right: {tail}")
        out.rename(place)
    report(f"built {recipe.name} in {time.monotonic() - started:.0f} s")


@contextlib.contextmanager
def _lock(path: Path, report: Report) -> Iterator[None]:
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("waiting for another run that is building")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
