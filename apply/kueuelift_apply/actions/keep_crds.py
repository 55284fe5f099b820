"""`keep-crds`: marks the live CRDs, so that helm does not delete them, and every queue, when they leave a chart."""

from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL, Kind
from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import crd_change
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.live import crd_path

POLICY = "helm.sh/resource-policy"


def _unmarked(run: Run, step: Step) -> list[Kind]:
    kinds = [BY_PLURAL[plural] for plural in step.arguments["kinds"]]
    live = ((kind, run.live.get(crd_path(kind))) for kind in kinds)
    return [kind for kind, crd in live if crd and (crd["metadata"].get("annotations") or {}).get(POLICY) != "keep"]


def _done(run: Run, step: Step) -> Done:
    unmarked = _unmarked(run, step)
    return Done(yes=not unmarked, why=f"{len(unmarked)} CRDs without {POLICY}: keep" if unmarked else "all are marked")


def _do(run: Run, step: Step) -> Detail:
    unmarked = _unmarked(run, step)
    for kind in unmarked:
        crd_change.update(run.live, kind, _marked)
    return {"marked": [kind.crd_name for kind in unmarked]}


def _marked(crd: KubernetesObject) -> KubernetesObject:
    crd["metadata"].setdefault("annotations", {})[POLICY] = "keep"
    return crd


def _prove(run: Run, step: Step) -> Detail:
    unmarked = _unmarked(run, step)
    if unmarked:
        raise RefusedError(
            f"CustomResourceDefinition {unmarked[0].crd_name}: lost its {POLICY} annotation; see who removed it"
        )
    return {}


ACTION = Action(kind="keep-crds", done=_done, do=_do, prove=_prove)
