"""A page tells what a directory is, from when and where, and what is broken; nothing broken is believed."""

import json
from pathlib import Path
from typing import Any

import pytest

from kueuelift import yaml_text
from kueuelift.archive import save_archive
from kueuelift.cli import run
from kueuelift.errors import RefusedError, UntrustedError
from kueuelift.inspection import inspect
from kueuelift.inspection_text import lines
from kueuelift.journal import FILE_NAME, Journal
from kueuelift.kinds import BY_NAME, KINDS
from kueuelift.model import KubernetesObject
from kueuelift.plan_dir import FORMAT as PLAN
from kueuelift.sealed import writing
from kueuelift.snapshot_dir import writing_snapshot
from make_damaged import DAMAGES, FOLDER, directory, write_plan, write_snapshot
from plan_maker import make_plan
from snapshot_maker import helm_record, legacy_cluster, listing, snapshot_header


def text(path: Path) -> str:
    return "\n".join(lines(inspect(path).content))


def queue(name: str, **metadata: Any) -> KubernetesObject:
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": name, **metadata}}


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    """A snapshot that has something in every part of the page."""
    with writing_snapshot(tmp_path / "rich") as writer:
        writer.add_object(BY_NAME["ClusterQueue"], queue("stays"))
        writer.add_object(BY_NAME["ClusterQueue"], queue("goes", deletionTimestamp="2026-01-01T00:00:00Z"))
        with writer.workloads() as files:
            for number in range(130):
                workload = queue(f"run-{number}", namespace="team", deletionTimestamp="2026-01-01T00:00:00Z")
                files.add("team", workload | {"kind": "Workload"})
        for revision, status in ((8, "superseded"), (9, "deployed"), (10, "pending-upgrade")):
            writer.add_helm_record(helm_record("0.12.2", revision=revision, status=status))
        header = snapshot_header(
            lists={
                "clusterqueues": listing("v1beta1", 2) | {"deleting": 1, "how": "fallback"},
                "workloads": listing("v1beta1", 130) | {"deleting": 130, "versions": {"v1beta1": 100, "v1beta2": 30}},
            },
            parts={"installation/deployments.apps": 1, "running/jobs.batch": 7},
            failures=[{"what": "secrets", "reason": "forbidden", "remedy": "allow it", "foreign": False}],
            unseen=["rayjobs.ray.io"],
            narrowed=["--namespaces=team"],
            without=["running"],
            skipped={"foreign": {"Pod": 3}, "unparsed": [{"path": "a.yaml", "reason": "a template"}]},
            redaction={"mode": "token", "keyId": "k" * 16, "paths": {"helm/x": {"a": 1, "b.c": 1}, "helm/y": {"a": 3}}},
            complete=False,
        )
        volatile = {
            "takenAt": "2026-05-05T05:05:05+00:00",
            "seconds": 3.5,
            "server": "https://api.example:6443",
            "lists": {"workloads": {"consistent": False}},
        }
        writer.seal(header, volatile)
    return tmp_path / "rich"


def test_the_page_of_a_snapshot(rich: Path) -> None:
    page = inspect(rich)
    assert not page.problems
    content = page.content
    assert (content["what"], content["archive"], content["seal"]["state"]) == ("snapshot", False, "intact")
    assert content["tokens"] == {"values": 5, "files": 2, "keyId": "k" * 16}
    assert content["whole"] is False
    (release,) = content["helm"]
    assert (release["revision"], release["status"], release["revisions"], release["deployed"]) == (
        10,
        "pending-upgrade",
        3,
        [9],
    )
    assert content["deleting"]["ClusterQueue"] == ["goes"]
    assert len(content["deleting"]["Workload"]) == 100
    assert [(kind["kind"], kind["count"], kind["consistent"]) for kind in content["kinds"]] == [
        ("ClusterQueue", 2, True) if kind.name == "ClusterQueue" else ("Workload", 130, False)
        for kind in KINDS
        if kind.name in {"ClusterQueue", "Workload"}
    ]


def test_a_person_reads_it_on_one_page(rich: Path) -> None:
    told = text(rich)
    for wanted in (
        "taken     2026-05-05T05:05:05+00:00 in 3.5 s by kueuelift test",
        "from      https://api.example:6443",
        "complete  no",
        "hidden    5 values in 2 files behind tokens of key",
        "narrowed  --namespaces=team",
        "without   running: left out by --no-running",
        "unseen    rayjobs.ray.io: may not be listed; objects of them with a queue are not in here",
        "skipped   foreign objects: 3 Pod; not read: a.yaml",
        "as stored, no conversion",
        "100 v1beta1, 30 v1beta2",
        "not at one moment",
        "10 (3 kept)",
        "pending-upgrade (deployed: 9)",
        "around    Kueue: installation 1 of 1 resources, running 7 of 1 resources",
        "secrets  forbidden  allow it",
        "deleting  ClusterQueue goes; Workload team/run-0, team/run-1,",
        "team/run-4 and 125 more",
    ):
        assert wanted in told, told
    assert told.count("\n") < 40


def test_what_files_lack_no_option_left_out(tmp_path: Path) -> None:
    with writing_snapshot(tmp_path / "s") as writer:
        writer.seal(snapshot_header(origin="files", narrowed=["--from"], without=["running"]), {})
    told = text(tmp_path / "s")
    assert "without   running: the files hold none" in told
    assert "--no-running" not in told
    assert "not installed" not in told


@pytest.mark.parametrize("name", ["rich.tar.gz", "rich.log"])
def test_an_archive_has_the_page_of_its_directory(rich: Path, name: str) -> None:
    place = rich.with_name(name)
    save_archive(rich, place, armor=name.endswith("log"))
    one, other = inspect(rich).content, inspect(place).content
    different = {"path": str(place), "archive": True}
    assert {**one, **different} == other
    assert f"{place} (archive)" in text(place)


def test_the_page_of_a_plan(tmp_path: Path) -> None:
    plan, _ = make_plan(tmp_path, legacy_cluster())
    page = inspect(tmp_path / "plan")
    assert not page.problems
    assert page.content["applicable"] is True
    losses = json.loads(plan.sealed.read("losses.json"))
    assert {entry["meaning"] for entry in losses} == {"kept", "lost"}
    assert page.content["losses"] == sum(len(entry["objects"]) for entry in losses if entry["meaning"] == "lost")
    found = sum(count for states in page.content["findings"].values() for count in states.values())
    assert found == len(json.loads(plan.sealed.read("findings.json")))
    assert [step["id"] for phase in page.content["phases"] for step in phase["steps"]] == [it.id for it in plan.steps]
    told = text(tmp_path / "plan")
    assert "way       0.12.2 -> 0.17.0, target helm" in told
    assert "apply     yes" in told
    assert all(step.title in told for step in plan.steps)


def journal_at(folder: Path) -> None:
    with Journal(folder, iter(f"2026-01-01T00:00:{n:02}Z" for n in range(60)).__next__) as journal:
        journal.append("run-started", plan="sha256:1", cluster="uid", server="https://a", context="c")
        journal.append("intent", "10-check")
        journal.append("done", "10-check")
        journal.append("intent", "20-hold")
        journal.append("run-started", plan="sha256:1", cluster="uid", server="https://a", context="c")
        journal.append("already-done", "20-hold")
        journal.append("intent", "30-helm")
        journal.append("failed", "30-helm", reason="helm upgrade: no route to host")
        journal.append("run-ended", how="failed")
        journal.append("run-started", plan="sha256:1", cluster="uid", server="https://a", context="c")
        journal.append("intent", "30-helm")


def test_the_page_of_a_journal(tmp_path: Path) -> None:
    journal_at(tmp_path / "j")
    (tmp_path / "j/backups").mkdir()
    write_snapshot(tmp_path / "j/backups/snapshot")
    (tmp_path / "j/backups/APIService-x.yaml").write_text("kind: APIService\n")
    page = inspect(tmp_path / "j")
    assert not page.problems
    content = page.content
    assert [run["how"] for run in content["runs"]] == [
        "killed",
        "failed",
        "not ended: it runs at this moment, or was killed",
    ]
    assert [(step["id"], step["outcome"]) for step in content["steps"]] == [
        ("10-check", "done"),
        ("20-hold", "done, by an interrupted run"),
        ("30-helm", "begun, not ended"),
    ]
    assert content["lastEvent"] == {"at": "2026-01-01T00:00:10Z", "event": "intent", "step": "30-helm"}
    assert [(it["name"], it["state"]) for it in content["backups"]] == [
        ("APIService-x.yaml", ""),
        ("snapshot", "intact"),
    ]
    told = text(tmp_path / "j")
    assert "seal      none: a journal grows" in told
    assert "steps     2 done, 0 failed, 1 not ended" in told


def test_a_broken_journal_shows_what_stands_before(tmp_path: Path) -> None:
    journal_at(tmp_path / "j")
    with (tmp_path / "j" / FILE_NAME).open("ab") as file:
        file.write(b'{"at":"now","event":"done"\n{"at":')
    page = inspect(tmp_path / "j")
    assert len(page.problems) == 1
    assert "line 12 is not JSON" in page.problems[0]
    assert page.content["lines"] == 11
    assert page.content["cutOff"] is True


def test_a_broken_backup_is_told(tmp_path: Path) -> None:
    journal_at(tmp_path / "j")
    (tmp_path / "j/backups").mkdir()
    for name in ("snapshot", "unusable-1"):
        write_snapshot(tmp_path / "j/backups" / name)
        (tmp_path / "j/backups" / name / "crds/clusterqueues.yaml").unlink()
    page = inspect(tmp_path / "j")
    assert len(page.problems) == 1
    assert [it["state"] for it in page.content["backups"]] == ["broken", "broken"]


def test_an_empty_journal_is_no_fault(tmp_path: Path) -> None:
    Journal(tmp_path / "j", lambda: "now").close()
    assert not inspect(tmp_path / "j").problems
    assert "nothing yet" in text(tmp_path / "j")


@pytest.mark.parametrize("name", sorted(DAMAGES.keys() - {"snapshot-is-a-plan"}))
@pytest.mark.parametrize("how", ["text", "json", "yaml"])
def test_every_damage_is_shown_and_ends_with_4(name: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = directory(FOLDER / name)
    assert run(["inspect", str(root), "-o", how]) == 4
    out, err = capsys.readouterr()
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    if name in {"snapshot-header-missing", "archive-header-missing"}:
        assert "neither snapshot.json nor plan.json" in err
    elif how == "text":
        assert "broken" in out
        assert "BROKEN" in out
    else:
        page = json.loads(out) if how == "json" else yaml_text.load(out, "page")
        assert page["seal"]["state"] == "broken"
        assert page["seal"]["problems"]


def test_with_an_altered_file_the_rest_is_believed_and_with_an_altered_header_nothing() -> None:
    altered = inspect(FOLDER / "snapshot-object-altered" / "snapshot").content
    assert altered["cluster"]["uid"]
    assert altered["helm"]
    hidden = inspect(FOLDER / "snapshot-header-altered" / "snapshot").content
    assert set(hidden) == {"what", "path", "archive", "seal"}


def test_all_that_is_broken_is_listed(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "s")
    (tmp_path / "s/objects/clusterqueues/shared.yaml").unlink()
    (tmp_path / "s/notes").touch()
    (tmp_path / "s/workloads/team-a.jsonl.gz").write_bytes(b"")
    page = inspect(tmp_path / "s")
    assert [sorted(word in problem for word in ("not listed", "missing", "altered")) for problem in page.problems] == [
        [False, False, True]
    ] * 3


def test_a_broken_release_record_costs_that_record_only(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "s")
    (tmp_path / "s/helm/kueue-system/kueue/v2/release.json").write_text("{}")
    page = inspect(tmp_path / "s")
    assert page.content["helm"] == []
    assert len(page.problems) == 1


def test_a_plan_without_reports_says_that_it_does_not_know(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan")
    assert "findings  unknown" in text(tmp_path / "plan")


@pytest.mark.parametrize("content", ["{}", "[1]", "not JSON", "\\"])
def test_a_report_of_another_shape_costs_that_report_only(tmp_path: Path, content: str) -> None:
    with writing(tmp_path / "plan", PLAN) as writer:
        writer.write("findings.json", content)
        writer.write("losses.json", "[]")
        write_plan(tmp_path / "other")
        header = json.loads((tmp_path / "other" / "plan.json").read_text())
        writer.seal({key: header[key] for key in header if key not in {"digest", "files", "format", "volatile"}}, {})
    page = inspect(tmp_path / "plan")
    assert (page.content["findings"], page.content["losses"]) == (None, 0)
    (problem,) = page.problems
    assert problem.startswith(f"{tmp_path}/plan/findings.json: ")
    assert problem.endswith("make the plan again")


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("notes"), lambda _: None])
def test_what_is_none_of_them_is_refused(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "x")
    with pytest.raises((UntrustedError, RefusedError), match=r"give a|give the path"):
        inspect(tmp_path / "x")


def test_names_from_a_cluster_do_not_reach_a_terminal_as_they_are(tmp_path: Path) -> None:
    with writing_snapshot(tmp_path / "s") as writer:
        writer.add_helm_record(helm_record("0.12.2", status="\x1b[2J\x1b[31mdeployed\n\n"))
        writer.seal(snapshot_header(tool="kueuelift \x1b]0;x\x07"), {"server": "\x1b[0m"})
    told = text(tmp_path / "s")
    assert told.replace("\n", "").isprintable()
    assert "\\x1b[31mdeployed" in told
