"""`replace-crds`: the CRDs of a release take the place of the live ones; objects, uids and CA bundles stay."""

from kueuelift.model import Step
from kueuelift_apply import crd_change, milestone
from kueuelift_apply.action import Action, Detail, Done, Run


def replace_all(run: Run, step: Step) -> Detail:
    """Replace each CRD of a step, after a look that none of them would make stored objects unreadable."""
    new = milestone.wanted_crds(run, step)
    crd_change.refuse_unreadable(milestone.live_crds(run, new), new)
    outcome: dict[str, list[str]] = {}
    with run.progress.task("    CustomResourceDefinitions", len(new)) as task:
        for plural, crd in new.items():
            run.lease.keep()
            outcome.setdefault(crd_change.replace(run.live, crd, step.arguments["owner"]), []).append(plural)
            task.advance()
    return outcome


def prove(run: Run, step: Step) -> Detail:
    """Each CRD has its new spec and is served."""

    def missing() -> str | None:
        late = milestone.not_in_place(run, step)
        return f"{', '.join(late)} not established" if late else None

    run.wait_until("CustomResourceDefinitions", missing, 60)
    return {"established": sorted(step.arguments["crds"])}


def _done(run: Run, step: Step) -> Done:
    late = milestone.not_in_place(run, step)
    return Done(yes=not late, why=f"{len(late)} CRDs to replace" if late else "all CRDs are the target's")


ACTION = Action(kind="replace-crds", done=_done, do=replace_all, prove=prove)
