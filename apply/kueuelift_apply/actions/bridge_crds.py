"""`bridge-crds`: lists v1alpha1 beside v1beta2 without conversion, so that objects can be rewritten where they lie.

Needs every Kueue manager stopped and its hooks disarmed: the old one would write v1alpha1 again, they would refuse.
"""

from kueuelift import crd as crds
from kueuelift.errors import RefusedError
from kueuelift.model import Step
from kueuelift_apply import crd_change, milestone
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.actions import disarm, hold, replace_crds


def _done(run: Run, step: Step) -> Done:
    """Done where the bridge stands, or where it has been crossed: no old version is listed any more."""
    new = milestone.wanted_crds(run, step)
    current = milestone.live_crds(run, new)
    ahead = []
    for plural, crd in new.items():
        found = current[plural]
        crossed = found is not None and crds.storage_version(found) == crds.storage_version(crd)
        if not crossed and not crd_change.is_in_place(found, crd):
            ahead.append(plural)
    return Done(yes=not ahead, why=f"no bridge for {', '.join(ahead)}" if ahead else "the bridge stands or is crossed")


def _do(run: Run, step: Step) -> Detail:
    refuse_unless_still(run)
    return replace_crds.replace_all(run, step)


def refuse_unless_still(run: Run) -> None:
    """Nothing may write or refuse Kueue's objects while the bridge is crossed."""
    for held in run.steps_of_kind("hold"):
        if not hold.ACTION.done(run, held).yes:
            raise RefusedError(
                f"{held.id}: a Kueue manager runs, and the bridge needs all of them stopped; run that phase first"
            )
    for armed in run.steps_of_kind("disarm"):
        if not disarm.ACTION.done(run, armed).yes:
            raise RefusedError(
                f"{armed.id}: hooks of the old release stand and would refuse every rewrite; run that phase first"
            )


ACTION = Action(kind="bridge-crds", done=_done, do=_do, prove=replace_crds.prove)
