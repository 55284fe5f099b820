"""Cohort before 0.13: the parent's field gets another name; no release of Kueue converts it, no webhook is asked."""

from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, LossyField, Renamed, inner, rename


def _to_v1beta2(obj: KubernetesObject, _release: Release) -> None:
    rename(inner(obj, "spec"), "parent", "parentName")


def _to_v1alpha1(obj: KubernetesObject, _release: Release) -> None:
    rename(inner(obj, "spec"), "parentName", "parent")


CONVERSION = Conversion(
    kind="Cohort",
    source="v1alpha1",
    target="v1beta2",
    edit=_to_v1beta2,
    edit_back=_to_v1alpha1,
    renamed=(Renamed(old="spec.parent", new="spec.parentName"),),
    lossy=(
        LossyField(
            path="status.fairSharing.admissionFairSharingStatus",
            reason="v1beta2 keeps it for LocalQueues only; Kueue has never written it here",
            source="kueue v0.12.2, apis/kueue/v1alpha1/cohort_types.go",
        ),
    ),
)
