"""What the rules of several kinds have in common: reading objects, quantities, labels, tolerations, resource groups."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kueuelift import quantity
from kueuelift.admission.rule import AdmissionRule, Check, Fault, Setting
from kueuelift.label_syntax import KEY_WANTED, VALUE_WANTED, is_annotation_key, is_label_key, is_label_value
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at
from kueuelift.release_profile import Evidence

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_SHOWN = 80
_ANNOTATION_BYTES = 256 * 1024


def mapping(value: Any, *keys: str) -> Mapping[str, Any]:
    """The object below a value; an empty one where there is none."""
    found = at(value, *keys)
    return found if isinstance(found, dict) else {}


def entries(value: Any, *keys: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of the list below a value, with their places."""
    found = at(value, *keys)
    if isinstance(found, list):
        yield from ((index, one) for index, one in enumerate(found) if isinstance(one, dict))


def words(value: Any, *keys: str) -> Iterator[tuple[int, str]]:
    """The texts of the list below a value, with their places."""
    found = at(value, *keys)
    if isinstance(found, list):
        yield from ((index, one) for index, one in enumerate(found) if isinstance(one, str))


def below(path: str, key: str) -> str:
    """The path of a field, or of a map's entry, whose key may be any text."""
    return f"{path}.{key}" if _PLAIN.fullmatch(key) else f"{path}[{key}]"


def shown(value: Any) -> str:
    """A value in a few words."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def amount(value: Any) -> Fraction | None:
    """A quantity as Kueue reads it, rounded up to billionths; None where it is none, or beyond comparing."""
    return _amount(value) if isinstance(value, str | int | float) else None


@lru_cache(maxsize=4096, typed=True)
def _amount(value: str | float) -> Fraction | None:
    try:
        return quantity.exact_value(quantity.canonical(value))
    except ValueError:
        pass
    try:
        return quantity.exact_value(value)
    except ValueError:
        return None


def is_negative(value: Any) -> bool:
    """Whether a value is a quantity below zero."""
    read = amount(value)
    return read is not None and read < 0


def bad_labels(labels: Any, path: str) -> Iterator[Fault]:
    """What of a map is no label."""
    for key, value in mapping(labels).items():
        if not is_label_key(key):
            yield Fault(path=below(path, key), found=f"the key {shown(key)}", wanted=KEY_WANTED)
        if isinstance(value, str) and not is_label_value(value):
            yield Fault(path=below(path, key), found=shown(value), wanted=VALUE_WANTED)


def bad_annotations(annotations: Any, path: str) -> Iterator[Fault]:
    """What of a map is no annotation, and whether all of them are too much."""
    own = mapping(annotations)
    for key in own:
        if not is_annotation_key(key):
            yield Fault(path=below(path, key), found=f"the key {shown(key)}", wanted=KEY_WANTED)
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in own.items())
    if size > _ANNOTATION_BYTES:
        yield Fault(path=path, found=f"{size} bytes", wanted=f"at most {_ANNOTATION_BYTES} bytes in all")


def bad_toleration_keys(tolerations: Any, path: str) -> Iterator[Fault]:
    """Which tolerations have a key that is no label key; having none is right."""
    for index, toleration in entries(tolerations):
        key = toleration.get("key")
        if key and isinstance(key, str) and not is_label_key(key):
            yield Fault(path=f"{path}[{index}].key", found=shown(key), wanted=KEY_WANTED)


_GROUPS = "spec.resourceGroups"


def bad_resource_names(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Covered resources that are no qualified names."""
    for path, name in _covered(obj):
        if not is_label_key(name):
            yield Fault(path=path, found=shown(name), wanted=KEY_WANTED)


def resources_covered_twice(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Resources that occur more than once over all groups."""
    yield from _repeated(_covered(obj), "a resource that no group covers already")


def flavors_named_twice(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Flavors that occur more than once over all groups."""
    named = (
        (f"{path}.name", flavor["name"])
        for path, _group, flavor in _flavors(obj)
        if isinstance(flavor.get("name"), str)
    )
    yield from _repeated(named, "a flavor that no group names already")


def resources_out_of_order(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Quotas that stand at another place than their resource has in coveredResources."""
    for path, covered, quota in _quotas(obj):
        if quota.get("name") != covered:
            yield Fault(
                path=f"{path}.name",
                found=shown(quota.get("name")),
                wanted=f"{shown(covered)}: coveredResources has it at this place",
            )


def negative_quotas(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Quotas and limits below zero."""
    for path, _name, quota in _quotas(obj):
        for field in ("nominalQuota", "borrowingLimit", "lendingLimit"):
            if is_negative(quota.get(field)):
                yield Fault(path=f"{path}.{field}", found=shown(quota[field]), wanted="0 or more")


def limit_without_parent(limit: str, parent: str) -> Check:
    """Check that a limit stands only in an object that names its parent."""

    def check(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
        if at(obj, "spec", parent):
            return
        for path, _covered_name, quota in _quotas(obj):
            if quota.get(limit) is not None:
                yield Fault(
                    path=f"{path}.{limit}", found=shown(quota[limit]), wanted=f"no {limit}, as spec.{parent} is empty"
                )

    return check


def lending_above_nominal(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """Lending limits that are larger than the quota."""
    for path, _name, quota in _quotas(obj):
        lent, nominal = quota.get("lendingLimit"), quota.get("nominalQuota")
        larger, smaller = amount(lent), amount(nominal)
        if larger is not None and smaller is not None and larger > smaller:
            wanted = f"at most the nominalQuota, {shown(nominal)}"
            yield Fault(path=f"{path}.lendingLimit", found=shown(lent), wanted=wanted)


def negative_weight(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """A fair sharing weight below zero."""
    weight = at(obj, "spec", "fairSharing", "weight")
    if is_negative(weight):
        yield Fault(path="spec.fairSharing.weight", found=shown(weight), wanted="0 or more")


def vanishing_weight(obj: KubernetesObject, _: Setting) -> Iterator[Fault]:
    """A fair sharing weight that is not 0 and as good as 0."""
    weight = at(obj, "spec", "fairSharing", "weight")
    read = amount(weight)
    if read is not None and 0 < read <= Fraction(1, 10**9):
        yield Fault(path="spec.fairSharing.weight", found=shown(weight), wanted="0, or more than 1n")


def rules_of_groups(letters: str, evidence: Evidence) -> tuple[AdmissionRule, ...]:
    """What holds for the resource groups of every kind that has them: the rules 01 to 06 of the kind with `letters`."""
    return tuple(
        AdmissionRule(id=f"{letters}-{number}", demands=demands, check=check, evidence=evidence)
        for number, demands, check in (
            ("01", "each of coveredResources is a qualified name", bad_resource_names),
            ("02", "a resource is covered once over all resourceGroups", resources_covered_twice),
            ("03", "a flavor is named once over all resourceGroups", flavors_named_twice),
            ("04", "a flavor's resources stand in the order of coveredResources", resources_out_of_order),
            ("06", "nominalQuota, borrowingLimit and lendingLimit are 0 or more", negative_quotas),
        )
    )


def rule_of_vanishing_weight(number: str) -> AdmissionRule:
    """The lower bound of a fair sharing weight, which is the same for every kind."""
    return AdmissionRule(
        id=number,
        demands="fairSharing.weight is 0 or more than 1n",
        check=vanishing_weight,
        since="0.14.0",
        evidence=Evidence(
            level="run",
            source="kueue v0.17.0, pkg/webhooks/common.go; not in v0.13.0; which later patch of 0.13 brought it is "
            "not known",
        ),
    )


def groups(obj: KubernetesObject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The resource groups, with their paths."""
    return ((f"{_GROUPS}[{index}]", group) for index, group in entries(obj, "spec", "resourceGroups"))


def flavor_names(obj: KubernetesObject) -> list[str]:
    """The flavors of all groups, in their order."""
    return [flavor["name"] for _, _, flavor in _flavors(obj) if isinstance(flavor.get("name"), str)]


def _covered(obj: KubernetesObject) -> Iterator[tuple[str, str]]:
    for path, group in groups(obj):
        for index, name in words(group, "coveredResources"):
            yield f"{path}.coveredResources[{index}]", name


def _flavors(obj: KubernetesObject) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each flavor with its path and the group that it stands in."""
    for path, group in groups(obj):
        for index, flavor in entries(group, "flavors"):
            yield f"{path}.flavors[{index}]", group, flavor


def _quotas(obj: KubernetesObject) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each quota with its path and the covered resource at its place; the webhooks look no further than these."""
    for path, group, flavor in _flavors(obj):
        covered = [name for _, name in words(group, "coveredResources")]
        for index, quota in entries(flavor, "resources"):
            if index < len(covered):
                yield f"{path}.resources[{index}]", covered[index], quota


def _repeated(named: Iterable[tuple[str, Any]], wanted: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for path, name in named:
        if name in seen:
            yield Fault(path=path, found=shown(name), wanted=wanted)
        seen.add(name)
