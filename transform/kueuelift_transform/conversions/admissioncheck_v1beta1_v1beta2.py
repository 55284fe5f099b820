"""AdmissionCheck: one field is gone, by pruning; no webhook is asked."""

from kueuelift_transform.conversion import Conversion, LossyField

CONVERSION = Conversion(
    kind="AdmissionCheck",
    source="v1beta1",
    target="v1beta2",
    lossy=(
        LossyField(
            path="spec.retryDelayMinutes",
            reason="v1beta2 has no such field; a ProvisioningRequestConfig's retryStrategy says how often to try again",
            source="kueue v0.17.0, config/components/crd/bases/kueue.x-k8s.io_admissionchecks.yaml",
        ),
    ),
)
