"""`backup`: a fresh, complete snapshot beside the journal, made by the snapshot command itself."""

import subprocess
import sys
from pathlib import Path

from kueuelift.errors import RefusedError, ToolError
from kueuelift.journal import UNUSABLE
from kueuelift.model import Step
from kueuelift.redaction import KEY_FILE
from kueuelift.snapshot_dir import Snapshot
from kueuelift_apply import milestone
from kueuelift_apply.action import Action, Detail, Done, Run


def _place(run: Run) -> Path:
    return run.backups / "snapshot"


def _done(run: Run, step: Step) -> Done:  # noqa: ARG001 - an action's signature
    if _is_usable(run):
        return Done(yes=True, why=f"{_place(run).name} lies beside the journal")
    if milestone.target_is_installed(run):
        return Done(yes=True, why="the target release is installed, the time for it is past")
    return Done(yes=False, why="none beside the journal")


def _do(run: Run, step: Step) -> Detail:
    run.backups.mkdir(parents=True, exist_ok=True, mode=0o700)
    if _place(run).exists():
        _place(run).rename(_place(run).with_name(f"{UNUSABLE}{len(list(run.backups.iterdir()))}"))
    access = run.live.access
    command = [
        *(sys.executable, "-m", "kueuelift", "snapshot", "--out", str(_place(run))),
        *(("--kubeconfig", str(access.kubeconfig)) if access.kubeconfig else ()),
        *(("--context", access.context) if access.context else ()),
        *(f"--no-{part}" for part in step.arguments["without"]),
        *(("--token-key", str(key)) if (key := _key_beside(run)).is_file() else ()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1].removeprefix("error: ")
        raise RefusedError(f"backup: the snapshot command ended with {done.returncode}: {reason}")
    return {"digest": Snapshot.open(_place(run)).digest}


def _prove(run: Run, step: Step) -> Detail:  # noqa: ARG001 - an action's signature
    backup = Snapshot.open(_place(run))
    backup.sealed.verify()
    if not backup.whole:
        raise RefusedError(
            f"backup: the snapshot {_place(run)} is not complete; remove it, mend what it lacks, run again"
        )
    same = backup.digest == run.plan.header["snapshot"]["digest"]
    return {"comparedWithSnapshot": "the same" if same else "not the same, or hidden values under another key"}


def _is_usable(run: Run) -> bool:
    """Whether a whole, unaltered backup of this very cluster is there already."""
    try:
        backup = Snapshot.open(_place(run))
        backup.sealed.verify()
    except ToolError:
        return False
    return backup.whole and backup.header["cluster"]["uid"] == run.plan.cluster_uid


def _key_beside(run: Run) -> Path:
    """The token key of the plan's snapshot, where it was carried along: only then can the digests be equal."""
    return run.plan.sealed.root.absolute().parent / KEY_FILE


ACTION = Action(kind="backup", done=_done, do=_do, prove=_prove)
