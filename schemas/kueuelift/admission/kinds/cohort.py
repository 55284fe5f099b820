"""What the webhook demands of a Cohort. Unlike a ClusterQueue's, its lendingLimit may exceed the nominalQuota."""

from kueuelift.admission import shared
from kueuelift.admission.rule import AdmissionRule, KindRules
from kueuelift.release_profile import Evidence

_EVIDENCE = Evidence(level="run", source="kueue v0.17.0, pkg/webhooks/cohort_webhook.go")

KIND = KindRules(
    kind="Cohort",
    rules=(
        *shared.rules_of_groups("CO", _EVIDENCE),
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
        shared.rule_of_vanishing_weight("CO-10"),
    ),
)
