"""Snapshots of the test cluster: by the command as one of its users, or in small pages; and who may take them."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bed.control_plane import ControlPlane
from kueuelift import yaml_text
from kueuelift.progress import Silence
from kueuelift_snapshot.api import NO_QUERY, Api
from kueuelift_snapshot.cluster import open_cluster
from kueuelift_snapshot.collect import Captured, collect

READER = "reader"
"""A user without rights of his own."""


def snapshot(
    cluster: ControlPlane, folder: Path, out: str, *options: str, user: str = "admin"
) -> subprocess.CompletedProcess[str]:
    """The command in a folder, as one of the cluster's users."""
    return subprocess.run(
        [sys.executable, "-m", "kueuelift", "snapshot", "--out", out, *options],
        cwd=folder,
        env=cluster.environment(user),
        capture_output=True,
        text=True,
        check=False,
    )


def only_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a command that was refused: the last line, without a trace before it."""
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert line.startswith("error: ")
    return line


class SmallPages:
    """The cluster, asked for fewer objects a page, as if there were many."""

    def __init__(self, api: Api, limit: int) -> None:
        self._api, self._limit = api, limit
        self.requests: list[tuple[str, Mapping[str, str]]] = []

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """As Api.get."""
        asked = {**query, "limit": str(min(int(query["limit"]), self._limit))} if "limit" in query else query
        self.requests.append((path, asked))
        return self._api.get(path, asked)


def in_small_pages(cluster: ControlPlane, out: Path, limit: int) -> tuple[Captured, SmallPages]:
    """A snapshot of all of it as the admin, and what was asked for."""
    opened = open_cluster(kubeconfig=cluster.kubeconfig(), context=None, request_timeout=60)
    api = SmallPages(opened, limit)
    captured = collect(
        api,
        out,
        server=opened.server,
        token_key=out.parent / "kueuelift-token.key",
        progress=Silence(),
        now=lambda: datetime.now(UTC),
    )
    return captured, api


def grant(cluster: ControlPlane, *options: str, but: str = "") -> None:
    """Just the role that the command prints for these options, without one resource, for the reader."""
    printed = subprocess.run(
        [sys.executable, "-m", "kueuelift", "snapshot", "--print-rbac", *options],
        env=cluster.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    rules = yaml_text.load(printed.stdout, "--print-rbac")["rules"]
    for rule in rules:
        rule["resources"] = [plural for plural in rule["resources"] if plural != but]
    allow(cluster, [rule for rule in rules if rule["resources"]])


def allow(cluster: ControlPlane, rules: Sequence[Mapping[str, Any]]) -> None:
    """These rules, and no others, for the reader."""
    rbac = "rbac.authorization.k8s.io"
    named = {"apiVersion": f"{rbac}/v1", "metadata": {"name": READER}}
    role = {**named, "kind": "ClusterRole", "rules": list(rules)}
    binding = {
        **named,
        "kind": "ClusterRoleBinding",
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": READER},
        "subjects": [{"kind": "User", "name": READER, "apiGroup": rbac}],
    }
    for obj in (role, binding):
        cluster.kubectl("apply", "-f", "-", stdin=json.dumps(obj))
