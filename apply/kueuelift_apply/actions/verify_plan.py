"""`verify`: holds the cluster against the plan, as `kueuelift verify` does."""

from kueuelift.errors import PartlyDoneError
from kueuelift.model import Step
from kueuelift_apply import verification
from kueuelift_apply.action import Action, Detail, Done, Run


def _done(run: Run, step: Step) -> Done:  # noqa: ARG001 - an action's signature
    return Done(yes=False, why="always looked at afresh")


def _do(run: Run, step: Step) -> Detail:  # noqa: ARG001 - an action's signature
    found = list(verification.checks(run.plan, run.live))
    problems = verification.problems(found)
    if problems:
        raise PartlyDoneError(f"{len(problems)} checks failed ({'; '.join(problems[:5])}); mend them and run again")
    return {"checks": [check.to_dict() for check in found]}


def _prove(run: Run, step: Step) -> Detail:  # noqa: ARG001 - the looking was the proof
    return {}


ACTION = Action(kind="verify", done=_done, do=_do, prove=_prove, changes=False)
