"""Whether the target release is installed: what had to stop for it need not stop again."""

from kueuelift.model import Step
from kueuelift_apply.action import Run


def target_is_installed(run: Run) -> bool:
    """Whether the plan's helm step stands as the release's newest, successful record."""
    return any(helm_is_done(run, step) for step in run.steps_of_kind("helm"))


def helm_is_done(run: Run, step: Step) -> bool:
    """Whether helm's newest record of the release is this step's chart, deployed."""
    arguments = step.arguments
    newest = run.helm.newest(arguments["release"], arguments["namespace"])
    return (
        newest is not None
        and newest.status == "deployed"
        and newest.chart == f"{arguments['chartName']}-{arguments['chartVersion']}"
    )
