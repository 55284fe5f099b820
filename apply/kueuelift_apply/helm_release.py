"""The release that a plan's helm step is about: its newest record, held against the chart that the step wants."""

from kueuelift.errors import RefusedError
from kueuelift.model import Step
from kueuelift_apply.action import Run
from kueuelift_apply.helm_program import Revision


def wanted_chart(step: Step) -> str:
    """The step's chart as helm's history names it: `kueue-0.17.0`."""
    return f"{step.arguments['chartName']}-{step.arguments['chartVersion']}"


def newest(run: Run, step: Step) -> Revision | None:
    """helm's newest record of the step's release; asked afresh, one process each time."""
    return run.helm.newest(step.arguments["release"], step.arguments["namespace"])


def is_installed(step: Step, revision: Revision | None) -> bool:
    """Whether a newest record is the step's chart, deployed."""
    return revision is not None and (revision.status, revision.chart) == ("deployed", wanted_chart(step))


def is_pending(revision: Revision | None) -> bool:
    """Whether helm was, or is, in the middle of something."""
    return revision is not None and revision.status.startswith("pending-")


def refuse_foreign_pending(step: Step, revision: Revision | None) -> None:
    """A release that somebody else left in the middle of an upgrade is theirs to finish."""
    if revision is not None and is_pending(revision) and revision.chart != wanted_chart(step):
        raise RefusedError(
            f"Helm release {step.arguments['release']}: revision {revision.number} ({revision.chart}) is "
            f"{revision.status} and not of this plan; let its owner finish it or roll it back, then run again"
        )
