"""`check`: looks before anything is written: helm, rights, and what changed since the snapshot."""

from itertools import product

from kueuelift import crd as crds
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.kinds import CONFIGURATION_KINDS, KINDS
from kueuelift.model import Step
from kueuelift_apply import helm_release, milestone
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.drift import Drift, UnreadableError, drifts
from kueuelift_apply.live import crd_path


def _done(run: Run, step: Step) -> Done:  # noqa: ARG001 - an action's signature
    return Done(yes=False, why="always looked at afresh")


def _do(run: Run, step: Step) -> Detail:  # noqa: ARG001 - an action's signature
    version = run.helm.check() if run.steps_of_kind("helm") else ""
    for helm_step in run.steps_of_kind("helm"):
        helm_release.refuse_foreign_pending(helm_step, helm_release.newest(run, helm_step))
    _refuse_missing_rights(run)
    _refuse_newer_storage(run)
    found, unreadable = _drift(run)
    open_drift = [drift for drift in found if not _accepted(drift, run.accepted_drift)]
    if open_drift:
        listed = "; ".join(f"{drift.object}: {drift.what}" for drift in open_drift[:10])
        raise UntrustedError(
            f"{len(open_drift)} objects changed since the snapshot ({listed}); "
            f"make a new snapshot and plan, or accept each by name: --accept-drift '{open_drift[0].object}'"
        )
    accepted = [f"{drift.object}: {drift.what}" for drift in found]
    return {"helm": version, "acceptedDrift": accepted, "notCompared": unreadable}


def _drift(run: Run) -> tuple[list[Drift], list[str]]:
    """What changed, and the kinds that nobody converts at the moment: that is so between two phases only."""
    found: list[Drift] = []
    unreadable: list[str] = []
    for kind in CONFIGURATION_KINDS:
        try:
            found += drifts(run.plan, run.live, kind)
        except UnreadableError:
            if not milestone.crds_are_replaced(run):
                raise
            unreadable.append(kind.plural)
    return found, unreadable


def _accepted(drift: Drift, names: tuple[str, ...]) -> bool:
    return drift.object in names or drift.object.partition(" ")[2] in names


def _refuse_missing_rights(run: Run) -> None:
    """Ask for every right of the plan's rbac.yaml, which is what the steps and helm need."""
    missing = [
        f"{verb} {resource}.{group}" if group else f"{verb} {resource}"
        for rule in run.plan.document("rbac.yaml")["rules"]
        for group, resource, verb in product(rule["apiGroups"], rule["resources"], rule["verbs"])
        if not _may(run, group, resource, verb)
    ]
    if missing:
        raise RefusedError(
            f"these credentials may not {', '.join(missing[:6])}{' and more' if len(missing) > 6 else ''}; "
            "nothing was changed, bind the ClusterRole of the plan's rbac.yaml to them"
        )


def _may(run: Run, group: str, resource: str, verb: str) -> bool:
    name, _, subresource = resource.partition("/")
    attributes = {"group": group, "resource": name, "subresource": subresource, "verb": verb}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = run.live.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    return bool(answer["status"]["allowed"])


def _refuse_newer_storage(run: Run) -> None:
    """A cluster that meanwhile moved past the plan is not moved back."""
    known = {
        version
        for step in run.plan.steps
        for path in step.arguments.get("crds", {}).values()
        for version in crds.versions(run.plan.document(path))
    }
    for kind in KINDS:
        crd = run.live.get(crd_path(kind))
        newer = sorted(set(crds.stored_versions(crd)) - known) if crd and known else []
        if newer:
            raise UntrustedError(
                f"CustomResourceDefinition {kind.crd_name}: stores {', '.join(newer)}, which this plan does not know; "
                "make a new snapshot and plan"
            )


def _prove(run: Run, step: Step) -> Detail:  # noqa: ARG001 - the looking was the proof
    return {}


ACTION = Action(kind="check", done=_done, do=_do, prove=_prove, changes=False)
