"""Parts of a snapshot taken from a cluster in memory into memory, by resource and name."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fake_cluster import CRDS, FakeCluster
from kueuelift.model import KubernetesObject
from kueuelift.object_store import LineFiles
from kueuelift.progress import Silence
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import SnapshotWriter
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.scope import Scope


class Recorder(SnapshotWriter):
    """Remembers what is written, by folder/resource and namespace/name."""

    def __init__(self) -> None:
        self.parts: dict[str, dict[str, KubernetesObject]] = {}

    def add_crd(self, crd: KubernetesObject) -> str:
        return str(crd["metadata"]["name"])

    def add_part(self, folder: str, resource: str, obj: KubernetesObject) -> str:
        metadata = obj["metadata"]
        name = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
        written = self.parts.setdefault(f"{folder}/{resource}", {})
        assert name not in written, f"{folder}/{resource}/{name} is written twice"
        written[name] = obj
        return f"{folder}/{resource}/{name}"

    @contextmanager
    def part_lines(self, folder: str, resource: str) -> Iterator[Any]:
        yield _Lines(self, folder, resource)

    def discard(self, folder: str) -> None:
        self.parts.pop(folder, None)


class _Lines(LineFiles):
    def __init__(self, recorder: Recorder, folder: str, resource: str) -> None:
        self._recorder, self._place = recorder, (folder, resource)

    def add(self, namespace: str, line: Any) -> str:  # noqa: ARG002 - the object has it
        return self._recorder.add_part(*self._place, line)


def capture_of(cluster: FakeCluster, scope: Scope | None = None) -> Capture:
    """A capture that knows the cluster's CRDs."""
    capture = Capture(
        api=cluster,
        writer=Recorder(),
        redactor=Redactor(TokenKey.throwaway()),
        progress=Silence(),
        scope=scope or Scope(),
    )
    capture.crds()
    return capture


def parts_of(
    cluster: FakeCluster, run: Callable[[Capture], object], *, failures: bool = False
) -> Mapping[str, Mapping[str, KubernetesObject]]:
    """What `run` writes; without a failure unless told."""
    capture = capture_of(cluster)
    run(capture)
    assert isinstance(capture.writer, Recorder)
    assert bool(capture.failures) is failures, capture.failures
    assert capture.parts == {place: len(objects) for place, objects in capture.writer.parts.items() if objects}
    return capture.writer.parts


def serve(cluster: FakeCluster, group: str, plural: str, kind: str, version: str = "v1", **options: Any) -> str:
    """A CRD of somebody else, and an empty list; where it is listed."""
    served = [{"name": version, "served": True, "storage": True}]
    names = {"plural": plural, "kind": kind}
    spec = {"group": group, "names": names, "scope": options.get("scope", "Namespaced"), "versions": served}
    metadata = {"name": f"{plural}.{group}"}
    cluster.lists[CRDS].append({"metadata": metadata, "spec": spec})
    path = f"/apis/{group}/{version}/{plural}"
    cluster.lists[path] = []
    return path


def obj(api_version: str, kind: str, name: str, namespace: str = "", **body: Any) -> KubernetesObject:
    """An object; labels, annotations, ownerReferences and finalizers go into its metadata."""
    ours = ("labels", "annotations", "ownerReferences", "finalizers", "managedFields", "uid")
    metadata = {"name": name, "resourceVersion": "7"} | ({"namespace": namespace} if namespace else {})
    metadata |= {key: body.pop(key) for key in ours if key in body}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}
