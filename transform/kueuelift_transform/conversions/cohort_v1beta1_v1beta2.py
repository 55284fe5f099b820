"""Cohort: the same fields, less a part of the status that Kueue never wrote."""

from kueuelift_transform.conversion import Conversion, LossyField

CONVERSION = Conversion(
    kind="Cohort",
    source="v1beta1",
    target="v1beta2",
    by_webhook=True,
    lossy=(
        LossyField(
            path="status.fairSharing.admissionFairSharingStatus",
            reason="v1beta2 keeps it for LocalQueues only; Kueue has never written it here",
            source="kueue v0.17.0, apis/kueue/v1beta1/cohort_conversion.go",
        ),
    ),
)
