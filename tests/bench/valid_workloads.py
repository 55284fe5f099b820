"""Workloads at v1beta2 as a server stores them, and the same with one fault each."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

from bench.workloads import models
from kueuelift import crd
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.stored_form import stored_form
from snapshot_maker import as_stored, crds_of

RELEASE = "0.17.0"


def valid(count: int) -> Iterator[KubernetesObject]:
    """So many, no two alike: each has its own names and arguments."""
    target = crd.bundled(RELEASE, service=None)["workloads"]
    old = crds_of("0.12.2")["workloads"]
    made = [
        stored_form({**as_stored(obj, old), "status": status}, crd=target, release=Release.parse(RELEASE))
        for obj, status in models()
    ]
    for number in range(count):
        yield numbered(made[number % len(made)], number)


def numbered(model: KubernetesObject, number: int) -> KubernetesObject:
    """A copy under its own name and uid, with arguments of its own."""
    own: KubernetesObject = deepcopy(model)
    own["metadata"] |= {"name": f"run-{number:06d}", "uid": f"6f1d2c3b-0000-4000-9000-{number:012d}"}
    for pod_set in own["spec"]["podSets"]:
        pod_set["template"]["spec"]["containers"][0]["args"] = ["--epochs=20", f"--run={number}"]
    return own


def faulty(count: int) -> Iterator[KubernetesObject]:
    """So many with one fault each, of several sorts in turn."""
    random = Random(7)
    for number, obj in enumerate(valid(count)):
        _FAULTS[number % len(_FAULTS)](obj["spec"], random)
        yield obj


def _set(field: str, value: Any) -> Callable[[dict[str, Any], Random], None]:
    def fault(spec: dict[str, Any], random: Random) -> None:
        random.choice(spec["podSets"])[field] = value

    return fault


_FAULTS: tuple[Callable[[dict[str, Any], Random], None], ...] = (
    _set("name", "Not A Name"),
    _set("count", -1),
    _set("count", "two"),
    _set("minCount", 1000),
    _set("template", None),
    lambda spec, _: spec.pop("podSets"),
    lambda spec, _: spec.update(priorityClassRef={"group": "scheduling.k8s.io", "kind": "Other", "name": "a"}),
    lambda spec, _: spec["podSets"].append(dict(spec["podSets"][0])),
)
