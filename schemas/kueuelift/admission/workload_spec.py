"""Checks of a Workload's spec and annotations, for the catalogue of rules."""

import re
from collections.abc import Iterator
from typing import Any

from kueuelift.admission.rule import Fault, Setting
from kueuelift.admission.shared import bad_annotations, bad_labels, below, entries, is_negative, mapping, shown
from kueuelift.label_syntax import is_prefixed_path
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at

ELASTIC_GATE = "ElasticJobsViaWorkloadSlices"
_ELASTIC = "kueue.x-k8s.io/elastic-job"
_GATED_BY = "kueue.x-k8s.io/admission-gated-by"
_BOOST = "kueue.x-k8s.io/priority-boost"
SPEAKING_ANNOTATIONS = frozenset({_ELASTIC, _GATED_BY, _BOOST})
"""Those that a rule looks at."""
_LONGEST_GATE = 63
_RESERVED = "pods"
_INTEGER = re.compile(r"[+-]?0*([0-9]+)")
_BLANKS = " \t\n\v\f\r\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""What Go trims from a text's ends."""


def pod_sets(obj: KubernetesObject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pod sets, with their paths."""
    return ((f"spec.podSets[{index}]", pod_set) for index, pod_set in entries(obj, "spec", "podSets"))


def is_elastic(obj: KubernetesObject) -> bool:
    """Whether the job behind the Workload may change its size while it runs."""
    return bool(at(obj, "metadata", "annotations", _ELASTIC) == "true")


def reserved_requests(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Containers that request the resource which Kueue keeps for its own counting."""
    for path, _pods, resources in _containers(obj):
        yield from _reserved(resources, path, "requests")


def reserved_limits(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """The same in limits, and in the resources of the whole pod."""
    for path, of_pod, resources in _resources(obj):
        if of_pod:
            yield from _reserved(resources, path, "requests")
        yield from _reserved(resources, path, "limits")


def negative_resources(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Requests and limits below zero."""
    for path, _of_pod, resources in _resources(obj):
        for field in ("requests", "limits"):
            for name, value in mapping(resources, field).items():
                if is_negative(value):
                    yield Fault(path=below(f"{path}.{field}", name), found=shown(value), wanted="0 or more")


def bad_template_metadata(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Labels and annotations of a pod template that no pod may have."""
    for path, pod_set in pod_sets(obj):
        metadata = at(pod_set, "template", "metadata")
        yield from bad_labels(at(metadata, "labels"), f"{path}.template.metadata.labels")
        yield from bad_annotations(at(metadata, "annotations"), f"{path}.template.metadata.annotations")


def second_variable_count(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """More than one pod set of variable size."""
    variable = [path for path, pod_set in pod_sets(obj) if pod_set.get("minCount") is not None]
    if len(variable) > 1:
        yield Fault(path="spec.podSets", found=f"minCount in {len(variable)} of them", wanted="minCount in one at most")


def variable_count_of_elastic(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Two ways at once of changing a job's size."""
    if is_elastic(obj):
        for path, pod_set in pod_sets(obj):
            if pod_set.get("minCount") is not None:
                wanted = f"no minCount, as the annotation {_ELASTIC} is true"
                yield Fault(path=f"{path}.minCount", found=shown(pod_set["minCount"]), wanted=wanted)


def bad_slices(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Slices of a pod set that lack a size or a level, or have none to speak of."""
    for pod_set_path, pod_set in pod_sets(obj):
        path, request = f"{pod_set_path}.topologyRequest", mapping(pod_set, "topologyRequest")
        level, size = request.get("podSetSliceRequiredTopology"), request.get("podSetSliceSize")
        if level is not None and size is None:
            yield Fault(path=f"{path}.podSetSliceSize", found="nothing", wanted="a size beside the level of the slices")
        elif level is None and size is not None:
            wanted = "no size without podSetSliceRequiredTopology"
            yield Fault(path=f"{path}.podSetSliceSize", found=shown(size), wanted=wanted)
        elif isinstance(size, int) and size <= 0:
            yield Fault(path=f"{path}.podSetSliceSize", found=shown(size), wanted="1 or more")
        field = "podsetSliceRequiredTopologyConstraints"
        for index, constraint in entries(request, field):
            size = constraint.get("size")
            if isinstance(size, int) and size <= 0:
                yield Fault(path=f"{path}.{field}[{index}].size", found=shown(size), wanted="1 or more")


def bad_admission_gates(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """An annotation that does not list gates, or lists one twice."""
    text = at(obj, "metadata", "annotations", _GATED_BY)
    if not isinstance(text, str) or not text.strip(_BLANKS):
        return
    seen: set[str] = set()
    for gate in (part.strip(_BLANKS) for part in text.split(",")):
        wanted = ""
        if not gate:
            wanted = "a name between the commas"
        elif gate in seen:
            wanted = f"{gate} once"
        elif not is_prefixed_path(gate) or len(gate) > _LONGEST_GATE:
            wanted = f"names such as example.com/gate, of at most {_LONGEST_GATE} characters"
        if wanted:
            yield Fault(path=f"metadata.annotations[{_GATED_BY}]", found=shown(text), wanted=wanted)
        seen.add(gate)


def bad_priority_boost(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """An annotation that is no number."""
    text = at(obj, "metadata", "annotations", _BOOST)
    if isinstance(text, str) and not _is_int32(text):
        wanted = "an integer of 32 bits, in quotes"
        yield Fault(path=f"metadata.annotations[{_BOOST}]", found=shown(text), wanted=wanted)


def _is_int32(text: str) -> bool:
    # Ten digits are enough; leading zeros are none.
    found = _INTEGER.fullmatch(text)
    return found is not None and len(found[1]) <= 10 and -(1 << 31) <= int(text) < 1 << 31


def _reserved(resources: Any, path: str, field: str) -> Iterator[Fault]:
    if _RESERVED in mapping(resources, field):
        wanted = f"no {_RESERVED}: Kueue keeps this name for itself"
        yield Fault(path=f"{path}.{field}.{_RESERVED}", found=shown(resources[field][_RESERVED]), wanted=wanted)


def _containers(obj: KubernetesObject) -> Iterator[tuple[str, bool, Any]]:
    for path, pod_set in pod_sets(obj):
        spec = at(pod_set, "template", "spec")
        for field in ("initContainers", "containers"):
            for index, container in entries(spec, field):
                yield f"{path}.template.spec.{field}[{index}].resources", False, container.get("resources")


def _resources(obj: KubernetesObject) -> Iterator[tuple[str, bool, Any]]:
    """The resources of each container and of each pod as a whole, with their paths."""
    yield from _containers(obj)
    for path, pod_set in pod_sets(obj):
        yield f"{path}.template.spec.resources", True, at(pod_set, "template", "spec", "resources")
