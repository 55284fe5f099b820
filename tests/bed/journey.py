"""The journey as an operator makes it, by the command line only: snapshot, transform, apply, verify."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bed.control_plane import ADMIN, ControlPlane

TARGET_RELEASE = "0.17.0"


@dataclass(frozen=True, kw_only=True)
class Journey:
    """One cluster and the folder in which the directories of its move lie."""

    cluster: ControlPlane
    folder: Path
    tell: Callable[[str], None] = lambda _: None
    """Told each command before it runs and what it printed after."""

    @property
    def snapshot_dir(self) -> Path:
        return self.folder / "snapshot"

    @property
    def plan_dir(self) -> Path:
        return self.folder / "plan"

    @property
    def record(self) -> Path:
        return self.folder / "plan.journal" / "record.md"

    @property
    def plan_digest(self) -> str:
        return str(json.loads((self.plan_dir / "plan.json").read_bytes())["digest"])

    def snapshot(self, out: str = "snapshot") -> subprocess.CompletedProcess[str]:
        return self.run("snapshot", "--out", out)

    def transform(self, out: str = "plan") -> subprocess.CompletedProcess[str]:
        chart = str(self.cluster.programs.chart)
        return self.run(
            "transform", "snapshot", "--out", out, "--to", TARGET_RELEASE, "--target", "helm", "--chart", chart
        )

    def apply(self, *options: str, user: str = ADMIN) -> subprocess.CompletedProcess[str]:
        return self.run("apply", "plan", "--expect-digest", self.plan_digest, *options, user=user)

    def grant_planned_rights(self, user: str) -> None:
        """Bind a user to the ClusterRole that the plan says is enough."""
        self.cluster.kubectl("apply", "-f", str(self.plan_dir / "rbac.yaml"))
        self.cluster.kubectl("create", "clusterrolebinding", user, "--clusterrole=kueuelift-apply", f"--user={user}")

    def verify(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run("verify", "plan", *options)

    def run(self, *arguments: str, user: str = ADMIN) -> subprocess.CompletedProcess[str]:
        """Run kueuelift in the folder, with the cluster's kubeconfig and the bed's helm."""
        self.tell(f"$ kueuelift {' '.join(arguments)}")
        done = subprocess.run(
            [sys.executable, "-m", "kueuelift", *arguments],
            cwd=self.folder,
            env=self.cluster.environment(user),
            capture_output=True,
            text=True,
            check=False,
        )
        self.tell(done.stderr + done.stdout)
        return done

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start kueuelift in a process group of its own, without waiting for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "kueuelift", *arguments],
            cwd=self.folder,
            env=self.cluster.environment(ADMIN),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def digest_in(text: str) -> str:
    """The digest that a command printed."""
    found = re.search(r"sha256:[0-9a-f]{64}", text)
    assert found, text
    return found[0]
