"""`replace-crds`: the CRDs of a release take the place of the live ones; objects, uids and CA bundles stay."""

from collections.abc import Mapping

from kueuelift.kinds import BY_PLURAL
from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import crd_change
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.live import crd_path


def wanted(run: Run, step: Step) -> dict[str, KubernetesObject]:
    """The plan's CRDs of a step, by plural."""
    return {plural: run.plan.document(path) for plural, path in sorted(step.arguments["crds"].items())}


def live(run: Run, plurals: Mapping[str, object]) -> dict[str, KubernetesObject | None]:
    """The live CRDs of the same kinds."""
    return {plural: run.live.get(crd_path(BY_PLURAL[plural])) for plural in plurals}


def replace_all(run: Run, step: Step) -> Detail:
    """Replace each CRD of a step, after a look that none of them would make stored objects unreadable."""
    new = wanted(run, step)
    crd_change.refuse_unreadable(live(run, new), new)
    outcome: dict[str, list[str]] = {}
    with run.progress.task("    CustomResourceDefinitions", len(new)) as task:
        for plural, crd in new.items():
            run.lease.keep()
            outcome.setdefault(crd_change.replace(run.live, crd, step.arguments["owner"]), []).append(plural)
            task.advance()
    return outcome


def prove(run: Run, step: Step) -> Detail:
    """Each CRD has its new spec and is served."""
    new = wanted(run, step)

    def missing() -> str | None:
        current = live(run, new)
        late = [plural for plural, crd in new.items() if not crd_change.is_in_place(current[plural], crd)]
        return f"{', '.join(late)} not established" if late else None

    run.wait_until("CustomResourceDefinitions", missing, 60)
    return {"established": sorted(new)}


def _done(run: Run, step: Step) -> Done:
    new = wanted(run, step)
    current = live(run, new)
    late = [plural for plural, crd in new.items() if not crd_change.is_in_place(current[plural], crd)]
    return Done(yes=not late, why=f"{len(late)} CRDs to replace" if late else "all CRDs are the target's")


ACTION = Action(kind="replace-crds", done=_done, do=replace_all, prove=prove)
