"""Makes small sealed snapshots and chart archives, so that offline tests start from what the tool itself reads."""

import gzip
import io
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bed.seed_objects import configuration
from bed.seed_workloads import workloads
from kueuelift import yaml_text
from kueuelift.crd import ServiceReference, bundled, schema
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_NAME, KINDS, version_of
from kueuelift.model import Failure, KubernetesObject
from kueuelift.snapshot_dir import SnapshotWriter, writing_snapshot
from kueuelift.structural import coerce

NAMESPACE, RELEASE = "kueue-system", "kueue"
SERVICE = ServiceReference(namespace=NAMESPACE, name="kueue-webhook-service")
CLUSTER = "6f1c2f0e-0000-4000-8000-000000000001"
_HOOKS = {
    "APIService": "apiregistration.k8s.io/v1",
    "MutatingWebhookConfiguration": "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration": "admissionregistration.k8s.io/v1",
}


@dataclass(kw_only=True)
class Cluster:
    """What a made-up snapshot holds: unless told, a whole one of Kueue 0.12.2 installed by helm, without objects."""

    release: str = "0.12.2"
    crds: dict[str, KubernetesObject] = field(default_factory=dict)
    """By plural; the bundled ones of the release where none are given."""
    objects: Sequence[KubernetesObject] = ()
    records: Sequence[HelmRecord] | None = None
    """One record of the release where none are given."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """User values of that record."""
    server: str = "v1.35.4"
    raw: bool = False
    """Write objects as they are given, as no server would have kept them."""
    failures: Sequence[Failure] = ()
    narrowed: Sequence[str] = ()
    parts: Mapping[str, Sequence[KubernetesObject]] = field(default_factory=dict)
    """By folder and resource: `installation/deployments.apps`."""
    header: Mapping[str, Any] = field(default_factory=dict)
    """Header fields that are to be other ones."""


def without_kueue() -> Cluster:
    """A cluster that has never seen Kueue."""
    cluster = Cluster(records=())
    cluster.release = ""
    return cluster


def legacy_cluster(count: int = 12) -> Cluster:
    """The bed's 0.12.2 cluster, as data: all kinds of configuration and some Workloads in every state."""
    objects = [seed.obj for seed in configuration(cpu=100)]
    for obj, status in workloads(count):
        obj["metadata"]["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": "Job", "name": obj["metadata"]["name"], "uid": "uid-of-a-job"}
        ]
        objects.append({**obj, "status": status})
    return Cluster(objects=objects)


def make_snapshot(path: Path, cluster: Cluster) -> str:
    """Write and seal a snapshot; returns its digest."""
    crds = cluster.crds or (crds_of(cluster.release) if cluster.release else {})
    records = [helm_record(cluster.release, values=cluster.values)] if cluster.records is None else cluster.records
    with writing_snapshot(path) as writer:
        for crd in crds.values():
            writer.add_crd(crd)
        lists = _write_objects(writer, cluster.objects, {} if cluster.raw else crds)
        for record in records:
            writer.add_helm_record(record)
        counted = {**dict.fromkeys(crds, ("v1beta1", 0)), **lists}
        header = snapshot_header(
            cluster={"uid": CLUSTER, "version": cluster.server},
            lists={kind.plural: listing(*counted[kind.plural]) for kind in KINDS if kind.plural in counted},
            failures=[failure.to_dict() for failure in cluster.failures],
            narrowed=list(cluster.narrowed),
            complete=all(failure.foreign for failure in cluster.failures),
            parts={place: len(objects) for place, objects in cluster.parts.items()},
        )
        _write_parts(writer, cluster.parts)
        return writer.seal({**header, **cluster.header}, {})


def crds_of(release: str, *, stored: str = "", also_stored: str = "") -> dict[str, KubernetesObject]:
    """The CRDs of a release as a cluster has them; `stored` makes another version the storage version."""
    crds = bundled(release, service=SERVICE)
    for crd in crds.values():
        if stored:
            for version in crd["spec"]["versions"]:
                version["storage"] = version["name"] == stored
        storage = next(version["name"] for version in crd["spec"]["versions"] if version["storage"])
        crd["metadata"] |= {"uid": f"uid-of-{crd['metadata']['name']}", "resourceVersion": "7"}
        crd["status"] = {"storedVersions": sorted({storage, also_stored or storage})}
    return crds


def helm_record(kueue: str, *, values: Mapping[str, Any] | None = None, **changes: Any) -> HelmRecord:
    """A deployed release of the chart named kueue, with what a plan looks at in its manifest."""
    given: dict[str, Any] = {
        "namespace": NAMESPACE,
        "storage_namespace": changes.get("namespace", NAMESPACE),
        "release": RELEASE,
        "revision": 2,
        "status": "deployed",
        "chart_name": "kueue",
        "chart_version": kueue,
        "app_version": f"v{kueue}",
        "values": values or {},
        "manifest": tuple(manifest(kueue)),
    }
    return HelmRecord(**{**given, **changes})


def manifest(release: str) -> list[KubernetesObject]:
    """A manager, its hooks and one CRD."""
    labels = {"control-plane": "controller-manager"}
    pod = {"containers": [{"name": "manager", "image": f"registry.example/kueue:v{release}"}]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "kueue-controller-manager", "namespace": NAMESPACE, "labels": labels},
        "spec": {"replicas": 1, "template": {"spec": pod}},
    }
    names = {
        "APIService": "v1beta1.visibility.kueue.x-k8s.io",
        "MutatingWebhookConfiguration": "kueue-mutating-webhook-configuration",
        "ValidatingWebhookConfiguration": "kueue-validating-webhook-configuration",
    }
    hooks = [{"apiVersion": api, "kind": kind, "metadata": {"name": names[kind]}} for kind, api in _HOOKS.items()]
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cohorts.kueue.x-k8s.io"},
    }
    return [crd, deployment, *hooks]


def config_map(configuration: str) -> KubernetesObject:
    """What the chart makes of a manager's Configuration."""
    metadata = {"name": f"{RELEASE}-manager-config", "namespace": NAMESPACE}
    data = {"controller_manager_config.yaml": configuration}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def make_chart(path: Path, *, version: str = "0.17.0", app_version: str = "", name: str = "kueue") -> Path:
    """A chart archive with a manager and the bundled CRDs of 0.17.0; the same words give the same bytes."""
    about = {"apiVersion": "v2", "name": name, "version": version, "appVersion": app_version or f"v{version}"}
    files = {"Chart.yaml": yaml_text.dump(about), "values.yaml": "{}\n"}
    for plural, crd in bundled("0.17.0", service=SERVICE).items():
        files[f"templates/crd/{plural}.yaml"] = yaml_text.dump(crd)
    files["templates/manager.yaml"] = yaml_text.dump(manifest(version)[1])
    return write_archive(path, {f"{name}/{place}": text.encode() for place, text in files.items()})


def write_archive(path: Path, files: Mapping[str, bytes]) -> Path:
    """A .tgz with no time in it."""
    unpacked = io.BytesIO()
    with tarfile.open(fileobj=unpacked, mode="w") as archive:
        for place, content in files.items():
            member = tarfile.TarInfo(place)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    path.write_bytes(gzip.compress(unpacked.getvalue(), mtime=0))
    return path


def as_stored(obj: KubernetesObject, crd: KubernetesObject) -> KubernetesObject:
    """An object as a server would give it: defaulted, with an identity."""
    own = coerce(deepcopy(obj), schema(crd, version_of(obj["apiVersion"]) or ""))
    metadata = own["metadata"]
    identity = f"uid-of-{own['kind']}-{metadata.get('namespace', '')}-{metadata['name']}"
    entry = {"apiVersion": own["apiVersion"], "fieldsType": "FieldsV1", "fieldsV1": {}, "manager": "kubectl"}
    written = {"uid": identity, "resourceVersion": "11", "generation": 1, "managedFields": [entry]}
    own["metadata"] = {**metadata, **written, "creationTimestamp": "2026-01-05T08:00:00Z"}
    return own


def _write_objects(
    writer: SnapshotWriter, objects: Iterable[KubernetesObject], crds: Mapping[str, KubernetesObject]
) -> dict[str, tuple[str, int]]:
    lists: dict[str, tuple[str, int]] = {}
    with writer.workloads() as lines:
        for obj in objects:
            kind = BY_NAME[obj["kind"]]
            stored = as_stored(obj, crds[kind.plural]) if kind.plural in crds else obj
            if kind.per_job:
                lines.add(stored["metadata"]["namespace"], stored)
            else:
                writer.add_object(kind, stored)
            version = version_of(obj["apiVersion"]) or ""
            lists[kind.plural] = (version, lists.get(kind.plural, (version, 0))[1] + 1)
    return lists


def _write_parts(writer: SnapshotWriter, parts: Mapping[str, Sequence[KubernetesObject]]) -> None:
    for place, objects in parts.items():
        folder, _, resource = place.partition("/")
        if folder in {"running", "dependents"}:
            with writer.part_lines(folder, resource) as lines:
                for obj in objects:
                    lines.add(obj["metadata"]["namespace"], obj)
        else:
            for obj in objects:
                writer.add_part(folder, resource, obj)


def snapshot_header(**changes: Any) -> dict[str, Any]:
    """The fields of a snapshot's header that the writer is told; those of a whole, empty one unless changed."""
    whole: dict[str, Any] = {
        "tool": "kueuelift test",
        "origin": "cluster",
        "cluster": {"uid": CLUSTER, "version": "v1.35.4"},
        "lists": {},
        "parts": {},
        "failures": [],
        "unseen": [],
        "redaction": {"mode": "token", "keyId": "0" * 16, "paths": {}},
        "narrowed": [],
        "without": [],
        "rights": [{"apiGroups": [""], "resources": ["configmaps", "secrets"], "verbs": ["list"]}],
        "complete": True,
    }
    return whole | changes


def listing(version: str, count: int) -> dict[str, Any]:
    """A list as the header has it."""
    versions = {version: count} if count else {}
    return {"version": version, "how": "stored", "versions": versions, "count": count, "deleting": 0}
