"""Any JSON that Kueue's Go structs can read, made by their shapes, odd as it may be: nulls, empties, unknown keys."""

import json
from importlib.resources import files
from random import Random
from typing import Any

from kueuelift.kinds import api_version
from kueuelift.model import KubernetesObject

WEBHOOK_KINDS = ("ClusterQueue", "Cohort", "LocalQueue", "MultiKueueCluster", "Workload")

QUANTITIES: tuple[str | float, ...] = (
    *("0", "1", 8, 0, 1.5, 0.25, "1000m", "1500m", "0.5", "0.1Gi", "1Gi", "1024Mi", "1e3", "1E3", "12e6", "2E", "-0"),
    *("-1", "+5", ".5", "5.", "1.500", "100000", "1000", "0.0000000001", "9.85Ti", "1000000000Ti", "500u", "20Ki"),
    "100000000000000000000",
)
TIMES = (
    "2026-01-31T12:00:00Z",
    "2026-01-01T00:30:00+02:00",
    "2025-12-31T23:30:00.25-00:45",
    "2024-02-29T23:59:59-01:00",
)
WORDS = (
    *("", "a", "main", "node-1", "pool-a-0", "pool-a-1", "Borrow", "Preempt", "TryNextFlavor", "Secret", "cpu", "é"),
    *("<&>", "kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass", "kubernetes.io/hostname"),
)

LEAVES: dict[str, tuple[Any, ...]] = {
    "quantity": QUANTITIES,
    "time": TIMES,
    "bool": (True, False),
    "int32": (0, 1, 3, -2, 2**31 - 1),
    "int64": (0, 1, 3, -2, 2**53),
    "int-or-string": (0, 80, "http", "50%"),
    "any": ({"f:spec": {".": {}, "f:cohort": {}}},),
}


def arbitrary_object(random: Random, kind: str, version: str = "v1beta1") -> KubernetesObject:
    """Make an object of a webhook kind; every field of its struct, pod templates included, can turn up."""
    shapes = _shapes(version)
    obj: KubernetesObject = {
        "apiVersion": api_version(version),
        "kind": kind,
        "metadata": {"name": f"x{random.randrange(1000)}", "uid": f"{random.randrange(10**6)}"},
    }
    for part in ("spec", "status"):
        if random.random() < 0.9:
            obj[part] = _value(random, shapes[kind][part], shapes, 0)
    return obj


def _shapes(version: str) -> dict[str, dict[str, str]]:
    folder = files("kueuelift_transform").joinpath("structs")
    shapes: dict[str, dict[str, str]] = {}
    for name in ("kubernetes", f"kueue-{version}"):
        shapes |= json.loads(folder.joinpath(f"{name}.json").read_text(encoding="utf-8"))["structs"]
    return shapes


def _value(random: Random, text: str, shapes: dict[str, dict[str, str]], depth: int) -> Any:
    if random.random() < 0.04:
        return None
    kind = text.rstrip("!?").removeprefix("*")
    if kind.startswith("[]"):
        return [_value(random, kind[2:], shapes, depth + 1) for _ in range(_size(random))]
    if kind.startswith("{}"):
        return {random.choice(WORDS[1:]): _value(random, kind[2:], shapes, depth + 1) for _ in range(_size(random))}
    if kind == "TopologyAssignment":
        return _topology_assignment(random, shapes[kind])
    if kind in shapes:
        return _struct(random, shapes[kind], shapes, depth)
    return _leaf(random, kind)


def _struct(random: Random, shape: dict[str, str], shapes: dict[str, dict[str, str]], depth: int) -> dict[str, Any]:
    likely = 0.75 if depth < 3 else 0.35 if depth < 6 else 0.12
    made = {field: _value(random, text, shapes, depth + 1) for field, text in shape.items() if random.random() < likely}
    if random.random() < 0.05:
        made["noSuchField"] = {"a": 1}
    return made


def _size(random: Random) -> int:
    return random.choice((0, 1, 1, 2, 3))


def _leaf(random: Random, kind: str) -> Any:
    return random.choice(LEAVES.get(kind, WORDS))


def _topology_assignment(random: Random, shape: dict[str, str]) -> dict[str, Any]:
    """Make one that fits together, as every real one does: an encoder fails on others."""
    levels = random.sample(["block", "rack", "kubernetes.io/hostname"], random.randrange(1, 4))
    size = random.randrange(6)
    if "domains" in shape:
        return {"levels": levels, "domains": [_domain(random, len(levels)) for _ in range(size)]}
    return {"levels": levels, "slices": [_slice(random, len(levels)) for _ in range(size)]}


def _domain(random: Random, width: int) -> dict[str, Any]:
    values = [f"{random.choice(('a', 'pool-a-', 'pool-b-', ''))}{random.randrange(12)}" for _ in range(width)]
    return {"values": values + ["spare"] * random.randrange(2), "count": random.randrange(1, 4)}


def _slice(random: Random, width: int) -> dict[str, Any]:
    count = random.randrange(1, 4)
    individual = {"roots": [str(random.randrange(99)) for _ in range(count)], "prefix": "pool-"}
    return {
        "domainCount": count,
        "valuesPerLevel": [random.choice(({"universal": "r1"}, {"individual": individual})) for _ in range(width)],
        "podCounts": random.choice(({"universal": 2}, {"individual": [1 + n for n in range(count)]})),
    }
