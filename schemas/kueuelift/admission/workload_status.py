"""Checks of a Workload's status, for the catalogue of rules: every update of the object is judged by it too."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kueuelift.admission.rule import Fault, Setting
from kueuelift.admission.shared import (
    amount,
    bad_annotations,
    bad_labels,
    bad_toleration_keys,
    below,
    entries,
    mapping,
    shown,
)
from kueuelift.admission.workload_spec import ELASTIC_GATE, is_elastic, pod_sets
from kueuelift.label_syntax import KEY_WANTED, is_label_key
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at

_NO_TIME = re.compile(r"0001-01-01[Tt]00:00:00(?:\.0+)?(?:[Zz]|[+-]00:00)")
_MESSAGE_BYTES = 32 * 1024
_ASSIGNMENTS = "status.admission.podSetAssignments"


def unknown_assignments(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Assignments to pod sets that the Workload has not."""
    for index, assignment in _assignments(obj):
        yield from _unknown(obj, assignment, f"{_ASSIGNMENTS}[{index}].name")


def indivisible_usage(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Usage that is not the same for each pod."""
    for index, assignment in _assignments(obj):
        count = assignment.get("count")
        if not isinstance(count, int) or count <= 0:
            continue
        for name, value in mapping(assignment, "resourceUsage").items():
            whole = counted(name, value)
            if whole is not None and whole % count:
                unit = "thousandths" if name == "cpu" else "units"
                path = below(f"{_ASSIGNMENTS}[{index}].resourceUsage", name)
                yield Fault(path=path, found=shown(value), wanted=f"in {unit} a multiple of the count, {count}")


def reservation_without_admission(obj: KubernetesObject, setting: Setting) -> Iterator[Fault]:
    """A reservation that says nowhere where."""
    if _has_quota(obj) and at(obj, "status", "admission") is None:
        # Older webhooks fail at such an object, whatever is done to it; a manager of 0.17.0 was seen to end at one too.
        rewritable = setting.since("0.19.0", "0.18.6")
        wanted = "an admission, as the condition QuotaReserved is True"
        if not rewritable:
            wanted += "; Kueue 0.17 does not start while there is such an object"
        yield Fault(path="status.admission", found="nothing", wanted=wanted, rewritable=rewritable)


def bad_conditions(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Conditions that the CRD's patterns and lengths let pass although Kubernetes' own rules do not."""
    for index, condition in entries(obj, "status", "conditions"):
        path = f"status.conditions[{index}]"
        kind, time, message = condition.get("type"), condition.get("lastTransitionTime"), condition.get("message")
        if isinstance(kind, str) and not is_label_key(kind):
            yield Fault(path=f"{path}.type", found=shown(kind), wanted=KEY_WANTED)
        if isinstance(time, str) and _NO_TIME.fullmatch(time):
            yield Fault(path=f"{path}.lastTransitionTime", found=shown(time), wanted="a time")
        if isinstance(message, str) and len(message.encode()) > _MESSAGE_BYTES:
            found = f"{len(message.encode())} bytes"
            yield Fault(path=f"{path}.message", found=found, wanted=f"at most {_MESSAGE_BYTES} bytes")


def bad_reclaimable_pods(obj: KubernetesObject, setting: Setting) -> Iterator[Fault]:
    """Pods given back of pod sets that there are not, or more than there are."""
    counts = {str(pod_set.get("name")): pod_set.get("count") for _, pod_set in pod_sets(obj)}
    shrunk = is_elastic(obj) and setting.on(ELASTIC_GATE, unknown=False) and setting.since("0.19.0")
    for index, entry in entries(obj, "status", "reclaimablePods"):
        path = f"status.reclaimablePods[{index}]"
        yield from _unknown(obj, entry, f"{path}.name")
        count, most = entry.get("count"), counts.get(str(entry.get("name")))
        if isinstance(count, int) and isinstance(most, int) and count > most:
            wanted = f"at most the pod set's count, {most}"
            yield Fault(path=f"{path}.count", found=shown(count), wanted=wanted, rewritable=shrunk)


def bad_pod_set_updates(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """What an admission check wants to add to pods and may not."""
    for at_check, check in entries(obj, "status", "admissionChecks"):
        for index, update in entries(check, "podSetUpdates"):
            path = f"status.admissionChecks[{at_check}].podSetUpdates[{index}]"
            yield from _unknown(obj, update, f"{path}.name")
            yield from bad_toleration_keys(update.get("tolerations"), f"{path}.tolerations")
            yield from bad_annotations(update.get("annotations"), f"{path}.annotations")
            yield from bad_labels(update.get("nodeSelector"), f"{path}.nodeSelector")
            yield from bad_labels(update.get("labels"), f"{path}.labels")


def _unknown(obj: KubernetesObject, named: KubernetesObject, path: str) -> Iterator[Fault]:
    own, name = [pod_set.get("name") for _, pod_set in pod_sets(obj)], named.get("name")
    if name not in own:
        yield Fault(path=path, found=shown(name), wanted=f"one of the podSets {', '.join(map(str, own))}")


def _assignments(obj: KubernetesObject) -> Iterator[tuple[int, dict[str, Any]]]:
    return entries(obj, "status", "admission", "podSetAssignments") if _has_quota(obj) else iter(())


def _has_quota(obj: KubernetesObject) -> bool:
    return any(
        condition.get("type") == "QuotaReserved" and condition.get("status") == "True"
        for _, condition in entries(obj, "status", "conditions")
    )


def counted(name: str, value: Any) -> int | None:
    """A quantity as Kueue counts it: whole units, of cpu thousandths, rounded away from zero.

    None where it is none, and where it does not fit in 64 bits: there Kueue's counting wraps around.
    """
    return _counted(value, 1000 if name == "cpu" else 1) if isinstance(value, str | int | float) else None


@lru_cache(maxsize=4096, typed=True)
def _counted(value: str | float, parts: int) -> int | None:
    read = amount(value)
    if read is None:
        return None
    read *= parts
    whole = -(-abs(read.numerator) // read.denominator)
    return None if whole >= 1 << 63 else whole
