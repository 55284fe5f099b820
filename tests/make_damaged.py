"""Makes `fixtures/damaged/`: a whole snapshot and a whole plan, and copies of them with one damage each.

`python -m make_damaged` rewrites the folder (run it when a format changes); a test holds it against this module.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from archive_maker import altered, link, member, repack
from kueuelift.archive import save_archive
from kueuelift.crd import bundled
from kueuelift.errors import UntrustedError
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.plan_dir import Plan, writing_plan
from kueuelift.sealed import canonical_json, digest_of
from kueuelift.snapshot_dir import Snapshot, writing_snapshot
from snapshot_maker import helm_record, listing, snapshot_header

FOLDER = Path(__file__).parent.parent / "fixtures" / "damaged"
ARCHIVE, LOG = "snapshot.tar.gz", "snapshot.log"
QUEUE = "objects/clusterqueues/shared.yaml"
LINES = "workloads/team-a.jsonl.gz"


def _object(kind: str, name: str, **namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "uid": f"uid-of-{name}", **namespace},
    }


def write_snapshot(place: Path) -> None:
    """A whole snapshot, as small as one can be that has a file of each sort."""
    crd = bundled("0.12.2", service=None)["clusterqueues"] | {"status": {"storedVersions": ["v1beta1"]}}
    for version in crd["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    with writing_snapshot(place) as writer:
        writer.add_crd(crd)
        writer.add_helm_record(helm_record("0.12.2"))
        writer.add_object(BY_NAME["ClusterQueue"], _object("ClusterQueue", "shared"))
        with writer.workloads() as lines:
            lines.add("team-a", _object("Workload", "run", namespace="team-a"))
        header = snapshot_header(lists={plural: listing("v1beta1", 1) for plural in ("clusterqueues", "workloads")})
        writer.seal(header, {"takenAt": "2026-01-01T00:00:00+00:00"})


def write_plan(place: Path) -> None:
    """A whole plan without steps."""
    with writing_plan(place) as writer:
        writer.add_manifest(BY_NAME["ClusterQueue"], _object("ClusterQueue", "shared"))
        writer.add_text("REPORT.md", "# Nothing to do\n")
        header = {
            "tool": "kueuelift 0.1.0",
            "snapshot": {"digest": f"sha256:{'0' * 64}", "complete": True},
            "cluster": {"uid": "6f1c2f0e-0000-4000-8000-000000000003", "version": "v1.35.4"},
            "source": {"release": "0.12.2", "evidence": []},
            "target": {"name": "helm", "release": "0.17.0"},
            "hops": [],
            "settings": {},
            "applicable": True,
            "counts": {"clusterqueues": 1},
        }
        writer.seal(header, [], [])


def directory(case: Path) -> Path:
    """The directory or archive in a case's folder."""
    return next(entry for entry in case.iterdir() if entry.name != "expected.txt")


def read_all(case: Path) -> None:
    """Read everything of the directory in a case's folder as a stage would; UntrustedError where that is refused."""
    root = directory(case)
    if root.name == "plan":
        plan = Plan.open(root)
        for kind in KINDS:
            list(plan.manifests(kind))
    else:
        snapshot = Snapshot.open(root)
        for kind in KINDS:
            list(snapshot.objects(kind))
        snapshot.crds()
        snapshot.helm_records()


def _write_archive(place: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_snapshot(Path(folder) / "snapshot")
        save_archive(Path(folder) / "snapshot", place, armor=place.name == LOG)


_WRITERS = {"snapshot": write_snapshot, "plan": write_plan, ARCHIVE: _write_archive, LOG: _write_archive}


def _lines(log: Path, *, before: Sequence[bytes] = (), after: Sequence[bytes] = (), **odd: bytes) -> None:
    """What stands around an archive in a log, in its middle (`between`), or before each line (`prefix`)."""
    lines = log.read_bytes().splitlines()
    if "between" in odd:
        lines.insert(len(lines) // 2, odd["between"])
    whole = [*before, *lines, *after]
    log.write_bytes(b"".join(odd.get("prefix", b"") + line + b"\r\n" for line in whole))


def _cut(place: Path, keep: float = 0.5) -> None:
    content = place.read_bytes()
    place.write_bytes(content[: int(len(content) * keep)])


def _flip(place: Path) -> None:
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.write_bytes(content)


def _header(root: Path, change: Callable[[dict[str, Any]], None], *, resealed: bool) -> None:
    """Change a header; `resealed`, its digest is made to fit, as only who means to deceive would do."""
    place = root / f"{root.name}.json"
    header = json.loads(place.read_bytes())
    change(header)
    if resealed:
        header["digest"] = digest_of(header)
    place.write_bytes(canonical_json(header))


def _symlink(root: Path) -> None:
    (root / QUEUE).unlink()
    (root / QUEUE).symlink_to("../../snapshot.json")


def _rename_to_snapshot(root: Path) -> None:
    root.rename(root.parent / "snapshot")


WHOLE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "snapshot-whole": ("snapshot", lambda _: None),
    "plan-whole": ("plan", lambda _: None),
    "archive-whole": (ARCHIVE, lambda _: None),
    "log-whole": (LOG, lambda log: _lines(log, before=[b"snapshot: 11 lists", b"seal"], after=[b"done"])),
}
"""The clean cases: what the code of today reads without a word."""

DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "snapshot-header-truncated": ("snapshot", lambda root: _cut(root / "snapshot.json")),
    "snapshot-header-missing": ("snapshot", lambda root: (root / "snapshot.json").unlink()),
    "snapshot-header-altered": (
        "snapshot",
        lambda root: _header(root, lambda header: header["cluster"].update(uid="another"), resealed=False),
    ),
    "snapshot-header-unknown-field": (
        "snapshot",
        lambda root: _header(root, lambda header: header.update(trusted=True), resealed=True),
    ),
    "snapshot-version-newer": (
        "snapshot",
        lambda root: _header(root, lambda header: header.update(format="kueuelift.snapshot/v2"), resealed=True),
    ),
    "snapshot-format-foreign": (
        "snapshot",
        lambda root: _header(root, lambda header: header.update(format="backup/v1"), resealed=True),
    ),
    "snapshot-object-altered": ("snapshot", lambda root: _flip(root / QUEUE)),
    "snapshot-object-truncated": ("snapshot", lambda root: _cut(root / QUEUE)),
    "snapshot-lines-altered": ("snapshot", lambda root: _flip(root / LINES)),
    "snapshot-lines-truncated": ("snapshot", lambda root: _cut(root / LINES)),
    "snapshot-file-extra": ("snapshot", lambda root: (root / "objects" / "notes.txt").write_text("mine\n")),
    "snapshot-file-missing": ("snapshot", lambda root: (root / QUEUE).unlink()),
    "snapshot-file-symlink": ("snapshot", _symlink),
    "snapshot-is-a-plan": ("plan", _rename_to_snapshot),
    "plan-manifest-altered": ("plan", lambda root: _flip(root / "manifests/clusterqueues/shared.yaml")),
    "plan-report-altered": ("plan", lambda root: _flip(root / "REPORT.md")),
    "plan-header-truncated": ("plan", lambda root: _cut(root / "plan.json")),
    "plan-version-newer": (
        "plan",
        lambda root: _header(root, lambda header: header.update(format="kueuelift.plan/v9"), resealed=True),
    ),
    "plan-approved-by-hand": (
        "plan",
        lambda root: _header(root, lambda header: header.update(settings={"a": 1}), resealed=False),
    ),
    "archive-truncated": (ARCHIVE, _cut),
    "archive-followed-by-something": (ARCHIVE, lambda file: file.write_bytes(file.read_bytes() + b"more")),
    "archive-object-altered": (ARCHIVE, lambda file: repack(file, altered)),
    "archive-object-missing": (ARCHIVE, lambda file: repack(file, lambda members: members[:-1])),
    "archive-file-extra": (ARCHIVE, lambda file: repack(file, lambda it: [*it, member("snapshot/notes.txt", b"mine")])),
    "archive-file-twice": (ARCHIVE, lambda file: repack(file, lambda it: [*it, it[-1]])),
    "archive-file-above": (ARCHIVE, lambda file: repack(file, lambda it: [*it, member("snapshot/../../x", b"")])),
    "archive-file-absolute": (ARCHIVE, lambda file: repack(file, lambda it: [*it, member("/etc/passwd", b"")])),
    "archive-two-folders": (ARCHIVE, lambda file: repack(file, lambda it: [*it, member("other/x", b"")])),
    "archive-symlink": (ARCHIVE, lambda file: repack(file, lambda it: [*it, link("snapshot/x", "/etc/passwd")])),
    "archive-header-missing": (ARCHIVE, lambda file: repack(file, lambda members: members[1:])),
    "archive-bomb": (ARCHIVE, lambda file: repack(file, lambda it: [*it, member("snapshot/zeros", bytes(100 << 20))])),
    "log-cut-off": (LOG, _cut),
    "log-rotated": (LOG, lambda log: log.write_bytes(log.read_bytes().partition(b"\n")[2])),
    "log-with-timestamps": (LOG, lambda log: _lines(log, prefix=b"2026-01-01T00:00:00Z ")),
    "log-interrupted": (LOG, lambda log: _lines(log, between=b"warning: slow server")),
}
"""By folder: which directory is damaged, and how."""


def make(folder: Path) -> None:
    """Write every directory, and beside each damaged one the sentence that refuses it."""
    for name, (what, damage) in {**WHOLE, **DAMAGES}.items():
        root = folder / name / what
        root.parent.mkdir(parents=True)
        _WRITERS[what](root)
        damage(root)
        if name in DAMAGES:
            (folder / name / "expected.txt").write_text(f"{refusal(folder / name)}\n", encoding="utf-8")


def refusal(case: Path) -> str:
    """The sentence that refuses a damaged directory, its place left out; ValueError where none does."""
    try:
        read_all(case)
    except UntrustedError as error:
        return str(error).replace(f"{case}{os.sep}", "")
    raise ValueError(f"{case.name} is not refused")


def main() -> None:
    """Rewrite the folder."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    make(FOLDER)


if __name__ == "__main__":
    main()
