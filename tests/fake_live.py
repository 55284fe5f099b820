"""A cluster in memory, for what a real one does not do on demand: conflicts at will, lists that expire, refusals."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, cast

from kueuelift.model import KubernetesObject
from kueuelift_apply.live import ApiError, Live

Trouble = Callable[[KubernetesObject], ApiError | None]


class FakeLive:
    """Keeps objects by path; `trouble` may refuse a write, `expire_after` lets a list run out of date once."""

    def __init__(self, objects: dict[str, KubernetesObject] | None = None) -> None:
        self.objects = objects or {}
        self.writes: list[str] = []
        self.trouble: Trouble = lambda _: None
        self.expire_after: int | None = None

    def get(self, path: str, **_: str) -> KubernetesObject | None:
        return deepcopy(self.objects.get(path))

    def put(self, path: str, body: KubernetesObject, **_: str) -> KubernetesObject:
        if path not in self.objects:
            raise ApiError(404, "PUT", path, f'"{body["metadata"]["name"]}" not found')
        error = self.trouble(body)
        if error:
            raise error
        current = self.objects[path]["metadata"]["resourceVersion"]
        if body["metadata"]["resourceVersion"] != current:
            raise ApiError(409, "PUT", path, "the object has been modified")
        self.writes.append(path)
        stored = deepcopy(body)
        stored["metadata"]["resourceVersion"] = str(int(current) + 1)
        self.objects[path] = stored
        return deepcopy(stored)

    def pages(self, path: str, *, metadata_only: bool = False, page: int = 2) -> Iterator[list[KubernetesObject]]:
        prefix = path.rpartition("/")[0]
        plural = path.rpartition("/")[2]
        found = [obj for key, obj in sorted(self.objects.items()) if key.startswith(prefix) and f"/{plural}/" in key]
        shown = [self._metadata(obj) if metadata_only else deepcopy(obj) for obj in found]
        for start in range(0, max(len(shown), 1), page):
            if self.expire_after is not None and start >= self.expire_after:
                self.expire_after = None
                raise ApiError(410, "GET", path, "the provided continue parameter is too old")
            yield shown[start : start + page]

    def as_live(self) -> Live:
        return cast("Live", self)

    @staticmethod
    def _metadata(obj: KubernetesObject) -> KubernetesObject:
        return {"kind": "PartialObjectMetadata", "metadata": deepcopy(obj["metadata"])}


def cohort(name: str, **metadata: Any) -> KubernetesObject:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": {"name": name, "uid": f"uid-{name}", "resourceVersion": "1", **metadata},
        "spec": {},
    }
