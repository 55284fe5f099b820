import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest

from kueuelift.crd import bundled
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.helm_record import HelmHook, HelmRecord
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.sealed import canonical_json
from kueuelift.snapshot_dir import Snapshot, SnapshotWriter, place_of, place_of_crd, writing_snapshot
from snapshot_maker import listing, snapshot_header

QUEUE, WORKLOAD, LOCAL = BY_NAME["ClusterQueue"], BY_NAME["Workload"], BY_NAME["LocalQueue"]
HEADER = snapshot_header(lists={"clusterqueues": listing("v1beta1", 1)})


def obj(name: str, namespace: str = "", **more: Any) -> KubernetesObject:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "X", "metadata": metadata, **more}


def made(place: Path, fill: Any = lambda _: None, **header: Any) -> Snapshot:
    with writing_snapshot(place) as writer:
        fill(writer)
        writer.seal({**HEADER, **header}, {})
    return Snapshot.open(place)


@pytest.mark.parametrize(
    "value",
    [
        "1e3",
        "0755",
        "on",
        "1:30",
        "2024-02-07T14:30:12Z",
        "~",
        "",
        " x ",
        "a: b",
        "line\nline\n",
        "ü\u2028",
        12345678901234567890,
        1.5,
        3,
        None,
        True,
        {},
        [],
    ],
)
def test_objects_come_back_as_they_were(tmp_path: Path, value: Any) -> None:
    given = obj("a", spec={"value": value, "list": [value]})
    assert list(made(tmp_path / "s", lambda writer: writer.add_object(QUEUE, given)).objects(QUEUE)) == [given]


def test_objects_lie_one_a_file_by_namespace_and_name(tmp_path: Path) -> None:
    def fill(writer: SnapshotWriter) -> None:
        assert writer.add_object(QUEUE, obj("a:b")) == "objects/clusterqueues/a%3Ab.yaml"
        assert writer.add_object(LOCAL, obj("q", "t")) == "objects/localqueues/t/q.yaml"

    snapshot = made(tmp_path / "s", fill)
    assert [found["metadata"]["name"] for found in snapshot.objects(QUEUE)] == ["a:b"]
    assert [found["metadata"]["name"] for found in snapshot.objects(LOCAL)] == ["q"]


def test_workloads_are_lines_by_namespace_in_any_order(tmp_path: Path) -> None:
    order = [("a", 1), ("b", 2), ("a", 3), ("A", 4)]

    def fill(writer: SnapshotWriter) -> None:
        with writer.workloads() as lines:
            paths = [lines.add(namespace, obj(f"w{number}", namespace)) for namespace, number in order]
        assert paths[0] == paths[2] == "workloads/a.jsonl.gz"
        assert len({path.casefold() for path in paths}) == 3

    snapshot = made(tmp_path / "s", fill)
    assert sorted(found["metadata"]["name"] for found in snapshot.objects(WORKLOAD)) == ["w1", "w2", "w3", "w4"]


def test_the_same_workloads_give_the_same_bytes(tmp_path: Path) -> None:
    def fill(writer: SnapshotWriter) -> None:
        with writer.workloads() as lines:
            for number in range(300):
                lines.add("a", obj(f"w{number}", "a"))

    assert made(tmp_path / "1", fill).digest == made(tmp_path / "2", fill).digest


def test_discarding_takes_back_one_kind_only(tmp_path: Path) -> None:
    def fill(writer: SnapshotWriter) -> None:
        writer.add_object(QUEUE, obj("a"))
        writer.add_object(LOCAL, obj("q", "t"))
        with writer.workloads() as lines:
            lines.add("t", obj("w", "t"))
        writer.discard(place_of(LOCAL))
        writer.discard(place_of(WORKLOAD))
        with writer.workloads() as lines:
            lines.add("t", obj("again", "t"))

    snapshot = made(tmp_path / "s", fill)
    assert not list(snapshot.objects(LOCAL))
    assert [found["metadata"]["name"] for found in snapshot.objects(WORKLOAD)] == ["again"]
    assert len(list(snapshot.objects(QUEUE))) == 1


def test_crds_tell_the_header_what_is_served_and_stored(tmp_path: Path) -> None:
    crd = bundled("0.17.0", service=None)["cohorts"]
    stored = crd | {"status": {"storedVersions": ["v1beta1", "v1beta2"]}}
    snapshot = made(tmp_path / "s", lambda writer: writer.add_crd(stored))
    assert snapshot.header["kueue"] == {
        "installed": True,
        "crds": {
            "cohorts": {
                "served": ["v1beta1", "v1beta2"],
                "storage": "v1beta2",
                "storedVersions": ["v1beta1", "v1beta2"],
            }
        },
    }
    assert snapshot.crds() == {"cohorts": stored}
    assert set(snapshot.hashes("crds")) == {place_of_crd("cohorts")}
    assert snapshot.crd("cohorts") == stored


@pytest.mark.parametrize("schema", [None, {}, {"openAPIV3Schema": "x"}])
def test_crds_without_their_schemas_are_refused(tmp_path: Path, schema: object) -> None:
    crd = bundled("0.17.0", service=None)["cohorts"]
    crd["spec"]["versions"][0]["schema"] = schema
    snapshot = made(tmp_path / "s", lambda writer: writer.add_crd(crd))
    for read in (snapshot.crds, lambda: snapshot.crd("cohorts")):
        with pytest.raises(RefusedError, match=r"crds/cohorts\.yaml: spec\.versions\[\]\.schema"):
            read()


def test_crds_of_unknown_kinds_are_kept_apart(tmp_path: Path) -> None:
    crd = bundled("0.17.0", service=None)["cohorts"]
    guild = crd | {"spec": crd["spec"] | {"names": {"plural": "guilds"}}}
    snapshot = made(tmp_path / "s", lambda writer: writer.add_crd(guild))
    assert snapshot.crds() == {}
    assert set(snapshot.header["kueue"]["crds"]) == {"guilds"}


def helm_record(release: str, revision: int, **changes: Any) -> HelmRecord:
    given: dict[str, Any] = {
        "namespace": "kueue-system", "storage_namespace": "kueue-system", "release": release, "revision": revision,
        "status": "deployed", "chart_name": "kueue", "chart_version": "0.12.2", "app_version": "v0.12.2",
        "values": {"a": 1}, "manifest": (obj("m"), obj("n")),
    }  # fmt: skip
    return HelmRecord(**{**given, **changes})


def test_helm_records_come_back_by_release_and_revision(tmp_path: Path) -> None:
    given = [helm_record("kueue", 10), helm_record("kueue", 9), helm_record("a", 1)]
    given.append(helm_record("kueue", 1, namespace="a", storage_namespace="kueue-flux"))

    def fill(writer: SnapshotWriter) -> None:
        folders = [writer.add_helm_record(one) for one in given]
        assert folders[0] == "helm/kueue-system/kueue/v10"
        assert folders[3] == "helm/kueue-flux/kueue/v1"

    assert made(tmp_path / "s", fill).helm_records() == [given[3], given[2], given[1], given[0]]


def test_helm_records_of_two_drivers_lie_side_by_side(tmp_path: Path) -> None:
    hook = HelmHook(
        name="setup", kind="Job", path="kueue/templates/a.yaml", events=("pre-install", "test"), weight=-5,
        delete_policies=("hook-succeeded",), last_run={"phase": "Succeeded"}, manifest=obj("setup"),
    )  # fmt: skip
    full = helm_record(
        "kueue", 1, driver="configmap", description="Install complete", first_deployed="2026-01-05T08:00:00Z",
        last_deployed="2026-02-05T08:00:00Z", encoded_bytes=1012345, computed={"a": 1, "b": {"c": None}},
        hooks=(hook, hook), unparsed=("document 3 of its manifest: line 2: not valid YAML",),
    )  # fmt: skip
    bare = helm_record("kueue", 1)

    def fill(writer: SnapshotWriter) -> None:
        assert writer.add_helm_record(full) == "helm/kueue-system/kueue/v1.configmap"
        assert writer.add_helm_record(bare) == "helm/kueue-system/kueue/v1"

    found = made(tmp_path / "s", fill).helm_records()
    assert sorted(found, key=lambda record: record.driver) == [full, bare]


RELEASE_JSON = canonical_json(helm_record("kueue", 1).info())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("release.json", b"{"),
        ("release.json", b"[]"),
        ("release.json", b"[" * 100_000),
        ("release.json", RELEASE_JSON.replace(b'"revision": 1', b'"revision": "one"')),
        ("release.json", RELEASE_JSON.replace(b'"chart"', b'"charts"')),
        ("release.json", RELEASE_JSON.replace(b'"driver"', b'"drivers"')),
        ("release.json", RELEASE_JSON.replace(b'"storageNamespace"', b'"storage"')),
        ("release.json", RELEASE_JSON.replace(b'"storageNamespace": "', b'"storageNamespace": "-')),
        ("values.yaml", b"[1]\n"),
        ("computed.yaml", b""),
        ("manifest.yaml", b"--- [1]\n"),
        ("hooks.yaml", b"--- [1]\n"),
        ("hooks.yaml", b"name: a\n"),
    ],
)
def test_a_helm_record_that_was_sealed_odd_is_one_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    def fill(writer: SnapshotWriter) -> None:
        folder = writer.add_helm_record(helm_record("kueue", 1))
        writer._writer.write(f"{folder}/{name}", content)

    with pytest.raises((RefusedError, UntrustedError), match=r"v1|revision 1"):
        made(tmp_path / "s", fill).helm_records()


@pytest.mark.parametrize(
    ("changes", "whole"),
    [
        ({}, True),
        ({"narrowed": ["--no-workloads"]}, False),
        ({"complete": False, "failures": [{"what": "x", "reason": "y", "remedy": "z", "foreign": False}]}, False),
    ],
)
def test_only_a_whole_snapshot_may_be_applied(tmp_path: Path, changes: dict[str, Any], whole: bool) -> None:
    snapshot = made(tmp_path / "s", **changes)
    assert snapshot.whole is whole
    assert len(snapshot.failures) == len(changes.get("failures", []))


def test_kinds_without_a_list_count_as_none(tmp_path: Path) -> None:
    snapshot = made(tmp_path / "s")
    assert {kind.name: snapshot.count(kind) for kind in KINDS} == {kind.name: int(kind is QUEUE) for kind in KINDS}


LINE = b'{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"name":"a","namespace":"a"}}\n'


@pytest.mark.parametrize(
    "content",
    [b"not gzip", gzip.compress(LINE + b"{")[:-9], gzip.compress(LINE + b"not json\n"), gzip.compress(b"[1]\n")],
)
def test_lines_that_were_sealed_unreadable_are_one_sentence(tmp_path: Path, content: bytes) -> None:
    snapshot = made(tmp_path / "s", lambda writer: writer._writer.write("workloads/a.jsonl.gz", content))
    with pytest.raises(UntrustedError, match=r"workloads/a\.jsonl\.gz: "):
        list(snapshot.objects(WORKLOAD))


@pytest.mark.parametrize("content", ["a: 1\na: 2\n", "- 1\n", "", "a: [\n", "a: 1\n---\nb: 2\n"])
def test_objects_that_were_sealed_unreadable_are_one_sentence(tmp_path: Path, content: str) -> None:
    snapshot = made(tmp_path / "s", lambda writer: writer._writer.write("objects/clusterqueues/a.yaml", content))
    with pytest.raises((UntrustedError, RefusedError), match=r"clusterqueues/a\.yaml: "):
        list(snapshot.objects(QUEUE))


def test_lines_are_canonical(tmp_path: Path) -> None:
    def fill(writer: SnapshotWriter) -> None:
        with writer.workloads() as lines:
            lines.add("a", {"b": 1, "a": {"d": 1.50, "c": "ü"}})

    snapshot = made(tmp_path / "s", fill)
    content = gzip.decompress(snapshot.sealed.read("workloads/a.jsonl.gz"))
    assert content == orjson.dumps({"a": {"c": "ü", "d": 1.5}, "b": 1}) + b"\n"
