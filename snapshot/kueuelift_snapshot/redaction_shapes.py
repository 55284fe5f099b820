"""Which fields of which kinds are judged by more than their names and texts, and how."""

import re
from collections.abc import Mapping
from typing import Any

from kueuelift import secret_words
from kueuelift.kinds import BY_NAME, kind_of
from kueuelift.secret_names import smells
from kueuelift_snapshot import redaction_values
from kueuelift_snapshot.manager_configuration import is_configuration
from kueuelift_snapshot.redaction_walk import Handler, Shape, Walk

_LAST_APPLIED = "last-applied"


def object_shape(value: Any) -> Shape:
    """The shape of an object by its kind; FOREIGN for anything else."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return FOREIGN
    # Within a list an object may leave out its version.
    if own := kind_of(value) if value.get("apiVersion") else BY_NAME.get(kind):
        return WORKLOAD if own.per_job else OWN
    return DEFINITION if kind == "CustomResourceDefinition" else _BY_KIND.get(kind, FOREIGN)


def bare(walk: Walk, value: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """Labels, quantities, selectors: their names are the user's, and mean nothing."""
    return walk.structure(value, BARE)


def untouched(_: Walk, value: Any, __: Mapping[str, Any], ___: Shape) -> Any:
    """What holds names of fields, or certificates."""
    return value


def payload(walk: Walk, data: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """What a Secret or ConfigMap holds; the manager's Configuration stays."""
    if not isinstance(data, dict):
        return walk.foreign(data)

    def judge(name: str, text: Any) -> Any:
        if isinstance(text, str) and is_configuration(text):
            return walk.yaml(text, walk.free)
        return walk.secret(text) if smells(name) else walk.foreign(text)

    return walk.below(data, judge)


def environment(walk: Walk, env: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """Lists of name and value as containers have them, and the maps that charts make of them."""
    return walk.each(env, lambda entry: _variable(walk, entry)) if isinstance(env, list) else walk.foreign(env)


def _variable(walk: Walk, entry: Any) -> Any:
    if not isinstance(entry, dict):
        return walk.foreign(entry)

    def judge(key: str, item: Any) -> Any:
        return walk.structure(item, _REST) if key in ("name", "valueFrom") else walk.foreign(item)

    return walk.below(entry, judge)


def arguments(walk: Walk, given: Any, around: Mapping[str, Any], shape: Shape) -> Any:
    """A command's words; a flag such as `--password` announces that the next one is a secret."""
    if isinstance(given, str):
        return _argument(walk, given, "", frozenset())
    if not isinstance(given, list):
        return walk.structure(given, shape)
    words = iter(["", *given])
    command = around.get("command")
    named = frozenset(it for it in (*(command if isinstance(command, list) else ()), *given) if isinstance(it, str))
    named = named if secret_words.has_short_flags(named) else frozenset()
    return walk.each(given, lambda word: _argument(walk, word, next(words), named))


def _argument(walk: Walk, word: Any, before: Any, named: frozenset[str]) -> Any:
    if not isinstance(word, str):
        return walk.structure(word, FOREIGN)
    if isinstance(before, str):
        if secret_words.is_telling_flag(before) and not word.startswith("--"):
            return walk.secret(word)
        if before in secret_words.USER_FLAGS and ":" in word:
            user, _, password = word.partition(":")
            return f"{user}:{walk.secret(password)}"
        if named and (start := secret_words.short_flag_secret(named, before, word)) is not None:
            return f"{word[:start]}{walk.secret(word[start:])}"
    return walk.command(word)


def annotations(walk: Walk, found: Any, _: Mapping[str, Any], shape: Shape) -> Any:
    """Free-form texts, told by their names and by what they look like."""
    if not isinstance(found, dict):
        return walk.structure(found, shape)
    return walk.below(found, lambda name, text: _annotation(walk, name, text))


def _annotation(walk: Walk, name: str, text: Any) -> Any:
    if smells(name.rpartition("/")[2]):
        return walk.secret(text)
    if not isinstance(text, str):
        return walk.free(text)
    return walk.copy(text) if _LAST_APPLIED in name else walk.told(text)


def message(walk: Walk, text: Any, _: Mapping[str, Any], shape: Shape) -> Any:
    """A sentence, which may repeat what somebody else was told."""
    return walk.told(text, prose=True) if isinstance(text, str) else walk.structure(text, shape)


def free(walk: Walk, value: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """Settings of which nothing but the names is known."""
    return walk.free(value)


def hidden(walk: Walk, value: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """Settings that the name of the field calls protected."""
    return walk.secret(value)


def flex_options(walk: Walk, value: Any, around: Mapping[str, Any], shape: Shape) -> Any:
    """What a volume driver is told; other `options` are judged as what is around them."""
    return walk.foreign(value) if "driver" in around else walk.structure(value, shape)


def attributes(walk: Walk, value: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """What a volume driver of any vendor is told."""
    return walk.foreign(value)


def spark(walk: Walk, settings: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """Spark's and Hadoop's settings; those of an environment have any name."""
    if not isinstance(settings, dict):
        return walk.free(settings)

    def judge(key: str, item: Any) -> Any:
        if _SPARK_ENVIRONMENT.search(key):
            return walk.foreign(item)
        if smells(key):
            return walk.secret(item)
        return walk.command(item) if isinstance(item, str) else walk.free(item)

    return walk.below(settings, judge)


def yaml(walk: Walk, text: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """YAML in a text."""
    return walk.yaml(text, walk.free)


def patch(walk: Walk, text: Any, _: Mapping[str, Any], shape: Shape) -> Any:
    """A patch of a kustomization, which is YAML; elsewhere `patch` is a number or anything else."""
    return walk.yaml(text, walk.free) if isinstance(text, str) and "\n" in text else walk.structure(text, shape)


def json_patch(walk: Walk, mapping: Mapping[str, Any], shape: Shape) -> dict[str, Any] | None:
    """A step of a JSON patch, judged by the path that it writes to; None where the mapping is none."""
    path = mapping.get("path")
    if "op" not in mapping or "value" not in mapping or not isinstance(path, str):
        return None
    segments = path.replace("~1", "/").strip("/").split("/")
    return walk.below(
        mapping,
        lambda key, item: _patched(walk, segments, mapping, shape) if key == "value" else walk.structure(item, _REST),
    )


def _patched(walk: Walk, segments: list[str], mapping: Mapping[str, Any], shape: Shape) -> Any:
    """What a step writes to `segments`."""
    value = mapping["value"]
    if any(map(smells, segments)):
        return walk.secret(value)
    field = next((name for name in reversed(segments) if name in shape.fields), None)
    below_environment = shape.fields.get(field or "") is environment and segments[-1] not in ("name", field)
    if segments[0] in _PAYLOAD_FIELDS or (below_environment and not isinstance(value, dict)):
        return walk.foreign(value)
    if field is None:
        return walk.structure(value, shape)
    if segments[-1] == field:
        return shape.fields[field](walk, value, mapping, shape)
    judged = shape.fields[field](walk, [value], mapping, shape)
    return judged[0] if isinstance(judged, list) else judged


_PAYLOAD_FIELDS = ("data", "stringData", "binaryData")
_SPARK_ENVIRONMENT = re.compile(r"(?i)(?:executor|driver|appmaster)Env\.")

_ANY: dict[str, Handler] = {"annotations": annotations, "managedFields": untouched, "message": message}
_POD: dict[str, Handler] = _ANY | {
    "args": arguments,
    "command": arguments,
    "env": environment,
    "httpHeaders": environment,
    "options": flex_options,
    "volumeAttributes": attributes,
    **dict.fromkeys(("labels", "limits", "matchLabels", "nodeSelector", "requests"), bare),
}
_FOREIGN: dict[str, Handler] = _POD | {
    "arguments": arguments,
    "caBundle": untouched,
    "commonAnnotations": annotations,
    "configurationProtectedSettings": hidden,
    "description": message,
    "entrypoint": arguments,
    "hadoopConf": spark,
    "patch": patch,
    "runtimeEnvYAML": yaml,
    "sparkConf": spark,
    "substitute": redaction_values.of_substitutes,
    **dict.fromkeys(("allocatable", "capacity", "commonLabels", "overhead", "selector"), bare),
    **dict.fromkeys(("envVars", "env_vars", "extraEnv", "extraEnvVars"), environment),
}
BARE = Shape(fields={}, named=False)
"""Judged by the form of its texts alone."""

_REST = Shape(fields=_ANY, named=False)
OWN = Shape(fields=_ANY, named=False)
"""Kueue's configuration objects."""

WORKLOAD = Shape(fields=_POD, named=False)
FOREIGN = Shape(fields=_FOREIGN, named=True, form=json_patch)
"""All other objects, and free-form settings."""

DEFINITION = Shape(fields={"metadata": lambda walk, value, _, __: walk.structure(value, OWN)}, named=False)
"""A CRD: its schema names fields, `env` and `data` among them, and holds none of their values."""

_PAYLOAD = Shape(fields=_FOREIGN | dict.fromkeys(_PAYLOAD_FIELDS, payload), named=True, form=json_patch)
_ARGO_SOURCE: dict[str, Handler] = {
    "helm": redaction_values.of_argo_source,
    "plugin": redaction_values.of_plugin,
    "extVars": environment,
    "tlas": environment,
}
_BY_KIND = {
    "Secret": _PAYLOAD,
    "SecretList": _PAYLOAD,
    "ConfigMap": _PAYLOAD,
    "ConfigMapList": _PAYLOAD,
    "Application": Shape(fields=_FOREIGN | _ARGO_SOURCE, named=True, form=json_patch),
    "ApplicationSet": Shape(fields=_FOREIGN | _ARGO_SOURCE, named=True, form=json_patch),
    "HelmRelease": Shape(fields=_FOREIGN | {"values": redaction_values.of_helm_release}, named=True, form=json_patch),
    "HelmChart": Shape(
        fields=_FOREIGN | dict.fromkeys(("set", "valuesContent"), redaction_values.of_helm_chart),
        named=True,
        form=json_patch,
    ),
    "HelmChartConfig": Shape(
        fields=_FOREIGN | {"valuesContent": redaction_values.of_helm_chart}, named=True, form=json_patch
    ),
}
