"""Files that hold nothing, or nothing that can be read: refused alone, told and missed among others."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuelift.cli import run
from kueuelift.errors import RefusedError
from kueuelift.model import Failure
from kueuelift.progress import Silence
from kueuelift_snapshot.files import CapturedFiles, collect_files

API = "kueue.x-k8s.io/v1beta1"
COHORT = f"apiVersion: {API}\nkind: Cohort\nmetadata: {{name: c}}\n"
TWICE = f"apiVersion: {API}\nkind: Cohort\nmetadata: {{name: d}}\nspec:\n  parent: a\n  parent: b\n"
TABLE = "NAME   COHORT   PENDING WORKLOADS\nteam   org      0\nall             12\n"
DESCRIBED = f"Name:         team\nNamespace:    \nAPI Version:  {API}\nKind:         ClusterQueue\n"
Take = Callable[..., CapturedFiles]


@pytest.fixture
def take(tmp_path: Path) -> Take:
    def take(*paths: Path | str, stdin: bytes = b"") -> CapturedFiles:
        return collect_files(
            [str(path) for path in paths],
            tmp_path / "snapshot",
            token_key=tmp_path / "key",
            stdin=io.BytesIO(stdin),
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )

    return take


def folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / f"{name}.yaml").write_text(text)
    return path


@pytest.mark.parametrize("text", ["", "\n", "# a comment\n", "---\n---\n", "apiVersion: v1\nkind: List\nitems: []\n"])
def test_nothing_is_no_snapshot(take: Take, tmp_path: Path, text: str) -> None:
    wanted = r"--from -: no object of Kubernetes in standard input; give manifests, or .* -o yaml or -o json"
    with pytest.raises(RefusedError, match=wanted):
        take("-", stdin=text.encode())
    with pytest.raises(RefusedError, match="no object of Kubernetes in 2 files; give manifests"):
        take(folder(tmp_path / "git", a=text, b=text))
    assert not (tmp_path / "snapshot").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TABLE, "a table of kubectl get"),
        (f"\n# before\n---\n{TABLE}", "a table of kubectl get"),
        ("NAMESPACE   NAME   AGE\na           b      3d\n", "a table of kubectl get"),
        ("LAST SEEN   TYPE     OBJECT\n3m  Normal  workload/w: \tx: y\n", "a table of kubectl get"),
        ("NAME\nteam\n", "a table of kubectl get"),
        ("NAME                  READY   AGE\npod/a:b: {             1/1  3d\n", "a table of kubectl get"),
        (DESCRIBED, "what kubectl describe prints"),
        (f"{DESCRIBED}Spec:\n  a:\n b: {{\n", "what kubectl describe prints"),
        ("clusterqueue.kueue.x-k8s.io/team\nclusterqueue.kueue.x-k8s.io/all\n", "names of kubectl get -o name"),
    ],
)
def test_what_kubectl_prints_for_people_is_called_so(take: Take, tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RefusedError) as refused:
        take("-", stdin=text.encode())
    assert str(refused.value) == (
        f"--from -: no object of Kubernetes in standard input: document 1: {told}; "
        "give the same with -o yaml or -o json"
    )
    captured = take(folder(tmp_path / "git", a=COHORT, b=text))
    assert not captured.complete
    (failure,) = captured.failures
    assert failure == Failure(
        what=f"{tmp_path}/git/b.yaml, document 1", reason=told, remedy="give the same with -o yaml or -o json"
    )


@pytest.mark.parametrize("text", ["Hello world\n", "NAME: team\n", "NAME = team\n", "a  b\n", "Name: team\nKind: x\n"])
def test_other_texts_are_none_of_these(take: Take, tmp_path: Path, text: str) -> None:
    captured = take(folder(tmp_path / "git", a=COHORT, b=text))
    assert captured.complete
    assert [aside.origin for aside in captured.unparsed] == [f"{tmp_path}/git/b.yaml, document 1, line 1"]


def test_where_only_templates_are_there_the_first_is_named(take: Take, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as refused:
        take(folder(tmp_path / "git", a="a: {{ x }}\n", b="b: {{ x }}\n", values="x: 1\n"))
    assert str(refused.value) == (
        f"--from {tmp_path}/git: no object of Kubernetes in 3 files: {tmp_path}/git/a.yaml, document 1: a template "
        "({{ in line 1) (and 2 more); render it (helm template, kustomize build, envsubst) and give the result"
    )


def test_foreign_objects_alone_are_a_snapshot_of_nothing(take: Take) -> None:
    captured = take("-", stdin=b"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: n}\n")
    assert captured.complete
    assert dict(captured.foreign) == {"Secret": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TWICE, "line 6: not valid YAML: key 'spec.parent' stands twice, in lines 5 and 6"),
        ("a: [", "line 2: not valid YAML: did not find expected node content"),
        (f"apiVersion: {API}\nkind: LocalQueue\nmetadata: {{name: q}}\n", "metadata.namespace: None found"),
    ],
)
def test_what_is_broken_in_a_folder_is_missing_and_the_rest_is_read(
    take: Take, tmp_path: Path, text: str, reason: str
) -> None:
    git = folder(tmp_path / "git", a=text, b=f"{text}\n---\n{COHORT}", c=COHORT.replace(": c", ": e"))
    captured = take(git)
    assert captured.lists["cohorts"].count == 2
    assert not captured.complete
    assert [failure.what.partition(", line")[0] for failure in captured.failures] == [
        f"{git}/a.yaml, document 1",
        f"{git}/b.yaml, document 1",
    ]
    assert all(reason in failure.reason for failure in captured.failures)
    assert all(failure.remedy.startswith("mend ") for failure in captured.failures)


@pytest.mark.parametrize("text", [TWICE, f"{COHORT}---\na: ["])
def test_what_is_broken_in_the_only_file_is_refused(take: Take, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(RefusedError, match=rf"^{tmp_path}/a\.yaml, document .: line .: not valid YAML"):
        take(tmp_path / "a.yaml")
    with pytest.raises(RefusedError, match=r"^standard input, document .: line .: not valid YAML"):
        take("-", stdin=text.encode())
    assert not take(tmp_path / "a.yaml", "-", stdin=COHORT.encode()).complete


def test_where_all_is_broken_the_first_is_named(take: Take, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as refused:
        take(folder(tmp_path / "git", a="a: [", b="b: {"))
    assert str(refused.value) == (
        f"--from {tmp_path}/git: no object of Kubernetes in 2 files: {tmp_path}/git/a.yaml, document 1: line 2: not "
        "valid YAML: did not find expected node content (and 1 more); mend the file and run again"
    )


def test_bytes_that_are_no_text_cost_their_file_only(take: Take, tmp_path: Path) -> None:
    git = folder(tmp_path / "git", a=COHORT)
    (git / "b.yaml").write_bytes(b"a: 1\nb\xff: 2\n")
    (failure,) = take(git).failures
    assert failure.what == f"{git}/b.yaml"
    assert failure.reason == "line 2: not valid YAML: byte 6 is not UTF-8"


def test_the_command_ends_with_3_and_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = folder(tmp_path / "git", good=COHORT, **{f"bad-{number}": TWICE for number in range(30)})
    assert run(["snapshot", "--out", str(tmp_path / "s"), "--from", str(git)]) == 3
    out, err = capsys.readouterr()
    (row,) = (line for line in out.splitlines() if "bad-29.yaml, document 1 " in line)
    assert "line 6: not valid YAML" in row  # the rest may stand below it
    last = err.splitlines()[-1]
    assert last.startswith("error: ")
    assert "and 25 more" in last


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["NAME", "AGE", "LAST SEEN", "a", ":", "{", "  ", "\n", "---", "Name:"]), max_size=12))
def test_no_such_text_ends_the_run(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    top = tmp_path_factory.mktemp("any")
    git = folder(top / "git", a=COHORT, b="".join(pieces))
    assert run(["snapshot", "--out", str(top / "s"), "--from", str(git)]) in (0, 3)
