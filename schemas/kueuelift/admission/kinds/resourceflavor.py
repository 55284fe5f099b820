"""What the webhook demands of a ResourceFlavor, beside the rules of its CRD."""

from collections.abc import Iterator

from kueuelift.admission import shared
from kueuelift.admission.rule import AdmissionRule, Fault, KindRules, Setting
from kueuelift.admission.shared import entries, shown
from kueuelift.label_syntax import KEY_WANTED, VALUE_WANTED, is_label_key, is_label_value
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at
from kueuelift.release_profile import Evidence

_EVIDENCE = Evidence(level="run", source="kueue v0.17.0, pkg/webhooks/resourceflavor_webhook.go")
_TAINTS = "spec.nodeTaints"


def _bad_node_labels(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    return shared.bad_labels(at(obj, "spec", "nodeLabels"), "spec.nodeLabels")


def _bad_taint_keys(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    for index, taint in entries(obj, "spec", "nodeTaints"):
        key = taint.get("key", "")
        if isinstance(key, str) and not is_label_key(key):
            yield Fault(path=f"{_TAINTS}[{index}].key", found=shown(key), wanted=KEY_WANTED)


def _bad_taint_values(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    for index, taint in entries(obj, "spec", "nodeTaints"):
        value = taint.get("value")
        if isinstance(value, str) and not is_label_value(value):
            yield Fault(path=f"{_TAINTS}[{index}].value", found=shown(value), wanted=VALUE_WANTED)


def _repeated_taints(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for index, taint in entries(obj, "spec", "nodeTaints"):
        identity = str(taint.get("key")), str(taint.get("effect"))
        if identity in seen:
            found = f"a second taint {identity[0]}:{identity[1]}"
            yield Fault(path=f"{_TAINTS}[{index}]", found=found, wanted="one taint for each key and effect")
        seen.add(identity)


def _bad_toleration_keys(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    return shared.bad_toleration_keys(at(obj, "spec", "tolerations"), "spec.tolerations")


KIND = KindRules(
    kind="ResourceFlavor",
    rules=(
        AdmissionRule(
            id="RF-01",
            demands="nodeLabels have label keys and label values",
            check=_bad_node_labels,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="RF-02",
            demands="a taint's key is a label key, and not empty",
            check=_bad_taint_keys,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="RF-03",
            demands="a taint's value is a label value",
            check=_bad_taint_values,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="RF-04",
            demands="no two taints have the same key and effect",
            check=_repeated_taints,
            evidence=_EVIDENCE,
        ),
        AdmissionRule(
            id="RF-06",
            demands="a toleration's key is a label key, or empty",
            check=_bad_toleration_keys,
            evidence=_EVIDENCE,
        ),
    ),
)
