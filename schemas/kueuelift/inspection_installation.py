"""What a page tells of the installation in a snapshot: what runs it, who owns it, what calls it, what is silent."""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from kueuelift import yaml_text
from kueuelift.errors import RefusedError, ToolError
from kueuelift.kinds import GROUP, group_of
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import at
from kueuelift.object_store import read_object
from kueuelift.sealed import Sealed

_CONFIGURATION = f"config.{GROUP}"
_GATES = "--feature-gates"
_HOOKS = tuple(f"{kind}webhookconfigurations.admissionregistration.k8s.io" for kind in ("validating", "mutating"))

_TOOLS = {
    ("argoproj.io", "Application"): "argocd-application",
    ("argoproj.io", "ApplicationSet"): "argocd-applicationset",
    ("aks.clusterconfig.azure.com", "ExtensionConfig"): "aks",
    ("clusterconfig.azure.com", "ExtensionConfig"): "aks",
    ("helm.cattle.io", "HelmChart"): "k3s-helmchart",
    ("helm.toolkit.fluxcd.io", "HelmRelease"): "flux-helmrelease",
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): "flux-kustomization",
}
"""Tools by the objects that order them to keep something, as the summary of owners calls them."""


def installation(
    sealed: Sealed, intact: Set[str], helm: Sequence[Mapping[str, Any]], problems: list[str]
) -> dict[str, Any]:
    """`deployments`, `owners`, `withoutEndpoints` and `webhooks`, each sorted; `helm` are the releases of the page."""

    def parts(place: str) -> Iterator[KubernetesObject]:
        for path in sealed.names(place):
            if path in intact:
                try:
                    yield read_object(sealed, path)
                except ToolError as error:
                    problems.append(str(error))

    gates = {_name(it): found for it in parts("installation/configmaps") if (found := _configured(it)) is not None}
    silent = ("/".join(_name(it)) for it in parts("installation/endpoints") if not it.get("ready"))
    return {
        "deployments": sorted(
            (_deployment(it, gates) for it in parts("installation/deployments.apps")),
            key=lambda it: (not it["kueue"], it["namespace"], it["name"]),
        ),
        "owners": _owners(list(parts("gitops")), helm),
        "withoutEndpoints": sorted(silent),
        "webhooks": [_webhook(it) for hooks in _HOOKS for it in parts(f"installation/{hooks}")],
    }


def _deployment(obj: KubernetesObject, gates: Mapping[tuple[str, str], Set[str]]) -> dict[str, Any]:
    """One that runs Kueue, with the number of feature gates that it sets, or an operator of an integration."""
    namespace, name = _name(obj)
    pod = at(obj, "spec", "template", "spec")
    containers = _listed(pod, "containers")
    mounted = [gates[namespace, it] for it in _mounted(pod) if (namespace, it) in gates]
    images = [str(it.get("image")) for it in containers]
    labels = [at(obj, "metadata", "labels"), at(obj, "spec", "template", "metadata", "labels")]
    says = [name, *images, *map(str, labels)]
    return {
        "namespace": namespace,
        "name": name,
        "images": images,
        "kueue": bool(mounted) or any("kueue" in it.lower() for it in says),
        "featureGates": len(set().union(*mounted, *map(_given, containers))),
    }


def _given(container: Mapping[str, Any]) -> set[str]:
    """The feature gates that a container is started with."""
    words = [str(word) for field in ("command", "args") for word in _texts(container.get(field))]
    settings = [word.partition("=")[2] for word in words if word.startswith(f"{_GATES}=")]
    settings += [after for word, after in pairwise(words) if word == _GATES]
    return {setting.partition("=")[0].strip() for it in settings for setting in it.split(",") if "=" in setting}


def _configured(config_map: KubernetesObject) -> set[str] | None:
    """The feature gates of the manager's Configuration that a ConfigMap holds; None where it holds none."""
    found: set[str] | None = None
    data = at(config_map, "data")
    for text in data.values() if isinstance(data, dict) else ():
        if not isinstance(text, str) or f"{_CONFIGURATION}/" not in text:
            continue
        try:
            documents = list(yaml_text.load_all(text, "the manager's Configuration"))
        except RefusedError:
            documents = []
        for document in documents:
            if group_of(str(at(document, "apiVersion"))) == _CONFIGURATION:
                named = at(document, "featureGates")
                found = (found or set()) | (set(named) if isinstance(named, dict) else set())
    return found


def _mounted(pod: Any) -> Iterator[str]:
    for volume in _listed(pod, "volumes"):
        for holder in (volume, *_listed(volume.get("projected"), "sources")):
            if name := at(holder, "configMap", "name"):
                yield str(name)


def _owners(objects: Sequence[KubernetesObject], helm: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those that the summary names, and those whose order is there though nothing bears their mark."""
    orders = {
        (tool, *_name(it)): _source(it)
        for it in objects
        if (tool := _TOOLS.get((group_of(str(it.get("apiVersion"))), str(it.get("kind")))))
    }
    for it in helm:
        chart = it["chart"]
        told = f"{chart.get('name', '?')} {chart.get('version', '?')}, revision {it['revision']}"
        orders["helm", it["namespace"], it["release"]] = told
    found = []
    for it in (owner for summary in objects for owner in _listed(summary, "owners")):
        tool, namespace, name = (str(it.get(key, "")) for key in ("tool", "namespace", "name"))
        # Marks of Argo CD leave out the namespace.
        keys = [key for key in orders if key[0] == tool and key[2] == name and namespace in {"", key[1]}]
        source = next((orders.pop(key) for key in keys), "")
        count = it.get("count")
        found.append(_owner(tool, keys[0][1] if keys else namespace, name, source, count))
    found += [_owner(*key, source, 0) for key, source in orders.items()]
    return sorted(found, key=lambda it: (it["tool"], it["namespace"], it["name"]))


def _owner(tool: str, namespace: str, name: str, source: str, count: Any) -> dict[str, Any]:
    objects = count if isinstance(count, int) else 0
    return {"tool": tool, "namespace": namespace, "name": name, "source": source, "objects": objects}


def _source(order: KubernetesObject) -> str:
    """What an owner keeps there, and in which version, as far as its order says so: `kueue 0.17.0`."""
    spec = order.get("spec")
    chart = at(spec, "chart", "spec")
    for holder in (chart, spec, at(spec, "source"), *_listed(spec, "sources")):
        for what in ("chart", "path", "extensionType", "repoURL"):
            if isinstance(text := at(holder, what), str) and text:
                version = next((str(it) for key in ("version", "targetRevision") if (it := at(holder, key))), "")
                return f"{text} {version}".rstrip()
    reference = at(spec, "chartRef") or at(spec, "sourceRef")
    return f"{at(reference, 'kind')} {at(reference, 'name')}" if reference else ""


def _webhook(obj: KubernetesObject) -> dict[str, Any]:
    hooks = _listed(obj, "webhooks")
    failing = sum(hook.get("failurePolicy", "Fail") == "Fail" for hook in hooks)
    return {"kind": str(obj.get("kind")), "name": _name(obj)[1], "hooks": len(hooks), "failing": failing}


def _name(obj: KubernetesObject) -> tuple[str, str]:
    return str(at(obj, "metadata", "namespace") or ""), str(at(obj, "metadata", "name"))


def _listed(value: Any, key: str) -> list[dict[str, Any]]:
    found = at(value, key)
    return [it for it in found if isinstance(it, dict)] if isinstance(found, list) else []


def _texts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
