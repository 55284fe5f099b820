"""A snapshot of files: everything of Kueue's is in it once, everything else is told."""

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kueuelift import yaml_text
from kueuelift.crd import bundled
from kueuelift.errors import RefusedError, UsageError
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_NAME
from kueuelift.model import KubernetesObject
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.file_objects import Later, Placed
from kueuelift_snapshot.files import CapturedFiles, collect_files
from release_secrets import encoded, release, secret

API = "kueue.x-k8s.io/v1beta1"
Take = Callable[..., CapturedFiles]


def kueue(kind: str, name: str, namespace: str = "", api: str = API, **more: Any) -> KubernetesObject:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def other(api: str, kind: str, name: str = "x", **more: Any) -> KubernetesObject:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "n"}, **more}


QUEUE = kueue("ClusterQueue", "team", spec={"cohort": "org"})
LOCAL = kueue("LocalQueue", "main", "team-a", spec={"clusterQueue": "team"})


@pytest.fixture
def take(tmp_path: Path) -> Take:
    def take(*paths: Path | str, stdin: bytes = b"", out: str = "snapshot", **more: Any) -> CapturedFiles:
        return collect_files(
            [str(path) for path in paths],
            tmp_path / out,
            token_key=tmp_path / "key",
            stdin=io.BytesIO(stdin),
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            **more,
        )

    return take


def write(path: Path, *objects: KubernetesObject) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"---\n{yaml_text.dump(obj)}" for obj in objects))
    return path


def test_folders_files_and_standard_input_together(take: Take, tmp_path: Path) -> None:
    write(tmp_path / "git" / "queues" / "a.yaml", QUEUE)
    write(tmp_path / "git" / "b.YML", LOCAL)
    write(tmp_path / "git" / ".hidden" / "c.yaml", kueue("Cohort", "hidden"))
    write(tmp_path / "git" / "notes.txt", kueue("Cohort", "notes"))
    named = write(tmp_path / "dump.txt", kueue("ResourceFlavor", "spot"))
    workload = kueue("Workload", "w", "team-a", spec={"podSets": []})
    piped = json.dumps({"apiVersion": "v1", "kind": "List", "items": [workload, other("v1", "Pod")]})
    captured = take(tmp_path / "git", named, "-", stdin=piped.encode())
    snapshot = Snapshot.open(captured.path)
    snapshot.sealed.verify()
    assert list(snapshot.objects(BY_NAME["ClusterQueue"])) == [QUEUE]
    assert list(snapshot.objects(BY_NAME["LocalQueue"])) == [LOCAL]
    assert list(snapshot.objects(BY_NAME["Workload"])) == [workload]
    assert list(snapshot.header["lists"]) == ["clusterqueues", "localqueues", "resourceflavors", "workloads"]
    assert snapshot.header["lists"]["workloads"] == {
        "version": "v1beta1", "how": "files", "versions": {"v1beta1": 1}, "count": 1, "deleting": 0,
    }  # fmt: skip
    assert snapshot.header["origin"] == "files"
    assert snapshot.header["cluster"] == {"uid": "", "version": ""}
    assert snapshot.header["skipped"] == {"foreign": {"Pod": 1}, "unparsed": []}
    assert captured.complete
    assert not snapshot.whole


def test_the_same_files_give_the_same_digest(take: Take, tmp_path: Path) -> None:
    write(tmp_path / "git" / "a.yaml", QUEUE, LOCAL)
    assert take(tmp_path / "git", out="one").digest == take(tmp_path / "git", out="two").digest


def test_groups_decide_and_never_names_of_kinds(take: Take, tmp_path: Path) -> None:
    foreign = [
        other("scheduling.k8s.io/v1alpha1", "Workload"),
        other("other.example.com/v1beta1", "Cohort", spec={"parent": "keep"}),
        other("kueue.openshift.io/v1", "Kueue"),
        other("v1", "ClusterQueue"),
        other("kueue.x-k8s.io/v1beta1", "Guild"),
        other("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"group": "example.com"}),
        other("v1", "Secret", data={"a": "aHVudGVyMjI="}),
    ]
    captured = take(write(tmp_path / "f.yaml", *foreign, LOCAL))
    assert dict(captured.foreign) == {
        "Workload.scheduling.k8s.io": 1,
        "Cohort.other.example.com": 1,
        "Kueue.kueue.openshift.io": 1,
        "ClusterQueue": 1,
        "Guild.kueue.x-k8s.io": 1,
        "CustomResourceDefinition.apiextensions.k8s.io": 1,
        "Secret": 1,
    }
    assert list(captured.lists) == ["localqueues"]


def test_the_same_object_is_taken_once_and_another_one_of_its_name_never(take: Take, tmp_path: Path) -> None:
    first = write(tmp_path / "must-gather" / "namespaces" / "team-a" / "localqueues.yaml", LOCAL)
    write(tmp_path / "must-gather" / "namespaces" / "team-a" / "localqueues" / "main.yaml", LOCAL)
    captured = take(tmp_path / "must-gather", first, out="equal")
    assert captured.lists["localqueues"].count == 1
    assert captured.repeated == 2
    second = write(tmp_path / "z.yaml", LOCAL | {"spec": {"clusterQueue": "other"}})
    with pytest.raises(RefusedError) as refused:
        take(first, second)
    assert str(refused.value) == (
        f"LocalQueue team-a/main: differs between {first}, document 1, line 2 and {second}, document 1, line 2; "
        "leave one of the two out"
    )
    assert not (tmp_path / "snapshot").exists()


def looked_at(obj: KubernetesObject, number: int, **more: Any) -> KubernetesObject:
    """An object as the server gives it, each time with other numbers and times."""
    metadata: KubernetesObject = {"resourceVersion": f"{number}", "uid": "u", "managedFields": [{"time": number}]}
    if number > 1:
        metadata["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    condition = {"type": "Active", "status": "True", "lastTransitionTime": f"2026-01-0{number}T00:00:00Z"}
    return {**obj, "metadata": {**obj["metadata"], **metadata}, "status": {"conditions": [condition]}, **more}


def test_what_changes_by_itself_makes_no_other_object(take: Take, tmp_path: Path) -> None:
    crd = bundled("0.12.2", service=None)["cohorts"]
    record = secret(release())
    first, second = ([looked_at(obj, number) for obj in (QUEUE, LOCAL, crd)] for number in (1, 2))
    later = {**record, "metadata": {**record["metadata"], "resourceVersion": "2"}}
    write(tmp_path / "gathered" / "a.yaml", *first, record)
    write(tmp_path / "gathered" / "b.yaml", *second, later)
    captured = take(tmp_path / "gathered")
    assert captured.repeated == 4
    assert list(Snapshot.open(captured.path).objects(BY_NAME["ClusterQueue"])) == first[:1]
    other = write(tmp_path / "other.yaml", looked_at(crd, 1, spec={**crd["spec"], "scope": "Namespaced"}))
    with pytest.raises(RefusedError, match=rf"cohorts.kueue.x-k8s.io: differs between .*a\.yaml, .* and {other}, "):
        take(tmp_path / "gathered", other, out="refused")


class Around:
    """Knows Deployments and Jobs at once, and whether there are Pods only at the end."""

    def __init__(self) -> None:
        self._pods: list[KubernetesObject] = []

    def see(self, obj: KubernetesObject) -> None:
        """Nothing of Kueue's own matters."""

    def place(self, obj: KubernetesObject) -> Placed | Later | None:
        kind = (obj["apiVersion"], obj["kind"])
        if kind == ("v1", "Pod"):
            self._pods.append(obj)
            return Later()
        if kind == ("apps/v1", "Deployment"):
            return Placed(folder="installation", resource="deployments.apps", value=obj)
        return Placed(folder="running", resource="jobs.batch", value=obj, lines=True) if kind[1] == "Job" else None

    def suspects(self, namespace: str, release: str) -> bool:
        raise AssertionError(f"{namespace}/{release}: there is no such record")

    def rest(self, releases: Sequence[HelmRecord]) -> Iterator[Placed]:
        assert not releases
        yield from (Placed(folder="running", resource="pods", value=pod, lines=True) for pod in self._pods[:1])


def test_what_only_surrounds_kueue_may_differ_and_its_first_form_stays(take: Take, tmp_path: Path) -> None:
    first, second = (other("apps/v1", "Deployment", spec={"replicas": number}) for number in (1, 2))
    captured = take(write(tmp_path / "a.yaml", first, second), surroundings=Around())
    assert captured.repeated == 1
    assert list(Snapshot.open(captured.path).parts("installation")) == [("deployments.apps", first)]


@pytest.mark.parametrize("stored", ["v1beta1", [1], {"v1beta1": True}])
def test_a_definition_with_another_status_than_any_server_gives_is_refused(
    take: Take, tmp_path: Path, stored: object
) -> None:
    crd = bundled("0.12.2", service=None)["cohorts"]
    path = write(tmp_path / "a.yaml", {**crd, "status": {"storedVersions": stored}})
    with pytest.raises(RefusedError, match=r"a\.yaml, document 1, line 2: status.storedVersions: something else found"):
        take(path)


def test_a_must_gather_tree(take: Take, tmp_path: Path) -> None:
    root = tmp_path / "must-gather.local.1" / "quay-io-image"
    write(root / "cluster-scoped-resources" / "kueue.x-k8s.io" / "clusterqueues" / "team.yaml", QUEUE)
    crd = bundled("0.12.2", service=None)["cohorts"]
    write(root / "cluster-scoped-resources" / "apiextensions.k8s.io" / "customresourcedefinitions" / "c.yaml", crd)
    listed = {"apiVersion": API, "kind": "LocalQueueList", "metadata": {"resourceVersion": "9"}, "items": [LOCAL]}
    write(root / "namespaces" / "team-a" / "kueue.x-k8s.io" / "localqueues.yaml", listed)
    pods = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "p"}}]}
    (root / "namespaces" / "team-a" / "core").mkdir()
    (root / "namespaces" / "team-a" / "core" / "pods.json").write_text(json.dumps(pods))
    (root / "namespaces" / "team-a" / "current.log").write_text("{{ not: yaml")
    captured = take(root.parent)
    assert {plural: listing.count for plural, listing in captured.lists.items()} == {
        "clusterqueues": 1,
        "localqueues": 1,
    }
    assert dict(captured.foreign) == {"Pod": 1}
    assert set(Snapshot.open(captured.path).crds()) == {"cohorts"}
    assert captured.installed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"apiVersion: {API}\nkind: Cohort\nspec:\n  parent: a\n  parent: b\n", "line 5: .*'spec.parent' stands twice"),
        ('{"apiVersion": "v1",\n"kind": "A", "kind": "A"}', "line 2: .*'kind' stands twice, in lines 2 and 2"),
        ("a: [", "line 2: not valid YAML: "),
        (
            f"apiVersion: {API}\nkind: LocalQueue\nmetadata: {{name: q}}\n",
            "metadata.namespace: None found, a text wanted",
        ),
        (f"apiVersion: {API}\nkind: Cohort\nmetadata: {{name: q, labels: [a]}}\n", "metadata.labels: list found"),
        (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: q}\n"
            "spec: {group: kueue.x-k8s.io, names: {plural: q}, versions: [{name: v1}]}\n",
            r"spec.versions\[\].served: None found, true or false wanted",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_file_line_and_field(take: Take, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(RefusedError, match=rf"{tmp_path}/b\.yaml, document 1.*{message}"):
        take(tmp_path / "b.yaml")
    assert not (tmp_path / "snapshot").exists()


def test_all_that_is_broken_is_told_at_once(take: Take, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: [\n---\nb: {\n")
    with pytest.raises(RefusedError, match=r"a\.yaml, document 1: .* \(and 1 more, told above\)"):
        take(tmp_path / "a.yaml")


def test_templates_are_listed_and_leave_the_snapshot_incomplete(take: Take, tmp_path: Path) -> None:
    write(tmp_path / "chart" / "a.yaml", QUEUE)
    (tmp_path / "chart" / "t.yaml").write_text("kind: ClusterQueue\nmetadata:\n  name: {{ .Values.name }}\n")
    (tmp_path / "chart" / "values.yaml").write_text("name: x\n")
    captured = take(tmp_path / "chart")
    assert not captured.complete
    (failure,) = captured.failures
    assert failure.what == f"{tmp_path}/chart/t.yaml, document 1"
    assert failure.remedy.startswith("render it")
    assert Snapshot.open(captured.path).header["skipped"]["unparsed"] == [
        {"path": failure.what, "reason": "a template ({{ in line 3)"},
        {
            "path": f"{tmp_path}/chart/values.yaml, document 1, line 1",
            "reason": "no apiVersion and kind, which every object of Kubernetes has",
        },
    ]
    assert [path.name for path in (captured.path / "objects").rglob("*.yaml")] == ["team.yaml"]


def test_a_document_without_a_kind_is_told_and_nothing_is_missing(take: Take, tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml", {"x-quota": {"cpu": 5}}, QUEUE)
    captured = take(path)
    assert captured.complete
    assert [aside.origin for aside in captured.unparsed] == [f"{path}, document 1, line 2"]


def test_nulls_and_empty_fields_are_kept_apart(take: Take) -> None:
    text = f"""apiVersion: {API}
kind: ResourceFlavor
metadata: {{name: bare, labels: null}}
spec:
---
apiVersion: {API}
kind: ClusterQueue
metadata: {{name: all}}
spec: {{namespaceSelector: {{}}, cohort: null, resourceGroups: []}}
"""
    snapshot = Snapshot.open(take("-", stdin=text.encode()).path)
    assert list(snapshot.objects(BY_NAME["ResourceFlavor"])) == [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "bare", "labels": None}}
    ]
    (queue,) = snapshot.objects(BY_NAME["ClusterQueue"])
    assert queue["spec"] == {"namespaceSelector": {}, "cohort": None, "resourceGroups": []}


def test_secrets_become_tokens_and_helm_records_are_read(take: Take, tmp_path: Path) -> None:
    workload = kueue("Workload", "w", "n", spec={"podSets": [{"template": {"spec": {"containers": [
        {"name": "c", "env": [{"name": "P", "value": "hunter22-is-secret"}]}]}}}]})  # fmt: skip
    record = secret(release(config={"extra": {"password": "hunter22-is-secret"}}))
    damaged = secret(release(version=3), data=encoded(b"{}")[:40])
    captured = take(write(tmp_path / "a.yaml", workload, record, record, damaged))
    assert [it.release for it in captured.helm_records] == ["kueue"]
    assert [failure.what for failure in captured.failures] == ["Secret kueue-system/sh.helm.release.v1.kueue.v3"]
    assert not captured.complete
    assert captured.tokens >= 2
    for path in captured.path.rglob("*"):
        assert path.is_dir() or b"hunter22" not in path.read_bytes()


def test_what_surrounds_kueue_goes_where_it_is_told(take: Take, tmp_path: Path) -> None:
    deployment, running = other("apps/v1", "Deployment"), other("batch/v1", "Job")
    nameless = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "x-"}}
    pods = [other("v1", "Pod", name) for name in ("one", "one", "two", "three")]
    path = write(tmp_path / "a.yaml", deployment, running, *pods, deployment, nameless)
    snapshot = Snapshot.open(take(path, surroundings=Around()).path)
    assert snapshot.header["parts"] == {"installation/deployments.apps": 1, "running/jobs.batch": 1, "running/pods": 1}
    assert list(snapshot.parts("installation")) == [("deployments.apps", deployment)]
    assert list(snapshot.parts("running")) == [("jobs.batch", running), ("pods", pods[0])]
    assert snapshot.header["skipped"]["foreign"] == {"Job.batch": 1, "Pod": 2}
    assert snapshot.header["without"] == []


def test_links_are_followed_inside_the_folder_only(take: Take, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.yaml", kueue("Cohort", "outside"))
    inside = write(tmp_path / "git" / "a.yaml", QUEUE)
    (tmp_path / "git" / "b.yaml").symlink_to(inside)
    (tmp_path / "git" / "c.yaml").symlink_to(outside)
    (tmp_path / "git" / "loop").symlink_to(tmp_path / "git")
    captured = take(tmp_path / "git")
    assert list(captured.lists) == ["clusterqueues"]
    assert [aside.reason for aside in captured.unparsed] == [
        "a link that leads out of the folder, which is not followed"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_a_failure(take: Take, tmp_path: Path) -> None:
    write(tmp_path / "git" / "a.yaml", QUEUE)
    write(tmp_path / "git" / "b.yaml", LOCAL).chmod(0)
    assert [failure.what for failure in take(tmp_path / "git").failures] == [f"{tmp_path}/git/b.yaml"]


def test_paths_that_lead_nowhere(take: Take, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RefusedError, match="no such file or folder"):
        take(tmp_path / "nothing")
    with pytest.raises(RefusedError, match=r"no file named \.json, \.yaml, \.yml found"):
        take(tmp_path / "empty")
    with pytest.raises(UsageError, match="name it once"):
        take("-", "-")


def test_an_object_as_deep_as_may_be_goes_all_the_way(take: Take, tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(190):
        deep = {"a": deep}
    captured = take(write(tmp_path / "a.yaml", kueue("Cohort", "deep", spec=deep)))
    assert len(list(Snapshot.open(captured.path).objects(BY_NAME["Cohort"]))) == 1
