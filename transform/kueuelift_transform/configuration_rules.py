"""The rules that a manager holds a Configuration against before it starts; which apply when is data.

Each check is given the value at the rule's path, in the form that is in effect, and yields what is wrong below it. That
an expression of CEL compiles is left to the manager.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift import go_duration, label_syntax
from kueuelift.errors import printable
from kueuelift.manager_config import ConfigRule, ManagerConfig, manager_config
from kueuelift.release_profile import Release, profile
from kueuelift_transform import label_selector
from kueuelift_transform.configuration_decode import Problem
from kueuelift_transform.configuration_devices import device_classes, device_sources, reserved_name
from kueuelift_transform.configuration_effective import NAMESPACE
from kueuelift_transform.conversion import field_at

Found = Iterator[tuple[str, str, str]]
"""Path below the rule's own, what was found, what is wanted."""

_NAME_OF_NAMESPACE = "kubernetes.io/metadata.name"
_INCREMENTAL = "kueue.x-k8s.io/multikueue-dispatcher-incremental"
_METRIC_LABEL = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*", re.ASCII)
_MODES = ("Never", "IfAvailable", "Always")


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What a check may look at beside its own field."""

    value: Mapping[str, Any]
    """All that is in effect."""
    known: ManagerConfig
    gates: Mapping[str, bool]
    """Every gate of the release, as it stands."""
    namespace: str
    rule: ConfigRule


def problems(
    value: Mapping[str, Any], release: Release, *, gates: Mapping[str, bool] | None = None, namespace: str = NAMESPACE
) -> list[Problem]:
    """Why a manager of the release would not start with what is in effect; `gates` are those set elsewhere, too."""
    known, set_here = manager_config(release), value.get("featureGates") or {}
    standing = {name: gate.default for name, gate in profile(str(release)).gates.items()} | set_here | dict(gates or {})
    found = []
    for rule in known.rules:
        context = Context(value=value, known=known, gates=standing, namespace=namespace, rule=rule)
        found += [Problem(path=path, found=was, wanted=wanted) for path, was, wanted in _broken(rule, context)]
    return found


def _broken(rule: ConfigRule, context: Context) -> Found:
    inside, on = rule.arguments.get("inside"), rule.arguments.get("on")
    if inside and field_at(context.value, inside) is None:
        return
    if on and field_at(context.value, on) is not True:
        return
    for path, value in _at(context.value, rule.field, ""):
        if value is not None or inside:
            for below, was, wanted in CHECKS[rule.check](value, context):
                joint = "." if below and not below.startswith("[") else ""
                yield f"{path}{joint}{below}", was, wanted


def _at(value: Any, path: str, above: str) -> Iterator[tuple[str, Any]]:
    """The places of a path, each item of a list for itself."""
    if not path:
        yield above, value
        return
    name, _, rest = path.partition(".")
    bare = name.removesuffix("[]")
    place = f"{above}.{bare}" if above else bare
    below = value.get(bare) if isinstance(value, Mapping) else None
    if name == bare:
        yield from _at(below, rest, place)
    else:
        for index, item in enumerate(below or []):
            yield from _at(item, rest, f"{place}[{index}]")


def _sizes(value: Any) -> Iterable[tuple[str, Any, float]]:
    """A number or a duration, or those of a map, with its size."""
    entries = value.items() if isinstance(value, dict) else [("", "0s" if value is None else value)]
    for key, item in entries:
        size = go_duration.nanoseconds(item) if isinstance(item, str) else item
        yield (f"[{key}]" if key else ""), item, size


def _not_negative(value: Any, _: Context) -> Found:
    return ((path, repr(item), "nothing below zero") for path, item, size in _sizes(value) if size < 0)


def _above_zero(value: Any, _: Context) -> Found:
    return ((path, repr(item), "more than zero") for path, item, size in _sizes(value) if size <= 0)


def _one_of(value: Any, context: Context) -> Found:
    values = context.rule.arguments["values"]
    if value not in values:
        yield "", _told(value), f"one of {', '.join(values)}"


def _one_of_lists(value: Any, context: Context) -> Found:
    values = context.rule.arguments["values"]
    if value not in values:
        yield "", _told(value), " or ".join(f"[{', '.join(names)}]" for names in values)


def _unique(value: Any, context: Context) -> Found:
    key = context.rule.arguments["key"]
    yield from _twice([item.get(key, "") for item in value], key)


def _twice(values: list[Any], key: str = "") -> Found:
    for index, item in enumerate(values):
        if item in values[:index]:
            yield f"[{index}]{'.' if key else ''}{key}", _told(item), "each only once"


def _is(test: Callable[[str], bool], wanted: str) -> Callable[[Any, Context], Found]:
    def check(value: Any, _: Context) -> Found:
        if not test(value):
            yield "", _told(value), wanted

    return check


def _range(value: Any, context: Context) -> Found:
    least, most = context.rule.arguments["least"], context.rule.arguments["most"]
    if not least <= value <= most:
        yield "", _told(value), f"{least} to {most}"


def _known_frameworks(value: Any, context: Context) -> Found:
    for index, name in enumerate(value):
        framework = context.known.frameworks.get(name)
        if framework is None:
            yield f"[{index}]", _told(name), f"one of {', '.join(sorted(context.known.frameworks))}"
        elif framework.gate and not context.gates.get(framework.gate):
            yield f"[{index}]", _told(name), f"the gate {framework.gate} turned on with it"
    yield from _twice(value)


def _kinds_unlike_frameworks(value: Any, context: Context) -> Found:
    named = context.value["integrations"]["frameworks"]
    taken = {context.known.frameworks[name].kind for name in named if name in context.known.frameworks}
    yield from _kinds(value, taken, "")


def _kinds_unlike_adapters(value: Any, context: Context) -> Found:
    named = context.value["integrations"]["frameworks"]
    known = [context.known.frameworks[name] for name in named if name in context.known.frameworks]
    yield from _kinds([item.get("name", "") for item in value], {it.kind for it in known if it.adapter}, ".name")


def _kinds(value: list[str], taken: set[str], key: str) -> Found:
    for index, name in enumerate(value):
        if name.count(".") < 2:
            yield f"[{index}]{key}", _told(name), "a kind such as Foo.v1.example.com"
        elif name in taken:
            yield f"[{index}]{key}", _told(name), "a kind that no named framework has"
        elif name in value[:index]:
            yield f"[{index}]{key}", _told(name), "each only once"


def _selector_sparing_the_system(value: Any, context: Context) -> Found:
    wrong = list(label_selector.selector_problems(value))
    yield from wrong
    own = context.value.get("namespace", context.namespace)
    for namespace in [] if wrong else sorted({"kube-system", own} - {""}):
        if label_selector.selects(value, {_NAME_OF_NAMESPACE: namespace}):
            yield "", f"a selector of namespace {namespace}", f"one that leaves out kube-system and {own}"


def _access_providers(value: Any, _: Context) -> Found:
    for index, provider in enumerate(value):
        own, place = provider.get("execConfig", {}), f"[{index}]"
        if not provider.get("name"):
            yield f"{place}.name", "nothing", "a name"
        for key in ("apiVersion", "command"):
            if not own.get(key):
                yield f"{place}.execConfig.{key}", "nothing", "a text"
        if own.get("interactiveMode", "") not in _MODES:
            yield (
                f"{place}.execConfig.interactiveMode",
                _told(own.get("interactiveMode", "")),
                f"one of {', '.join(_MODES)}",
            )
        for number, variable in enumerate(own.get("env", [])):
            if not variable.get("name"):
                yield f"{place}.execConfig.env[{number}].name", "nothing", "a name"


def _one_kind_of_providers(value: Any, _: Context) -> Found:
    if value.get("accessProviders") and value.get("credentialsProviders"):
        yield "", "accessProviders and credentialsProviders", "one of the two"


def _incremental_dispatcher(value: Any, context: Context) -> Found:
    name = field_at(context.value, "multiKueue.dispatcherName")
    if name != _INCREMENTAL:
        yield "", f"it beside the dispatcher {name}", f"dispatcherName {_INCREMENTAL}"
    if value.get("stepSize", 1) < 1:
        yield "stepSize", _told(value["stepSize"]), "1 or more"


def _quota_check_strategy(value: Any, context: Context) -> Found:
    if not context.gates.get("QuotaCheckStrategy"):
        yield "", _told(value), "the gate QuotaCheckStrategy turned on with it"
    elif value not in ("BlockUndeclared", "IgnoreUndeclared"):
        yield "", _told(value), "BlockUndeclared or IgnoreUndeclared"
    elif value == "IgnoreUndeclared" and field_at(context.value, "resources.excludeResourcePrefixes"):
        yield "", _told(value), "no resources.excludeResourcePrefixes beside it"


def _tls(value: Any, context: Context) -> Found:
    least, suites = value.get("minVersion", ""), value.get("cipherSuites", [])
    if least not in ("", "VersionTLS12", "VersionTLS13"):
        yield "minVersion", _told(least), "VersionTLS12 or VersionTLS13"
    for index, name in enumerate(suites):
        if name not in context.rule.arguments["suites"]:
            yield f"cipherSuites[{index}]", _told(name), "the name of a cipher suite of Go's crypto/tls"
    if least == "VersionTLS13" and suites:
        yield "cipherSuites", f"{len(suites)} suites", "none with minVersion VersionTLS13"


def _custom_labels(value: Any, _: Context) -> Found:
    for index, label in enumerate(value):
        name, place = label.get("name", ""), f"[{index}]"
        by_label, by_annotation = label.get("sourceLabelKey"), label.get("sourceAnnotationKey")
        if not _METRIC_LABEL.fullmatch(name):
            yield f"{place}.name", _told(name), "a letter, then letters, digits and _"
        if by_label and by_annotation:
            yield place, "sourceLabelKey and sourceAnnotationKey", "one of the two"
        key = "sourceLabelKey" if by_label else "sourceAnnotationKey" if by_annotation else "name"
        if not label_syntax.is_label_key(label.get(key, "")):
            yield f"{place}.{key}", _told(label.get(key, "")), "a label key"
    yield from _twice([label.get("name", "") for label in value], "name")


def _custom_label_limits(value: Any, _: Context) -> Found:
    kinds = [label.get("sourceKind", "ClusterQueue") for label in value]
    for index, label in enumerate(value):
        kind, tracked, place = kinds[index], label.get("trackedValues", []), f"[{index}]"
        if kind not in ("Cohort", "LocalQueue", "ClusterQueue", "Workload"):
            yield f"{place}.sourceKind", _told(kind), "Cohort, LocalQueue, ClusterQueue or Workload"
        least, most = (1, 12) if kind == "Workload" else (0, 16)
        if not least <= len(tracked) <= most or len(set(tracked)) < len(tracked):
            yield f"{place}.trackedValues", f"{len(tracked)} values", f"{least} to {most} different ones"
    limits = {kind: 2 if kind == "Workload" else 6 for kind in kinds}
    yield from (
        ("", f"{kinds.count(kind)} labels of {kind}", f"at most {most}")
        for kind, most in sorted(limits.items())
        if kinds.count(kind) > most
    )
    if len(value) > 20:
        yield "", f"{len(value)} labels", "at most 20"


def _is_ip_address(text: str) -> bool:
    """Whether Go's net.ParseIP takes a text, which knows no zones."""
    try:
        return "%" not in text and bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _told(value: Any) -> str:
    return "nothing" if value in (None, "") else printable(str(value), longest=80)


CHECKS: Mapping[str, Callable[[Any, Context], Found]] = {
    "above-zero": _above_zero,
    "access-providers": _access_providers,
    "custom-label-limits": _custom_label_limits,
    "custom-labels": _custom_labels,
    "device-classes": lambda value, context: device_classes(value, context.known.release),
    "device-sources": lambda value, context: device_sources(value, context.known.release, context.gates),
    "dns-1035-label": _is(label_syntax.is_service_name, "the name of a Service"),
    "dns-subdomain": _is(label_syntax.is_host, "the name of a Secret"),
    "incremental-dispatcher": _incremental_dispatcher,
    "ip-address": _is(_is_ip_address, "an IP address"),
    "kinds-unlike-adapters": _kinds_unlike_adapters,
    "kinds-unlike-frameworks": _kinds_unlike_frameworks,
    "known-frameworks": _known_frameworks,
    "label-value": _is(label_syntax.is_label_value, "a label value"),
    "not-negative": _not_negative,
    "one-kind-of-providers": _one_kind_of_providers,
    "one-of": _one_of,
    "one-of-lists": _one_of_lists,
    "quota-check-strategy": _quota_check_strategy,
    "range": _range,
    "reserved-name": lambda value, _: reserved_name(value),
    "selector-sparing-the-system": _selector_sparing_the_system,
    "tls": _tls,
    "unique": _unique,
}
"""By the name that a rule calls it."""
