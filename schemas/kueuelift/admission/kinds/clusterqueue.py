"""What the webhook demands of a ClusterQueue, beside the rules of its CRD."""

from collections.abc import Iterator

from kueuelift.admission import shared
from kueuelift.admission.rule import AdmissionRule, Fault, KindRules, Setting
from kueuelift.admission.shared import bad_labels, entries, flavor_names, groups, mapping, shown, words
from kueuelift.label_syntax import KEY_WANTED, VALUE_WANTED, is_label_key, is_label_value
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at
from kueuelift.release_profile import Evidence

_EVIDENCE = Evidence(level="run", source="kueue v0.17.0, pkg/webhooks/clusterqueue_webhook.go")
_READ_0_18 = Evidence(level="read", source="kueue v0.18.1, pkg/webhooks/clusterqueue_webhook.go")
_POLICY = "spec.concurrentAdmissionPolicy"
_CONCURRENT = "ConcurrentAdmission"
_MOST_IN_ALL, _MOST_IN_GROUP, _MOST_CONCURRENT = 256, 512, 16


def _bad_selector(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    selector, path = at(obj, "spec", "namespaceSelector"), "spec.namespaceSelector"
    yield from bad_labels(at(selector, "matchLabels"), f"{path}.matchLabels")
    for index, expression in entries(selector, "matchExpressions"):
        yield from _bad_expression(expression, f"{path}.matchExpressions[{index}]")


def _bad_expression(expression: KubernetesObject, path: str) -> Iterator[Fault]:
    operator, key, values = expression.get("operator"), expression.get("key"), list(words(expression, "values"))
    match operator:
        case "In" | "NotIn":
            if not values:
                yield Fault(path=f"{path}.values", found="nothing", wanted=f"at least one value for {operator}")
        case "Exists" | "DoesNotExist":
            if values:
                found = shown([value for _, value in values])
                yield Fault(path=f"{path}.values", found=found, wanted=f"no values for {operator}")
        case _:
            yield Fault(path=f"{path}.operator", found=shown(operator), wanted="In, NotIn, Exists or DoesNotExist")
    if isinstance(key, str) and not is_label_key(key):
        yield Fault(path=f"{path}.key", found=shown(key), wanted=KEY_WANTED)
    for index, value in values:
        if not is_label_value(value):
            yield Fault(path=f"{path}.values[{index}]", found=shown(value), wanted=VALUE_WANTED)


def _too_many_flavors(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    yield from _too_many(len(flavor_names(obj)), "flavors")


def _too_many_resources(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    yield from _too_many(sum(len(list(words(group, "coveredResources"))) for _, group in groups(obj)), "resources")


def _too_many(count: int, what: str) -> Iterator[Fault]:
    if count > _MOST_IN_ALL:
        wanted = f"at most {_MOST_IN_ALL} over all groups"
        yield Fault(path="spec.resourceGroups", found=f"{count} {what}", wanted=wanted)


def _too_many_quotas(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    for path, group in groups(obj):
        count = sum(len(list(entries(flavor, "resources"))) for _, flavor in entries(group, "flavors"))
        if count > _MOST_IN_GROUP:
            yield Fault(path=path, found=f"{count} quotas", wanted=f"at most {_MOST_IN_GROUP} in a group")


def _foreign_flavors_of_checks(obj: KubernetesObject, setting: Setting) -> Iterator[Fault]:
    own = set(flavor_names(obj))
    # An update passes a list that it finds as it was, unless a gate forbids that.
    rewritable = not setting.on("RejectUpdatesToCQWithInvalidOnFlavors", unknown=False)
    for index, check in entries(obj, "spec", "admissionChecksStrategy", "admissionChecks"):
        for place, flavor in words(check, "onFlavors"):
            if flavor not in own:
                yield Fault(
                    path=f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{place}]",
                    found=shown(flavor),
                    wanted="a flavor of this ClusterQueue's resourceGroups",
                    rewritable=rewritable,
                )


def _other_than_one_group(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    count = len(list(groups(obj)))
    if at(obj, "spec", "concurrentAdmissionPolicy") is not None and count != 1:
        wanted = "exactly one beside concurrentAdmissionPolicy"
        yield Fault(path="spec.resourceGroups", found=f"{count} groups", wanted=wanted)


def _too_many_to_try(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    own = list(groups(obj))
    if at(obj, "spec", "concurrentAdmissionPolicy") is None or len(own) != 1:
        return
    path, group = own[0]
    count = len(list(entries(group, "flavors")))
    if count > _MOST_CONCURRENT:
        wanted = f"at most {_MOST_CONCURRENT} beside concurrentAdmissionPolicy"
        yield Fault(path=f"{path}.flavors", found=f"{count} flavors", wanted=wanted)


def _constraints_without_migration(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    migration = mapping(obj, "spec", "concurrentAdmissionPolicy", "migration")
    mode = str(migration.get("mode", ""))
    if migration.get("constraints") is not None and mode not in {"", "TryPreferredFlavors"}:
        path = f"{_POLICY}.migration.constraints"
        yield Fault(path=path, found=shown(migration["constraints"]), wanted=f"no constraints with the mode {mode}")


def _foreign_last_flavor(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    name = at(obj, "spec", "concurrentAdmissionPolicy", "migration", "constraints", "lastAcceptableFlavorName")
    if name is not None and name not in flavor_names(obj):
        path = f"{_POLICY}.migration.constraints.lastAcceptableFlavorName"
        yield Fault(path=path, found=shown(name), wanted="a flavor of this ClusterQueue's resourceGroups")


def _strict_order(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    policy, strategy = at(obj, "spec", "concurrentAdmissionPolicy"), at(obj, "spec", "queueingStrategy")
    if policy is not None and strategy == "StrictFIFO":
        wanted = "BestEffortFIFO beside concurrentAdmissionPolicy"
        yield Fault(path="spec.queueingStrategy", found=shown(strategy), wanted=wanted)


KIND = KindRules(
    kind="ClusterQueue",
    rules=(
        *shared.rules_of_groups("CQ", _EVIDENCE),
        AdmissionRule(
            id="CQ-07",
            demands="borrowingLimit goes with a cohortName that is not empty; the CRD only asks that it is there",
            check=shared.limit_without_parent("borrowingLimit", "cohortName"),
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-08",
            demands="lendingLimit goes with a cohortName",
            check=shared.limit_without_parent("lendingLimit", "cohortName"),
            gate="LendingLimit",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-09",
            demands="lendingLimit is at most nominalQuota",
            check=shared.lending_above_nominal,
            gate="LendingLimit",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-11",
            demands="namespaceSelector is a label selector",
            check=_bad_selector,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-13",
            demands="fairSharing.weight is 0 or more",
            check=shared.negative_weight,
            evidence=_EVIDENCE,
        ),
        shared.rule_of_vanishing_weight("CQ-14"),
        AdmissionRule(
            id="CQ-15",
            demands=f"all resourceGroups together have at most {_MOST_IN_ALL} flavors",
            check=_too_many_flavors,
            since="0.14.0",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-16",
            demands=f"all resourceGroups together cover at most {_MOST_IN_ALL} resources",
            check=_too_many_resources,
            since="0.14.0",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-17",
            demands=f"a resource group has at most {_MOST_IN_GROUP} quotas: its flavors times its resources",
            check=_too_many_quotas,
            since="0.14.0",
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="CQ-19",
            demands="onFlavors of an admission check names flavors of the ClusterQueue; for updates this is CQ-20",
            check=_foreign_flavors_of_checks,
            since="0.18.0",
            backports=("0.16.6", "0.17.1"),
            evidence=Evidence(
                level="read",
                source="kueue v0.18.1, pkg/webhooks/clusterqueue_webhook.go; in v0.16.6 and v0.17.1, not in v0.16.5 "
                "and v0.17.0",
            ),
        ),
        AdmissionRule(
            id="CQ-22",
            demands="with concurrentAdmissionPolicy there is exactly one resource group",
            check=_other_than_one_group,
            since="0.18.0",
            gate=_CONCURRENT,
            evidence=_READ_0_18,
        ),
        AdmissionRule(
            id="CQ-23",
            demands=f"with concurrentAdmissionPolicy the group has at most {_MOST_CONCURRENT} flavors",
            check=_too_many_to_try,
            since="0.18.0",
            gate=_CONCURRENT,
            evidence=_READ_0_18,
        ),
        AdmissionRule(
            id="CQ-24",
            demands="migration.constraints goes with the mode TryPreferredFlavors",
            check=_constraints_without_migration,
            since="0.18.0",
            gate=_CONCURRENT,
            evidence=_READ_0_18,
        ),
        AdmissionRule(
            id="CQ-25",
            demands="lastAcceptableFlavorName is a flavor of the ClusterQueue",
            check=_foreign_last_flavor,
            since="0.18.0",
            gate=_CONCURRENT,
            evidence=_READ_0_18,
        ),
        AdmissionRule(
            id="CQ-26",
            demands="with concurrentAdmissionPolicy the queueingStrategy is not StrictFIFO",
            check=_strict_order,
            since="0.18.0",
            gate=_CONCURRENT,
            evidence=_READ_0_18,
        ),
    ),
)
