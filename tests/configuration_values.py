"""Makes up Configurations of the manager, shaped by the data that the code is made of: most load, some do not."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from kueuelift.manager_config import CONFIG_GROUP, KIND, ConfigField, manager_config
from kueuelift.release_profile import Release, profile

F, I = "LessThanOrEqualToFinalShare", "LessThanInitialShare"  # noqa: E741 - as the field's own documents call them
DURATIONS = st.sampled_from(["0s", "5m", "1h30m", "90s", ".5h", "1.5s", "300ms", "0", "2h0m0s"])
ODD_DURATIONS = st.sampled_from(["-5s", "1d", "", "5", "-0s", "1h-1m"])
_SPARING = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "kueue-system"]}
    ]
}
SELECTORS = st.sampled_from(
    [
        _SPARING,
        {"matchLabels": {"team": "a"}},
        {**_SPARING, "matchLabels": {"team": "a"}},
        {"matchExpressions": [{"key": "kueue", "operator": "Exists"}]},
    ]
)
ODD_SELECTORS = st.sampled_from(
    [
        {},
        {"matchLabels": {"a b": "c"}},
        {"matchLabels": {"a": "c d"}},
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        {"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]},
        {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]},
        {"matchExpressions": [None]},
        {"matchLabels": {"a": None}, "matchExpressions": [{"key": "x", "operator": "DoesNotExist", "values": ["b"]}]},
    ]
)
QUANTITIES = st.sampled_from([1, 0.5, "100m", "2Gi", "1.5", "0"])
RESOURCES = st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "example.com/pods"])
_EXEC = st.fixed_dictionaries(
    {
        "command": st.just("get-token"),
        "apiVersion": st.just("client.authentication.k8s.io/v1"),
        "interactiveMode": st.sampled_from(["Never", "Always"]),
    },
    optional={
        "args": st.just(["-x"]),
        "env": st.just([{"name": "A", "value": "b"}]),
        "provideClusterInfo": st.booleans(),
    },
)

SOUND: Mapping[str, st.SearchStrategy[Any]] = {
    "admissionFairSharing.usageSamplingInterval": st.sampled_from(["1m", "0s", "5s"]),
    "fairSharing.preemptionStrategies": st.sampled_from([[F], [I], [F, I], []]),
    "integrations.frameworks": st.lists(
        st.sampled_from(["batch/job", "pod", "ray.io/rayjob", "statefulset"]), unique=True
    ),
    "integrations.externalFrameworks": st.lists(
        st.sampled_from(["Foo.v1.example.com", "Bar.v1.example.com"]), unique=True
    ),
    "internalCertManagement.webhookSecretName": st.sampled_from(["own", "a.b"]),
    "internalCertManagement.webhookServiceName": st.sampled_from(["own", "a-b"]),
    "metrics.customLabels[].name": st.sampled_from(["team", "a_b", "Zone9"]),
    "metrics.customLabels[].sourceAnnotationKey": st.just(""),
    "metrics.customLabels[].sourceLabelKey": st.sampled_from(["", "example.com/team"]),
    "multiKueue.clusterProfile.credentialsProviders[].execConfig": _EXEC,
    "multiKueue.externalFrameworks[].name": st.sampled_from(["Foo.v1.example.com", "Bar.v1.example.com"]),
    "multiKueue.origin": st.sampled_from(["", "here"]),
    "namespace": st.sampled_from(["kueue-system", "kueue"]),
    "resources.deviceClassMappings[].deviceClassNames": st.sampled_from([["gpu.example.com"], ["a", "b"]]),
    "resources.deviceClassMappings[].name": RESOURCES,
    "resources.transformations[].strategy": st.sampled_from(["Retain", "Replace", ""]),
    "tls.cipherSuites": st.sampled_from([[], ["TLS_RSA_WITH_RC4_128_SHA"], ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]]),
    "tls.minVersion": st.sampled_from(["", "VersionTLS12"]),
    "visibilityServer.bindAddress": st.sampled_from(["192.0.2.1", "::1"]),
    "visibilityServer.bindPort": st.integers(1, 65535),
    "waitForPodsReady.enable": st.sampled_from([True, True, False]),
    "waitForPodsReady.requeuingStrategy.timestamp": st.sampled_from(["Creation", "Eviction"]),
    "waitForPodsReady.timeout": st.sampled_from(["5m", "10m0s", "1h"]),
}
"""By path: values that the manager takes, where their type alone does not tell."""

ODD: Mapping[str, st.SearchStrategy[Any]] = {
    "fairSharing.preemptionStrategies": st.sampled_from([[I, F], ["Other"]]),
    "integrations.frameworks": st.sampled_from([["batch/job", "batch/job"], ["kubeflow.org/mxjob"], [None]]),
    "integrations.externalFrameworks": st.sampled_from([["Foo"], ["Job.v1.batch"], ["Pod.v1."], ["a.b.c", "a.b.c"]]),
    "internalCertManagement.webhookSecretName": st.sampled_from(["", "A"]),
    "internalCertManagement.webhookServiceName": st.sampled_from(["", "9a", "a.b"]),
    "metrics.customLabels[].name": st.sampled_from(["", "9a", "a-b"]),
    "metrics.customLabels[].sourceAnnotationKey": st.sampled_from(["a", "a b"]),
    "multiKueue.externalFrameworks[].name": st.sampled_from(["Job.v1.batch", "Foo", "RayJob.v1.ray.io"]),
    "multiKueue.origin": st.sampled_from(["a b", "-a"]),
    "resources.deviceClassMappings[].deviceClassNames": st.sampled_from([[], ["a", "a"], ["a b"], list("abcdefghi")]),
    "resources.transformations[].strategy": st.just("Other"),
    "tls.cipherSuites": st.just(["TLS_NONE"]),
    "tls.minVersion": st.sampled_from(["VersionTLS10", "VersionTLS13", "1.2"]),
    "visibilityServer.bindAddress": st.sampled_from(["", "a", "1.2.3", "01.2.3.4", "fe80::1%eth0"]),
    "visibilityServer.bindPort": st.sampled_from([0, 65536, -1]),
    "waitForPodsReady.requeuingStrategy.timestamp": st.sampled_from(["", "Other"]),
    "waitForPodsReady.timeout": st.sampled_from(["0s", "-1s", None]),
}
"""By path: values of the right type that it refuses, or takes on some conditions."""

_BY_TYPE: Mapping[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(["", "own"]),
    "boolean": st.booleans(),
    "int32": st.sampled_from([0, 1, 90]),
    "int64": st.sampled_from([0, 1, 120_000_000_000]),
    "float32": st.sampled_from([0, 1, 0.5, 50]),
    "float64": st.sampled_from([0, 1, 0.25, 7]),
    "duration": DURATIONS,
    "quantity": QUANTITIES,
}
_ODD_BY_TYPE: Mapping[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from([5, True, [], {}]),
    "boolean": st.sampled_from(["true", 1, []]),
    "int32": st.sampled_from([-1, 1 << 31, 1.5, "1", True]),
    "int64": st.sampled_from([-1, 1 << 63, 1.5, "2m"]),
    "float32": st.sampled_from([-1, 1e39, "1"]),
    "float64": st.sampled_from([-1, "1"]),
    "duration": ODD_DURATIONS | st.sampled_from([5, True, {}]),
    "quantity": st.sampled_from(["x", "", {}, "1 Gi"]),
}


def configurations(version: str, release: Release, *, odd: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Whole documents; with `odd`, about half of them hold one thing that the manager refuses."""
    shape = manager_config(release).shapes[version]
    head = {"apiVersion": f"{CONFIG_GROUP}/{version}", "kind": KIND}
    sound = _object(shape, "", release).map(lambda body: {**head, **body})
    if not odd:
        return sound
    spots = st.sampled_from(sorted(_places(shape, "")))
    return st.tuples(sound, spots.flatmap(lambda spot: st.tuples(st.just(spot), _odd_value(spot, shape)))).map(
        lambda drawn: _with(drawn[0], drawn[1][0], drawn[1][1])
    )


def _object(shape: ConfigField, path: str, release: Release) -> st.SearchStrategy[dict[str, Any]]:
    fields = shape.fields or {}
    below = {name: _value(field, f"{path}.{name}" if path else name, release) for name, field in fields.items()}
    return st.fixed_dictionaries({}, optional=below)


def _value(field: ConfigField, path: str, release: Release) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - one a type
    if path in SOUND:
        return SOUND[path]
    if path == "featureGates":
        return st.dictionaries(st.sampled_from(sorted(profile(str(release)).gates)), st.booleans(), max_size=3)
    if field.fields is not None:
        if "matchLabels" in field.fields:
            return SELECTORS
        return _object(field, path, release)
    if field.type == "list":
        assert field.items
        unique = {"unique_by": lambda item: str(item.get("name", item.get("input")))} if field.items.fields else {}
        return st.lists(_value(field.items, f"{path}[]", release), max_size=2, **unique)  # type: ignore[arg-type]
    if field.type == "map":
        assert field.items
        return st.dictionaries(RESOURCES, _value(field.items, f"{path}[]", release), max_size=2)
    return _BY_TYPE[field.type]


def _places(shape: ConfigField, path: str) -> list[str]:
    found = []
    for name, field in (shape.fields or {}).items():
        below = f"{path}.{name}" if path else name
        found.append(below)
        if "matchLabels" not in (field.fields or {}):
            found += _places(field, below)
    return found


def _field_at(shape: ConfigField, path: str) -> ConfigField:
    for name in path.split("."):
        shape = (shape.fields or {})[name]
    return shape


def _odd_value(path: str, shape: ConfigField) -> st.SearchStrategy[Any]:
    field = _field_at(shape, path)
    if path in ODD:
        return ODD[path]
    if "matchLabels" in (field.fields or {}):
        return ODD_SELECTORS
    if field.type in ("object", "list", "map"):
        lists = [{"name": "9"}, None] if field.type == "list" and field.items and field.items.fields else [None]
        return st.sampled_from([5, "x", None, {"unknown": 1}, [], {}, lists])
    return _ODD_BY_TYPE[field.type] | st.none()


def _with(value: dict[str, Any], path: str, item: Any) -> dict[str, Any]:
    name, _, rest = path.partition(".")
    if not rest:
        return {**value, name: item}
    below = value.get(name)
    return {**value, name: _with(below if isinstance(below, dict) else {}, rest, item)}
