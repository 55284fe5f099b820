"""The manager's rules on `resources`: which device classes count as which resource, and names that are taken."""

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelift import label_syntax
from kueuelift.release_profile import Release

Found = Iterator[tuple[str, str, str]]
RESERVED = "pods"
"""What Kueue itself counts, one for each pod."""
_FROM_TWO_KINDS = Release(major=0, minor=19)
_GATES = {"counter": "KueueDRAIntegrationPartitionableDevices", "capacity": "KueueDRAIntegrationConsumableCapacity"}


def device_classes(value: Any, release: Release) -> Found:
    """The mappings one by one: names, numbers, and classes that two resources would share."""
    if len(value) > 16:
        yield "", f"{len(value)} mappings", "at most 16"
    names = [mapping.get("name", "") for mapping in value]
    owners: dict[str, tuple[str, bool]] = {}
    for index, mapping in enumerate(value):
        place, classes = f"[{index}]", mapping.get("deviceClassNames", [])
        yield from _key(f"{place}.name", names[index])
        if names[index] in names[:index]:
            yield f"{place}.name", names[index], "each only once"
        if not 1 <= len(classes) <= 8:
            yield f"{place}.deviceClassNames", f"{len(classes)} classes", "1 to 8"
        for number, name in enumerate(classes):
            yield from _key(f"{place}.deviceClassNames[{number}]", name)
            if name in classes[:number]:
                yield f"{place}.deviceClassNames[{number}]", name, "each only once"
            owner, counted = owners.setdefault(name, (names[index], bool(mapping.get("sources"))))
            shared = release >= _FROM_TWO_KINDS and counted and mapping.get("sources")
            if owner != names[index] and not shared:
                yield f"{place}.deviceClassNames[{number}]", name, f"a class that is not {owner}'s already"


def device_sources(value: Any, release: Release, gates: Mapping[str, bool]) -> Found:
    """What a mapping counts instead of devices; its CEL is left to the manager."""
    for index, mapping in enumerate(value):
        sources = mapping.get("sources", [])
        if len(sources) > 1 and release < _FROM_TWO_KINDS:
            yield f"[{index}].sources", f"{len(sources)} sources", "one at most"
        kinds = {kind for source in sources for kind in _GATES if kind in source}
        if len(kinds) > 1:
            yield f"[{index}].sources", "counter and capacity", "one kind in a mapping"
        for number, source in enumerate(sources):
            place = f"[{index}].sources[{number}]"
            own = [kind for kind in _GATES if kind in source]
            if len(own) != 1:
                yield place, f"{len(own)} of counter and capacity", "exactly one"
            for kind in own:
                if not gates.get(_GATES[kind]):
                    yield f"{place}.{kind}", "it without its gate", f"the gate {_GATES[kind]} turned on with it"
                yield from _counted(f"{place}.{kind}", source[kind], kind)


def reserved_name(value: Any) -> Found:
    """Where the name of a resource is one that Kueue counts itself; a name that only ends in it is none."""
    for index, item in enumerate(value.get("transformations") or []):
        place = f"transformations[{index}]"
        for key in ("input", "multiplyBy"):
            if item.get(key) == RESERVED:
                yield f"{place}.{key}", RESERVED, "another resource"
        if RESERVED in (item.get("outputs") or {}):
            yield f"{place}.outputs[{RESERVED}]", RESERVED, "another resource"
    for index, item in enumerate(value.get("deviceClassMappings") or []):
        if item.get("name") == RESERVED:
            yield f"deviceClassMappings[{index}].name", RESERVED, "another resource"


def _counted(place: str, value: Mapping[str, Any], kind: str) -> Found:
    name, driver = value.get("name", ""), value.get("driver", "")
    if not (label_syntax.is_host_label(name) if kind == "counter" else label_syntax.is_label_key(name)):
        yield f"{place}.name", name or "nothing", "a DNS label" if kind == "counter" else "a qualified name"
    if not driver or len(driver) > 63 or not label_syntax.is_host(driver):
        yield f"{place}.driver", driver or "nothing", "a DNS subdomain of at most 63 characters"


def _key(place: str, name: str) -> Found:
    if len(name) > 253 or not label_syntax.is_label_key(name):
        yield place, name or "nothing", "a name as label keys have it, of at most 253 characters"
