"""`set-stored-versions`: declares in a CRD's status that nothing is stored in the old versions any more.

A declaration the server does not check: it is made only after the phase's rewrite was done and proven.
"""

from kueuelift import crd as crds
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL, Kind
from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import crd_change
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.live import crd_path


def _behind(run: Run, step: Step) -> list[Kind]:
    wanted = tuple(step.arguments["versions"])
    kinds = [BY_PLURAL[plural] for plural in step.arguments["kinds"]]
    live = ((kind, run.live.get(crd_path(kind))) for kind in kinds)
    return [kind for kind, crd in live if crd is None or crds.stored_versions(crd) != wanted]


def _done(run: Run, step: Step) -> Done:
    behind = _behind(run, step)
    return Done(
        yes=not behind, why=f"{len(behind)} CRDs list older versions" if behind else "all list the new version only"
    )


def _do(run: Run, step: Step) -> Detail:
    _refuse_before_rewrite(run, step)
    wanted = list(step.arguments["versions"])

    def declared(crd: KubernetesObject) -> KubernetesObject:
        if [crds.storage_version(crd)] != wanted:
            raise RefusedError(
                f"{crd['metadata']['name']}: its storage version is {crds.storage_version(crd)}, {wanted[0]} wanted; "
                "somebody changed the CRD meanwhile, see who did, then run again"
            )
        crd["status"]["storedVersions"] = wanted
        return crd

    behind = _behind(run, step)
    for kind in behind:
        crd_change.update(run.live, kind, declared, "/status")
    return {"set": [kind.crd_name for kind in behind]}


def _refuse_before_rewrite(run: Run, step: Step) -> None:
    earlier = [rewrite for rewrite in run.steps_of_kind("rewrite-objects") if rewrite.phase == step.phase]
    undone = [rewrite.id for rewrite in earlier if rewrite.id not in run.finished]
    if undone:
        raise RefusedError(
            f"{step.id}: {', '.join(undone)} is not done, so objects may lie at an old version; run it first"
        )


def _prove(run: Run, step: Step) -> Detail:
    behind = _behind(run, step)
    if behind:
        raise RefusedError(
            f"{behind[0].crd_name}: an older version is back in status.storedVersions; see who changed the CRD"
        )
    return {"storedVersions": list(step.arguments["versions"])}


ACTION = Action(kind="set-stored-versions", done=_done, do=_do, prove=_prove)
