"""Values of Helm charts, wherever they stand: in release records, Flux's HelmReleases, Argo CD's Applications."""

import re
from collections.abc import Mapping
from typing import Any

from kueuelift.object_shape import at
from kueuelift.release_profile import chart_value_keys
from kueuelift.secret_names import smells
from kueuelift_snapshot.redaction_walk import Shape, Walk

_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,6}){1,2}(?:[-+][\w.+-]{1,40})?")
_NAMES_OF_VERSIONS = ("version", "tag", "revision")
_SEGMENT = re.compile(r"(?:\\.|[^.\\\[\]])+")


def helm_values(walk: Walk, values: Any, *, kueue: bool) -> Any:
    """Values: Kueue's own keys keep what is not a secret by name, all others keep switches only.

    `kueue`: the values are those of Kueue's own chart, not of one that bundles it.
    """
    if not isinstance(values, dict):
        return walk.foreign(values)
    return walk.below(values, lambda key, item: _helm_value(walk, key, item, kueue=kueue))


def _helm_value(walk: Walk, key: str, item: Any, *, kueue: bool) -> Any:
    if kueue and key in chart_value_keys():
        return walk.free(item)
    if smells(key):
        return walk.secret(item)
    return helm_values(walk, item, kueue="kueue" in key.lower())


def of_helm_release(walk: Walk, values: Any, spec: Mapping[str, Any], _: Shape) -> Any:
    """`spec.values` of Flux's HelmRelease."""
    chart, reference = at(spec, "chart", "spec", "chart"), at(spec, "chartRef", "name")
    kueue = _names_kueue(chart, reference, None if chart or reference else spec.get("releaseName"))
    return helm_values(walk, values, kueue=kueue)


def of_helm_chart(walk: Walk, content: Any, spec: Mapping[str, Any], _: Shape) -> Any:
    """`spec.valuesContent` and `spec.set` of the HelmChart objects of k3s and RKE2."""
    return _values_text(walk, content, kueue=_names_kueue(spec.get("chart")))


def of_argo_source(walk: Walk, helm: Any, source: Mapping[str, Any], shape: Shape) -> Any:
    """`helm` of a source of Argo CD's Application."""
    if not isinstance(helm, dict):
        return walk.structure(helm, shape)
    kueue = _names_kueue(source.get("chart"), source.get("path"), source.get("repoURL"))

    def judge(key: str, item: Any) -> Any:
        if key in ("values", "valuesObject"):
            return _values_text(walk, item, kueue=kueue)
        if key == "parameters" and isinstance(item, list):
            return walk.each(item, lambda parameter: _parameter(walk, parameter, kueue=kueue))
        return walk.structure(item, shape)

    return walk.below(helm, judge)


def of_plugin(walk: Walk, plugin: Any, _: Mapping[str, Any], shape: Shape) -> Any:
    """`plugin` of a source of Argo CD's Application: only names are known of its parameters."""
    if not isinstance(plugin, dict):
        return walk.structure(plugin, shape)

    def parameter(entry: Any) -> Any:
        if not isinstance(entry, dict):
            return walk.foreign(entry)
        return walk.below(entry, lambda key, item: walk.structure(item, shape) if key == "name" else walk.foreign(item))

    def judge(key: str, item: Any) -> Any:
        if key in ("env", "parameters") and isinstance(item, list):
            return walk.each(item, parameter)
        return walk.structure(item, shape)

    return walk.below(plugin, judge)


def of_substitutes(walk: Walk, substitutes: Any, _: Mapping[str, Any], __: Shape) -> Any:
    """`spec.postBuild.substitute` of Flux's Kustomization: versions stay, a plan may have to name them."""
    if not isinstance(substitutes, dict):
        return walk.foreign(substitutes)
    return walk.below(
        substitutes,
        lambda key, item: item if _is_version(key, item) else walk.secret(item) if smells(key) else walk.foreign(item),
    )


def _is_version(name: str, value: Any) -> bool:
    named = name.lower().endswith(_NAMES_OF_VERSIONS)
    return named and isinstance(value, str) and is_version_text(value)


def is_version_text(text: str) -> bool:
    """Whether a text is a version: it stands in very many places, and is no secret."""
    return _VERSION.fullmatch(text) is not None


def _values_text(walk: Walk, values: Any, *, kueue: bool) -> Any:
    return walk.yaml(values, lambda document: helm_values(walk, document, kueue=kueue))


def _parameter(walk: Walk, parameter: Any, *, kueue: bool) -> Any:
    """A parameter as `helm --set` has it: its name is the path of a value."""
    if not isinstance(parameter, dict):
        return walk.foreign(parameter)
    shown = _shows(parameter.get("name"), kueue=kueue)

    def judge(key: str, item: Any) -> Any:
        if key != "value":
            return walk.free(item)
        return walk.free(item) if shown else walk.secret(item)

    return walk.below(parameter, judge)


def _shows(path: Any, *, kueue: bool) -> bool:
    """Whether the value at a path of a chart's values may be shown: it is Kueue's own, and no secret by its names."""
    segments = [found[0] for found in _SEGMENT.finditer(path)] if isinstance(path, str) else []
    if any(smells(segment) or segment.lower().endswith("env") for segment in segments):
        return False
    for segment in segments:
        if kueue and segment in chart_value_keys():
            return True
        kueue = "kueue" in segment.lower()
    return False


def _names_kueue(*texts: Any) -> bool:
    return any(isinstance(text, str) and "kueue" in text.lower() for text in texts)
