"""A cluster that answers from memory, fails on demand, and counts: for what a real one does not do when asked."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

import orjson

from kueuelift.crd import ServiceReference, bundled
from kueuelift.kinds import BY_PLURAL, GROUP
from kueuelift.model import KubernetesObject
from kueuelift_snapshot import dependents, installation, running, surroundings
from kueuelift_snapshot.api import NO_QUERY, AnswerError

UID = "6f1c2f0e-0000-4000-8000-000000000002"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SECRETS = "/api/v1/secrets"
CONFIG_MAPS = "/api/v1/configmaps"
_LIST_TYPES = {
    CRDS: ("CustomResourceDefinitionList", "apiextensions.k8s.io/v1"),
    SECRETS: ("SecretList", "v1"),
    CONFIG_MAPS: ("ConfigMapList", "v1"),
}
_CUSTOM = (
    "argoproj.io",
    "azure.com",
    "cattle.io",
    "cert-manager.io",
    "coreos.com",
    "fluxcd.io",
    "autoscaling.x-k8s.io",
)
BUILT_IN = {
    resource.path(): resource
    for module in (installation, surroundings, dependents, running)
    for resource in module.RESOURCES
    if resource.version and not resource.group.endswith(_CUSTOM)
}
"""What every server has, even where there are no objects of it."""

Answer = Callable[[Mapping[str, str]], bytes | None]
"""Given a request's query: a body in place of the usual one, an exception, or None for the usual one."""


class FakeCluster:
    """Namespaces, CRDs and lists of objects by path; `faults` are asked first, in turn, one a request."""

    def __init__(self) -> None:
        self.lists: dict[str, list[KubernetesObject]] = {CRDS: [], SECRETS: [], CONFIG_MAPS: []}
        self.faults: dict[str, list[Answer]] = {}
        self.requests: list[tuple[str, Mapping[str, str]]] = []
        self.resource_version = 1000

    def install(self, release: str = "0.12.2") -> None:
        """The CRDs of a Kueue release, and an empty list of each kind."""
        for plural, crd in bundled(release, service=ServiceReference(namespace="kueue-system", name="hook")).items():
            for version in crd["spec"]["versions"]:
                version["schema"] = {"openAPIV3Schema": {"type": "object"}}  # nobody looks at it, and it is long
            self.add_crd(crd | {"status": {"storedVersions": [stored_version(crd)]}})
            self.lists[path_of(plural, stored_version(crd))] = []

    def add_crd(self, crd: KubernetesObject) -> None:
        # As the server does in lists of built-in types: the items do not say what they are.
        self.lists[CRDS].append({key: value for key, value in crd.items() if key not in {"apiVersion", "kind"}})

    def add(self, *objects: KubernetesObject) -> None:
        for obj in objects:
            version = str(obj["apiVersion"]).rpartition("/")[2]
            plural = next(plural for plural, kind in BY_PLURAL.items() if kind.name == obj["kind"])
            self.lists[path_of(plural, version)].append(deepcopy(obj))

    def fail(self, path: str, *answers: Answer) -> None:
        """What the next requests for a path meet, one answer each."""
        self.faults.setdefault(path, []).extend(answers)

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        self.requests.append((path, dict(query)))
        pending = self.faults.get(path)
        instead = pending.pop(0)(query) if pending else None
        return self._usual(path, query) if instead is None else instead

    def _usual(self, path: str, query: Mapping[str, str]) -> bytes:
        if path == "/version":
            return b'{"gitVersion": "v1.35.4"}'
        if path == "/api/v1/namespaces/kube-system":
            return orjson.dumps({"metadata": {"name": "kube-system", "uid": UID}})
        if path == "/apis":
            return orjson.dumps({"groups": [_group(name, version) for name, version in sorted(self._groups().items())]})
        objects = self._listed(path, query.get("labelSelector", ""))
        if objects is None:
            return self._one(path)
        field, _, name = query.get("fieldSelector", "").partition("=")
        if field == "metadata.name":
            objects = [obj for obj in objects if obj["metadata"]["name"] == name]
        start, limit = int(query.get("continue") or 0), int(query["limit"])
        items = objects[start : start + limit]
        metadata = {"resourceVersion": str(self.resource_version)}
        if start + limit < len(objects):
            metadata["continue"] = str(start + limit)
        kind, api_version = _LIST_TYPES.get(path, ("KueueList", GROUP))
        return orjson.dumps({"kind": kind, "apiVersion": api_version, "metadata": metadata, "items": items})

    def _listed(self, path: str, selector: str) -> list[KubernetesObject] | None:
        """The objects of a list, of all namespaces or one; None where the path is no list."""
        everywhere = re.sub(r"/namespaces/[^/]+/(?=[^/]+$)", "/", path)
        if everywhere not in self.lists and everywhere not in BUILT_IN:
            return None
        objects = self.lists.get(everywhere, [])
        if everywhere != path:
            namespace = path.split("/")[-2]
            objects = [obj for obj in objects if obj["metadata"].get("namespace") == namespace]
        if selector and "=" not in selector:
            objects = [obj for obj in objects if selector in (obj["metadata"].get("labels") or {})]
        return objects

    def _one(self, path: str) -> bytes:
        """One object, or what a group serves."""
        listed, _, name = path.rpartition("/")
        for obj in self._listed(listed, "") or ():
            if obj["metadata"]["name"] == name:
                return orjson.dumps(obj)
        found = [resource for resource in BUILT_IN.values() if path == f"/apis/{resource.group}/{resource.version}"]
        if not found:
            raise AnswerError(path, status=404, message="the server could not find the requested resource")
        entries = [{"name": it.plural, "kind": it.plural, "namespaced": True, "verbs": ["list"]} for it in found]
        return orjson.dumps({"resources": entries})

    def _groups(self) -> dict[str, str]:
        custom = {crd["spec"]["group"]: crd["spec"]["versions"][0]["name"] for crd in self.lists[CRDS]}
        built_in = {resource.group: resource.version for resource in BUILT_IN.values() if resource.group}
        return custom | built_in | {"apiextensions.k8s.io": "v1"}


def _group(name: str, version: str) -> KubernetesObject:
    return {"name": name, "versions": [{"version": version}], "preferredVersion": {"version": version}}


def path_of(plural: str, version: str) -> str:
    return f"/apis/{GROUP}/{version}/{plural}"


def stored_version(crd: KubernetesObject) -> str:
    return str(next(version["name"] for version in crd["spec"]["versions"] if version["storage"]))


def usual(_: Mapping[str, str]) -> None:
    """No fault in this turn."""


def answering(status: int, message: str = "told to", *, path: str = "/", continue_token: str = "") -> Answer:
    """An answer that is no success."""

    def answer(_: Mapping[str, str]) -> bytes:
        raise AnswerError(path, status=status, message=message, continue_token=continue_token)

    return answer


def raising(error: BaseException) -> Answer:
    """An answer that is an exception."""

    def answer(_: Mapping[str, str]) -> bytes:
        raise error

    return answer


def workload(index: int, namespace: str = "team-a", env: Sequence[KubernetesObject] = ()) -> KubernetesObject:
    """A Workload as 0.12.2 has it."""
    container = {"name": "work", "image": "registry.example/work:1", "env": list(env)}
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "Workload",
        "metadata": {"name": f"run-{index:05d}", "namespace": namespace, "uid": f"uid-{index}", "resourceVersion": "7"},
        "spec": {
            "queueName": "main",
            "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}],
        },
    }


def queue(name: str) -> KubernetesObject:
    """A ClusterQueue as 0.12.2 has it."""
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": name, "uid": f"uid-{name}", "resourceVersion": "5"},
        "spec": {"cohort": "company"},
    }
