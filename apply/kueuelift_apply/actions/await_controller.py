"""`await`: waits until the target's controller is up, converts the kinds that need it, and answers its hooks."""

from kueuelift.model import Step
from kueuelift_apply import readiness
from kueuelift_apply.action import Action, Detail, Done, Run


def _missing(run: Run, step: Step) -> str | None:
    deployment = step.arguments["deployment"]
    return (
        readiness.missing_deployment(run.live, deployment["namespace"], deployment["name"])
        or readiness.missing_conversion(run.live, step.arguments["conversion"])
        or readiness.missing_admission(run.live)
    )


def _done(run: Run, step: Step) -> Done:
    missing = _missing(run, step)
    return Done(yes=missing is None, why=missing or "the controller is up and answers")


def _do(run: Run, step: Step) -> Detail:
    run.wait_until("Kueue controller", lambda: _missing(run, step))
    return {}


def _prove(run: Run, step: Step) -> Detail:  # noqa: ARG001 - an action's signature
    deployment = step.arguments["deployment"]
    return {"available": f"{deployment['namespace']}/{deployment['name']}", "converts": step.arguments["conversion"]}


ACTION = Action(kind="await", done=_done, do=_do, prove=_prove, changes=False)
