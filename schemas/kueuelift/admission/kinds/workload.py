"""What the webhook demands of a Workload, its status included, beside the rules of its CRD."""

from kueuelift.admission import workload_spec as spec
from kueuelift.admission import workload_status as status
from kueuelift.admission.rule import AdmissionRule, KindRules
from kueuelift.admission.workload_quick import surely_fine
from kueuelift.release_profile import Evidence

_FILE = "pkg/webhooks/workload_webhook.go"
_EVIDENCE = Evidence(level="run", source=f"kueue v0.17.0, {_FILE}")
_UNKNOWN_PATCH = "not in v0.18.1, in v0.18.6; which patch of 0.18 brought it is not known"
_READ_0_19 = Evidence(level="read", source=f"kueue v0.19.2, {_FILE}; {_UNKNOWN_PATCH}; not in v0.19.0")

KIND = KindRules(
    kind="Workload",
    surely_fine=surely_fine,
    rules=(
        AdmissionRule(
            id="WL-01",
            demands="no container requests the resource pods",
            check=spec.reserved_requests,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-02",
            demands="no container limits the resource pods, and no pod as a whole requests or limits it",
            check=spec.reserved_limits,
            since="0.19.0",
            backports=("0.18.6",),
            evidence=Evidence(level="read", source=f"kueue v0.19.2, {_FILE}; {_UNKNOWN_PATCH}"),
        ),
        AdmissionRule(
            id="WL-03",
            demands="requests and limits are 0 or more",
            check=spec.negative_resources,
            since="0.19.2",
            backports=("0.18.6",),
            gate="WorkloadValidateResourcesAreNonNegative",
            evidence=_READ_0_19,
        ),
        AdmissionRule(
            id="WL-04",
            demands="labels and annotations of a pod template are such that a pod may have them",
            check=spec.bad_template_metadata,
            since="0.19.2",
            backports=("0.18.6",),
            gate="WorkloadValidationForPodSetMetadata",
            evidence=_READ_0_19,
        ),
        AdmissionRule(
            id="WL-05",
            demands="one pod set at most has a minCount",
            check=spec.second_variable_count,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-07",
            demands="the Workload of an elastic job has no minCount",
            check=spec.variable_count_of_elastic,
            since="0.18.0",
            gate=spec.ELASTIC_GATE,
            evidence=Evidence(level="read", source=f"kueue v0.18.1, {_FILE}"),
        ),
        AdmissionRule(
            id="WL-08",
            demands="with quota reserved, each assignment names a pod set",
            check=status.unknown_assignments,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-09",
            demands="with quota reserved, the usage of a pod set can be shared out evenly among its pods",
            check=status.indivisible_usage,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-10",
            demands="with quota reserved, there is an admission; webhooks that have no such rule fail at it",
            check=status.reservation_without_admission,
            evidence=Evidence(
                level="run",
                source=f"kueue v0.17.0, {_FILE}; a rule, with an exception for updates, in v0.19.2: {_UNKNOWN_PATCH}",
            ),
        ),
        AdmissionRule(
            id="WL-12",
            demands="conditions are well formed",
            check=status.bad_conditions,
            evidence=Evidence(
                level="run",
                source="kueue v0.17.0; k8s.io/apimachinery v0.35.3, pkg/apis/meta/v1/validation/validation.go",
            ),
        ),
        AdmissionRule(
            id="WL-13",
            demands="reclaimablePods names pod sets, and no more pods than they have",
            check=status.bad_reclaimable_pods,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-14",
            demands="podSetUpdates name pod sets, and have well-formed labels, selectors, annotations and tolerations",
            check=status.bad_pod_set_updates,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-26",
            demands="the annotation admission-gated-by lists prefixed names, none twice",
            check=spec.bad_admission_gates,
            since="0.17.0",
            gate="AdmissionGatedBy",
            evidence=Evidence(level="run", source="kueue v0.17.0, pkg/util/webhook/validation_admissiongatedby.go"),
        ),
        AdmissionRule(
            id="WL-28",
            demands="the annotation priority-boost is an integer",
            check=spec.bad_priority_boost,
            since="0.17.0",
            gate="PriorityBoost",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="WL-29",
            demands="the slices of a topologyRequest have a level and a size, or neither",
            check=spec.bad_slices,
            since="0.19.2",
            backports=("0.18.6",),
            gate="TASValidateWorkloadSliceSize",
            evidence=_READ_0_19,
        ),
    ),
)
