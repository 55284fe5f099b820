"""The story of the third stage: keep others out, then step after step: done? do, prove, write down."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kueuelift import catalogue
from kueuelift import journal as journals
from kueuelift.errors import PartlyDoneError, RefusedError, ToolError, UntrustedError, UsageError
from kueuelift.journal import Journal
from kueuelift.model import Phase, Step
from kueuelift.plan_dir import Plan
from kueuelift.progress import Progress
from kueuelift.sealed import refuse_inside_sealed
from kueuelift_apply import actions, lease, record
from kueuelift_apply.action import Action, Run
from kueuelift_apply.helm_program import Helm
from kueuelift_apply.lease import Lease
from kueuelift_apply.live import Live

ALL_PHASES = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What the operator asked for."""

    phase: str = ALL_PHASES
    seconds: float = 3600.0
    journal: Path | None = None
    """Default: `<PLAN>.journal` beside the plan."""
    accepted_drift: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of it."""

    done: tuple[str, ...]
    """Ids of steps that had work and did it."""
    already: tuple[str, ...]
    """Ids of steps that found nothing to do."""
    record: Path

    @property
    def nothing_left(self) -> bool:
        """Whether every step found its work done."""
        return not self.done


def selected(plan: Plan, phase: str) -> tuple[Step, ...]:
    """The steps of one phase, or of all."""
    names = [known.name for known in plan.phases]
    if phase != ALL_PHASES and phase not in names:
        raise UsageError(
            f"--phase {phase}: the plan has no such phase; its phases are {', '.join(names)}, or {ALL_PHASES}"
        )
    return tuple(step for step in plan.steps if phase in {ALL_PHASES, step.phase})


def refuse_inapplicable(plan: Plan) -> None:
    """A plan with an open blocker, or from a snapshot that lacks something, is for reading only."""
    if not plan.header["applicable"]:
        raise RefusedError(
            f"{plan.sealed.root}: not applicable, since a blocker is open or its snapshot is not whole; "
            "see REPORT.md, mend what it says, then make a new snapshot and plan"
        )


def refuse_other_cluster(plan: Plan, live: Live) -> None:
    """A plan is for the one cluster that its snapshot was taken from."""
    namespace = live.get("/api/v1/namespaces/kube-system")
    uid = namespace["metadata"]["uid"] if namespace else "(no namespace kube-system)"
    if uid != plan.cluster_uid:
        raise UntrustedError(
            f"{live.server} (context {live.context}): cluster {uid} found, the plan is for {plan.cluster_uid}; "
            "give the right --context or --kubeconfig"
        )


def apply(plan: Plan, live: Live, wish: Wish, progress: Progress) -> Outcome:
    """Carry out the plan's steps; what is done already is left alone. Raises a ToolError with the exit code."""
    steps = selected(plan, wish.phase)
    refuse_inapplicable(plan)
    refuse_other_cluster(plan, live)
    folder = wish.journal or Path(f"{plan.sealed.root.absolute()}.journal")
    refuse_inside_sealed(folder)
    _refuse_journal_of_another_plan(folder, plan)
    with Journal(folder, _now) as journal:
        _start(journal, plan, live)
        try:
            with Lease(live=live, namespace=_lease_namespace(plan), holder=lease.identity()) as held:
                run = Run(
                    plan=plan,
                    live=live,
                    helm=Helm(access=live.access),
                    journal=journal,
                    progress=progress,
                    lease=held,
                    accepted_drift=wish.accepted_drift,
                    deadline=time.monotonic() + wish.seconds,
                    finished=_finished_before(folder, plan),
                )
                done, already = _walk(run, steps)
        except BaseException as error:
            journal.append("run-ended", how=_ending(error))
            record.write(plan, folder)
            raise
        journal.append("run-ended", how="done")
        return Outcome(done=tuple(done), already=tuple(already), record=record.write(plan, folder))


def _walk(run: Run, steps: tuple[Step, ...]) -> tuple[list[str], list[str]]:
    known = {action.kind: action for action in catalogue.discover(actions, "ACTION", Action)}
    phases = {phase.name: phase for phase in run.plan.phases}
    done: list[str] = []
    already: list[str] = []
    shown: Phase | None = None
    for step in steps:
        if phases[step.phase] is not shown:
            shown = phases[step.phase]
            run.progress.say(f"phase {shown.name}: {shown.title}")
        action = known[step.kind]
        try:
            worked = _carry_out(run, step, action)
        except ToolError as error:
            if run.began and error.exit_code == RefusedError.exit_code:
                raise PartlyDoneError(f"{step.id}: {error}") from error
            raise
        if action.changes:
            (done if worked else already).append(step.id)
    return done, already


def _carry_out(run: Run, step: Step, action: Action) -> bool:
    """One step: True where there was work."""
    run.lease.keep()
    answer = action.done(run, step)
    if answer.yes:
        run.journal.append("already-done", step.id, why=answer.why)
        run.progress.say(f"  {step.id}: nothing to do, {answer.why}")
        run.finished.add(step.id)
        return False
    run.progress.say(f"  {step.id}: {step.title} ({answer.why})")
    run.journal.append("intent", step.id, kind=step.kind, why=answer.why)
    try:
        detail = {**action.do(run, step)}
        run.began = run.began or action.changes
        detail |= action.prove(run, step)
    except BaseException as error:
        run.journal.append("failed", step.id, reason=_ending(error))
        raise
    run.journal.append("done", step.id, **detail)
    if action.changes:
        run.finished.add(step.id)
    return True


def _refuse_journal_of_another_plan(folder: Path, plan: Plan) -> None:
    """A journal, its backup and its record are evidence for one plan only."""
    for entry in journals.read(folder):
        if entry.event == "run-started" and entry.detail.get("plan") != plan.digest:
            raise UntrustedError(
                f"{folder}: the journal of another plan ({entry.detail.get('plan')}); move it away, or name another "
                "folder with --journal"
            )


def _start(journal: Journal, plan: Plan, live: Live) -> None:
    journal.append(
        "run-started",
        plan=plan.digest,
        cluster=plan.cluster_uid,
        server=live.server,
        context=live.context,
        holder=lease.identity(),
    )


def _finished_before(folder: Path, plan: Plan) -> set[str]:
    """Steps that earlier runs of this very plan did, as the journal says; what counts is still asked of the cluster."""
    finished: set[str] = set()
    ours = False
    for entry in journals.read(folder):
        if entry.event == "run-started":
            ours = entry.detail["plan"] == plan.digest
        elif entry.event in {"done", "already-done"} and ours:
            finished.add(entry.step)
    return finished & {step.id for step in plan.steps if step.kind not in {"check", "await", "verify"}}


def _lease_namespace(plan: Plan) -> str:
    """The manager's namespace; kube-system for a fresh install, whose namespace helm makes. The same in every run."""
    awaited = [step.arguments["deployment"]["namespace"] for step in plan.steps if step.kind == "await"]
    return str(awaited[0]) if awaited and plan.header["source"]["release"] else "kube-system"


def _ending(error: BaseException) -> str:
    if isinstance(error, ToolError):
        return str(error)
    return "interrupted" if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
