"""How far a plan has come, asked of the cluster: what stood still for the bridge need not do so again."""

from collections.abc import Mapping

from kueuelift.kinds import BY_PLURAL
from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import crd_change, helm_release
from kueuelift_apply.action import Run
from kueuelift_apply.live import crd_path


def wanted_crds(run: Run, step: Step) -> dict[str, KubernetesObject]:
    """The plan's CRDs of a step, by plural."""
    return {plural: run.plan.document(path) for plural, path in sorted(step.arguments["crds"].items())}


def live_crds(run: Run, plurals: Mapping[str, object]) -> dict[str, KubernetesObject | None]:
    """The live CRDs of the same kinds."""
    return {plural: run.live.get(crd_path(BY_PLURAL[plural])) for plural in plurals}


def not_in_place(run: Run, step: Step) -> list[str]:
    """The plurals whose live CRD is not yet as the step wants it."""
    wanted = wanted_crds(run, step)
    current = live_crds(run, wanted)
    return [plural for plural, crd in wanted.items() if not crd_change.is_in_place(current[plural], crd)]


def crds_are_replaced(run: Run) -> bool:
    """Whether the target's CRDs are in place: from then on only the new manager can run, and may."""
    steps = run.steps_of_kind("replace-crds")
    return bool(steps) and not any(not_in_place(run, step) for step in steps)


def target_is_installed(run: Run) -> bool:
    """Whether the plan's helm step stands as the release's newest, successful record."""
    return any(helm_release.is_installed(step, helm_release.newest(run, step)) for step in run.steps_of_kind("helm"))
