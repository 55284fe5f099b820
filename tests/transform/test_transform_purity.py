"""Transform needs no cluster client, no network and no clock of its own."""

import subprocess
import sys
from pathlib import Path

from snapshot_maker import legacy_cluster, make_chart, make_snapshot

ALONE = """
import socket, sys, time

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"kubernetes", "urllib3", "requests", "kueuelift_snapshot", "kueuelift_apply"}:
            raise ImportError(f"{name} is not installed here")

def refuse(*words, **named):
    raise AssertionError("a socket was opened")

sys.meta_path.insert(0, Blocked())
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from kueuelift.cli import run
sys.exit(run(sys.argv[1:]))
"""


def transform(folder: Path, out: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = ["transform", "snapshot", "--out", out, "--to", "0.17.0", "--target", "helm", "--chart", "kueue-0.17.0.tgz"]
    return subprocess.run(
        [sys.executable, "-c", ALONE, *words],
        cwd=folder,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_works_alone_and_at_any_time_in_any_zone_alike(tmp_path: Path) -> None:
    make_snapshot(tmp_path / "snapshot", legacy_cluster(6))
    make_chart(tmp_path / "kueue-0.17.0.tgz")
    first = transform(tmp_path, "first", TZ="UTC", PYTHONHASHSEED="1", KUBECONFIG="/nowhere")
    second = transform(tmp_path, "second", TZ="Asia/Tokyo", PYTHONHASHSEED="2", LC_ALL="C")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout.replace("first", "second") == second.stdout
    assert "kueuelift apply first --expect-digest sha256:" in first.stdout
    assert "convert workloads: 6" in first.stderr
    assert (tmp_path / "first" / "plan.json").read_bytes() == (tmp_path / "second" / "plan.json").read_bytes()
