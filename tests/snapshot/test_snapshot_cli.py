"""The command's words, with a cluster in memory behind it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fake_cluster import CRDS, SECRETS, FakeCluster, answering, path_of, queue, raising
from kueuelift import yaml_text
from kueuelift.cli import run
from kueuelift.kinds import BY_NAME
from kueuelift.redaction import KEY_FILE as TOKEN_KEY
from kueuelift.snapshot_dir import Snapshot
from part_recorder import serve
from release_secrets import secret


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()
    opened = SimpleNamespace(get=fake.get, server="https://cluster.example")
    monkeypatch.setattr("kueuelift_snapshot.live.open_cluster", lambda **_: opened)
    return fake


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_result_is_on_standard_output_and_progress_is_not(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.install()
    cluster.add(queue("shared"))
    cluster.lists[SECRETS] = [secret()]
    assert run(["snapshot", "--out", "S"]) == 0
    out, err = capsys.readouterr()
    digest = Snapshot.open(here / "S").digest
    assert out.splitlines()[:4] == [
        "snapshot  S",
        f"digest    {digest}",
        "cluster   6f1c2f0e-0000-4000-8000-000000000002 (v1.35.4)",
        "complete  yes",
    ]
    assert "ClusterQueue               v1beta1   1\n" in out
    assert "kueue-system/kueue  1         deployed  kueue 0.12.2\n" in out
    assert "clusterqueues: 1\n" in err
    assert "sha256" not in err


def test_an_incomplete_snapshot_is_3_and_tells_what_would_mend_it(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.install()
    cluster.fail(path_of("clusterqueues", "v1beta1"), answering(403, "not for you"))
    assert run(["snapshot", "--out", "S"]) == 3
    out, err = capsys.readouterr()
    assert "complete  no" in out
    (row,) = [line for line in out.splitlines() if line.startswith("clusterqueues.kueue.x-k8s.io ")]
    assert "403: not for you" in row
    rules = yaml_text.load(out.partition("prints the whole role, with --discover")[2].partition("\n\n")[2], "pasted")
    assert rules == [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["clusterqueues"], "verbs": ["list"]}]
    assert err.splitlines()[-1].startswith("error: S is sealed but incomplete, without clusterqueues.kueue.x-k8s.io:")
    assert not Snapshot.open(here / "S").whole


def test_a_cluster_without_kueue_is_0_and_said(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["snapshot", "--out", "S"]) == 0
    assert "kueue     not installed" in capsys.readouterr().out


def test_the_key_is_made_beside_and_used_again(cluster: FakeCluster, here: Path) -> None:
    cluster.lists[SECRETS] = [secret()]
    (here / "sub").mkdir()
    assert run(["snapshot", "--out", "A"]) == run(["snapshot", "--out", "B"]) == 0
    assert run(["snapshot", "--out", "sub/C", "--token-key", TOKEN_KEY]) == run(["snapshot", "--out", "sub/D"]) == 0
    a, b, c, d = (Snapshot.open(here / name).digest for name in ("A", "B", "sub/C", "sub/D"))
    assert a == b == c != d
    assert sorted(path.relative_to(here).as_posix() for path in here.rglob("*.key")) == [TOKEN_KEY, f"sub/{TOKEN_KEY}"]
    assert (here / TOKEN_KEY).stat().st_mode & 0o777 == 0o600


def test_a_spoilt_key_is_refused(cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / TOKEN_KEY).write_text("short", encoding="utf-8")
    assert run(["snapshot", "--out", "S"]) == 1
    assert "no token key found" in capsys.readouterr().err
    assert not (here / "S").exists()


@pytest.mark.parametrize("kind", ["pipe", "device", "long"])
def test_a_key_that_never_ends_is_refused(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    if kind == "pipe":
        os.mkfifo(here / TOKEN_KEY)
    elif kind == "device":
        (here / TOKEN_KEY).symlink_to("/dev/zero")
    else:
        (here / TOKEN_KEY).write_text("ab" * 32 + " " * 5000 + "c", encoding="utf-8")
    assert run(["snapshot", "--out", "S"]) == (0 if kind == "long" else 1)
    assert kind == "long" or "no token key found" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["taken", "missing/S"])
def test_a_bad_place_is_refused_before_anything_is_asked(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    (here / "taken").mkdir()
    assert run(["snapshot", "--out", out]) == 1
    assert capsys.readouterr().err.startswith(f"error: {out}: ")
    assert cluster.requests == []
    assert sorted(path.name for path in here.iterdir()) == ["taken"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_polite_kill_and_ctrl_c_leave_nothing(cluster: FakeCluster, here: Path, number: signal.Signals) -> None:
    cluster.install()
    # A shell that starts the tests in the background has Ctrl-C ignored; Python then leaves it so.
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)

    def kill(_: object) -> None:
        os.kill(os.getpid(), number)

    cluster.fail(path_of("workloads", "v1beta1"), kill)
    before = signal.getsignal(signal.SIGTERM)
    assert run(["snapshot", "--out", "S"]) == 130
    assert [path.name for path in here.iterdir()] == [TOKEN_KEY]
    assert signal.getsignal(signal.SIGTERM) is before
    signal.signal(signal.SIGINT, ctrl_c)


def test_help_needs_neither_the_client_nor_the_story() -> None:
    program = (
        "import sys; from kueuelift.cli import run; run(['snapshot', '--help']);"
        "sys.stderr.write(' '.join({'kubernetes', 'kueuelift_snapshot.collect', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "nowhere to write: give --out DIR, --archive FILE, or both"),
        (["--out", "S", "--armor"], "--armor says how to write an archive"),
        (["--out", "S", "--kinds", "Pod"], "--kinds Pod: no kind of Kueue; give any of topologies, "),
        (["--out", "S", "more.yaml"], "[PATH]… is out of place: paths to read manifests from come after --from"),
        (["--out", "S", "--image", "x"], "--image is out of place: it belongs to --print-job"),
        (["--out", "S", "--archive", "./S"], "--out S and --archive ./S are one place"),
        (["--print-job", "--print-rbac"], "--print-job does not go with --print-rbac"),
        (["--print-rbac", "--out", "S"], "--out does not go with --print-rbac"),
        (["--out", "S", "--from", "x", "--context", "c"], "--context does not go with --from"),
        (["--print-job"], "--print-job needs --image"),
        (["--out", "S", "--discover"], "--discover is out of place: it belongs to --print-rbac or --print-job"),
        (["--print-rbac", "--context", "c"], "--context does not go with --print-rbac"),
        (["--print-rbac", "--discover", "--no-running"], "--discover finds kinds of jobs, and --no-running leaves"),
        (["--out", "S", "--namespaces", "A"], "--namespaces A: no name of a namespace"),
        (["--out", "S", "--from", "x", "--no-running"], "--no-running does not go with --from"),
        (["--out", "S", "--from", "x", "--namespaces", "a"], "--namespaces does not go with --from"),
    ],
)
def test_words_that_do_not_fit_together_are_2(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert run(["snapshot", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert (cluster.requests, list(here.iterdir())) == ([], [])


def test_an_archive_alone_is_the_directory_and_leaves_nothing_else(
    cluster: FakeCluster, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(here / "tmp"))
    cluster.install()
    cluster.add(queue("shared"))
    assert run(["snapshot", "--archive", "S.tar.gz"]) == run(["snapshot", "--out", "S"]) == 0
    archived, plain = Snapshot.open(here / "S.tar.gz"), Snapshot.open(here / "S")
    archived.sealed.verify()
    assert archived.digest == plain.digest
    assert sorted(path.name for path in here.iterdir()) == ["S", "S.tar.gz", TOKEN_KEY, "tmp"]
    assert list((here / "tmp").iterdir()) == []
    assert (here / "S.tar.gz").stat().st_mode & 0o777 == 0o600


def test_an_archive_on_standard_output_leaves_the_words_to_standard_error(
    cluster: FakeCluster, here: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    cluster.install()
    assert run(["snapshot", "--archive", "-"]) == 0
    out, err = capfdbinary.readouterr()
    (here / "S.tar.gz").write_bytes(out)
    assert Snapshot.open(here / "S.tar.gz").digest.encode() in err
    assert b"key thrown away" in err
    assert [path.name for path in here.iterdir()] == ["S.tar.gz"]


def test_a_place_that_is_taken_by_an_archive_is_told_before_anything_is_asked(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "S.tar.gz").write_bytes(b"")
    assert run(["snapshot", "--archive", "S.tar.gz"]) == 1
    assert "S.tar.gz: exists already" in capsys.readouterr().err
    assert cluster.requests == []


def test_an_interrupted_archive_leaves_nothing(
    cluster: FakeCluster, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(here))
    cluster.install()
    cluster.fail(path_of("workloads", "v1beta1"), raising(KeyboardInterrupt()))
    assert run(["snapshot", "--archive", "S.tar.gz"]) == 130
    assert [path.name for path in here.iterdir()] == [TOKEN_KEY]


def test_the_role_and_the_job_are_printed_without_a_cluster(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["snapshot", "--print-rbac", "--no-workloads", "--no-running"]) == 0
    role = yaml_text.load(capsys.readouterr().out, "printed")
    named = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert {"secrets", "clusterqueues", "deployments"} <= named
    assert not {"workloads", "jobs", "pods"} & named
    assert run(["snapshot", "--print-job", "--image", "mirror.example/kueuelift:1", "--namespaces", "a,b"]) == 0
    printed = capsys.readouterr().out
    documents = list(yaml_text.load_all(printed, "printed"))
    assert [it["kind"] for it in documents] == [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Job",
    ]
    (container,) = documents[-1]["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["kueuelift", "snapshot", "--archive", "-", "--armor", "--namespaces=a,b"]
    assert (cluster.requests, list(here.iterdir())) == ([], [])


@pytest.mark.parametrize("way", [["--print-rbac"], ["--print-job", "--image", "mirror.example/kueuelift:1"]])
def test_the_role_has_the_kinds_of_the_cluster_when_it_is_asked(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    serve(cluster, "tekton.dev", "pipelineruns", "PipelineRun")
    for options in ([], ["--discover", "--context", "c"]):
        assert run(["snapshot", *way, *options]) == 0
        out = capsys.readouterr().out
        (role,) = [it for it in yaml_text.load_all(out, "printed") if it["kind"] == "ClusterRole"]
        granted = {"apiGroups": ["tekton.dev"], "resources": ["pipelineruns"], "verbs": ["list"]} in role["rules"]
        assert granted is bool(options)
        assert ("--discover" in out) is not bool(options)
    assert {path for path, _ in cluster.requests} == {CRDS}


def test_all_rights_that_are_missing_are_told_at_once(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("/api/v1/namespaces/kube-system", CRDS, SECRETS):
        cluster.fail(path, answering(403, "not for you"))
    assert run(["snapshot", "--out", "S"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    *table, sentence = err.splitlines()
    assert [line.partition(" ")[0] for line in table[: table.index("")]] == [
        *("MISSING", "namespaces", "customresourcedefinitions.apiextensions.k8s.io", "secrets"),
    ]
    rules = yaml_text.load("\n".join(table[table.index("") + 3 :]), "pasted")
    assert rules == [
        {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]},
        {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["list"]},
    ]
    assert sentence.startswith("error: namespaces: cannot be read (403: not for you)")
    assert "verbs: [get]} and 2 more; `kueuelift snapshot --print-rbac` prints the whole role" in sentence
    assert list(here.iterdir()) == []


def test_a_namespace_that_is_not_there_is_refused_before_anything_is_read(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.install()
    assert run(["snapshot", "--out", "S", "--namespaces", "nope"]) == 1
    assert "error: --namespaces nope: the cluster has no such namespace" in capsys.readouterr().err
    assert (list(here.iterdir()), CRDS in {path for path, _ in cluster.requests}) == ([], False)


def test_a_namespace_that_cannot_be_looked_up_is_told(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.fail("/api/v1/namespaces", answering(403), answering(403))
    cluster.fail("/api/v1/namespaces/nope", answering(403))
    assert run(["snapshot", "--out", "S", "--namespaces", "nope"]) == 3
    out, err = capsys.readouterr()
    told = "nope: not checked whether they exist, since this user could not look them up"
    assert f"unchecked {told}\n" in out
    assert f"--namespaces {told}\n" in err


def test_without_workloads_nothing_of_them_is_taken(cluster: FakeCluster, here: Path) -> None:
    cluster.install()
    requests = serve(cluster, "autoscaling.x-k8s.io", "provisioningrequests", "ProvisioningRequest")
    assert run(["snapshot", "--out", "S", "--no-workloads"]) == 0
    asked = {path for path, _ in cluster.requests}
    assert not {"/api/v1/podtemplates", path_of("workloads", "v1beta1")} & asked
    # As any custom kind, for jobs alone.
    assert [query for path, query in cluster.requests if path == requests] == [
        {"labelSelector": "kueue.x-k8s.io/queue-name", "limit": "500"}
    ]
    header = Snapshot.open(here / "S").header
    assert header["narrowed"] == ["--no-workloads"]
    assert not any("podtemplates" in rule["resources"] for rule in header["rights"])


def test_files_are_read_in_the_place_of_a_cluster(
    cluster: FakeCluster, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    obj = queue("from-git")
    (here / "queue.yaml").write_text(yaml_text.dump(obj), encoding="utf-8")
    (here / "pod.yaml").write_text("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}}", encoding="utf-8")
    assert run(["snapshot", "--out", "S", "--from", "queue.yaml", "pod.yaml"]) == 0
    out = capsys.readouterr().out
    assert "narrowed  --from: can be transformed, not applied" in out
    assert "foreign   1 objects of other kinds left out: Pod 1" in out
    found = Snapshot.open(here / "S")
    assert [it["metadata"]["name"] for it in found.objects(BY_NAME["ClusterQueue"])] == ["from-git"]
    assert not found.whole
    assert cluster.requests == []
