"""What the webhook demands of a Cohort. Unlike a ClusterQueue's, its lendingLimit may exceed the nominalQuota."""

from kueuelift.admission import shared
from kueuelift.admission.rule import AdmissionRule, KindRules
from kueuelift.release_profile import Evidence

_EVIDENCE = Evidence(level="run", source="kueue v0.17.0, pkg/webhooks/cohort_webhook.go")

KIND = KindRules(
    kind="Cohort",
    rules=(
        AdmissionRule(
            id="CO-01",
            demands="each of coveredResources is a qualified name",
            check=shared.bad_resource_names,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-02",
            demands="a resource is covered once over all resourceGroups",
            check=shared.resources_covered_twice,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-03",
            demands="a flavor is named once over all resourceGroups",
            check=shared.flavors_named_twice,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-04",
            demands="a flavor's resources stand in the order of coveredResources",
            check=shared.resources_out_of_order,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-06",
            demands="nominalQuota, borrowingLimit and lendingLimit are 0 or more",
            check=shared.negative_quotas,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-07",
            demands="borrowingLimit goes with a parentName",
            check=shared.limit_without_parent("borrowingLimit", "parentName"),
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-08",
            demands="lendingLimit goes with a parentName",
            check=shared.limit_without_parent("lendingLimit", "parentName"),
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-10",
            demands="fairSharing.weight is 0 or more",
            check=shared.negative_weight,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CO-10",
            demands="fairSharing.weight is 0 or more than 1n",
            check=shared.vanishing_weight,
            since="0.14.0",
            evidence=Evidence(
                level="run",
                source="kueue v0.17.0, pkg/webhooks/common.go; not in v0.13.0; which later patch of 0.13 brought it is "
                "not known",
            ),
        ),
    ),
)
