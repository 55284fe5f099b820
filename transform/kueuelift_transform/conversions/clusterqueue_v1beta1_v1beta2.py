"""ClusterQueue: cohort and admission checks get new homes, and two old words for "may stop searching" become one."""

from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, LossyField, Renamed, Reworded, inner, rename

_REWORDED = tuple(
    Reworded(
        path=f"spec.flavorFungibility.{field}",
        old=old_word,
        new="MayStopSearch",
        reason="the same behaviour under its new name, which releases before 0.15 refuse",
        source="kueue v0.17.0, apis/kueue/v1beta1/clusterqueue_conversion.go",
    )
    for field, old_word in (("whenCanBorrow", "Borrow"), ("whenCanPreempt", "Preempt"))
)


def _to_v1beta2(obj: KubernetesObject, _release: Release) -> None:
    spec = inner(obj, "spec")
    rename(spec, "cohort", "cohortName")
    _say_may_stop_search(spec)
    if checks := spec.pop("admissionChecks", None):
        spec["admissionChecksStrategy"] = _strategy(checks)


def _to_v1beta1(obj: KubernetesObject, _release: Release) -> None:
    rename(inner(obj, "spec"), "cohortName", "cohort")


def _respell(obj: KubernetesObject, _release: Release) -> None:
    spec = inner(obj, "spec")
    _say_may_stop_search(spec)
    # Where both are given, the list wins, and what is left to compare is the strategy that had to go.
    if checks := spec.pop("admissionChecks", None):
        spec.setdefault("admissionChecksStrategy", _strategy(checks))


def _say_may_stop_search(spec: KubernetesObject) -> None:
    fungibility = inner(spec, "flavorFungibility")
    for word in _REWORDED:
        field = word.path.rpartition(".")[2]
        if fungibility.get(field) == word.old:
            fungibility[field] = word.new


def _strategy(checks: list[str]) -> KubernetesObject:
    return {"admissionChecks": [{"name": check} for check in checks]}


CONVERSION = Conversion(
    kind="ClusterQueue",
    source="v1beta1",
    target="v1beta2",
    edit=_to_v1beta2,
    edit_back=_to_v1beta1,
    respell=_respell,
    by_webhook=True,
    renamed=(
        Renamed(old="spec.cohort", new="spec.cohortName"),
        Renamed(
            old="spec.admissionChecks",
            new="spec.admissionChecksStrategy",
            reshaped="each name is a rule there, for all flavors",
        ),
    ),
    reworded=_REWORDED,
    lossy=(
        LossyField(
            path="spec.admissionChecksStrategy",
            reason="spec.admissionChecks is given too, and a strategy made of that list replaces this one with its"
            " onFlavors; before 0.15 this one was in force",
            source="kueue v0.17.0, apis/kueue/v1beta1/clusterqueue_conversion.go",
            homeless=False,
        ),
        LossyField(
            path="status.pendingWorkloadsStatus",
            reason="v1beta2 has no list of pending workloads in the status: the visibility API shows it",
            source="kueue v0.17.0, apis/kueue/v1beta1/clusterqueue_conversion.go",
        ),
        LossyField(
            path="status.fairSharing.admissionFairSharingStatus",
            reason="v1beta2 keeps it for LocalQueues only; Kueue has never written it here",
            source="kueue v0.17.0, apis/kueue/v1beta1/clusterqueue_conversion.go",
        ),
    ),
)
