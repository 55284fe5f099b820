"""Helm's records on their way from a cluster's lists into a snapshot."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fake_cluster import CONFIG_MAPS, SECRETS, FakeCluster, answering, queue, usual
from installed_parts import deployment, put
from kueuelift.model import Failure
from kueuelift.progress import Silence
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.collect import Captured, collect
from kueuelift_snapshot.files import collect_files
from release_secrets import config_map, foreign, hook, release, secret

Take = Callable[..., Captured]
BROKEN = "!!notbase64"


@pytest.fixture
def cluster() -> FakeCluster:
    fake = FakeCluster()
    fake.install()
    fake.lists[SECRETS] = [secret(foreign()), *(secret(release(version=n, hooks=[hook()])) for n in range(1, 31))]
    fake.lists[CONFIG_MAPS] = [config_map(release(name="batch")), config_map(name="settings", data="kueue")]
    return fake


@pytest.fixture
def take(cluster: FakeCluster, tmp_path: Path) -> Take:
    def take(name: str = "s") -> Captured:
        return collect(
            cluster,
            tmp_path / name,
            server="https://cluster.example",
            token_key=tmp_path / "key",
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )

    return take


def found(captured: Captured) -> list[tuple[str, int, str]]:
    records = Snapshot.open(captured.path).helm_records()
    told = [(record.release, record.revision, record.driver) for record in records]
    assert told == sorted((it.release, it.revision, it.driver) for it in captured.helm_records)
    return told


ALL = [("batch", 1, "configmap"), *(("kueue", n, "secret") for n in range(1, 31))]


def test_both_drivers_are_read_in_small_pages(take: Take, cluster: FakeCluster) -> None:
    assert found(take()) == ALL
    queries = [(path, query) for path, query in cluster.requests if path in {SECRETS, CONFIG_MAPS}]
    asked = [(path, query.get("fieldSelector"), query["limit"], query["labelSelector"]) for path, query in queries]
    assert asked == [
        (SECRETS, "type=helm.sh/release.v1", "20", "owner=helm"),
        (SECRETS, "type=helm.sh/release.v1", "20", "owner=helm"),
        (CONFIG_MAPS, None, "20", "owner=helm"),
    ]


@pytest.mark.parametrize("path", [SECRETS, CONFIG_MAPS])
def test_a_list_that_began_again_is_there_once(take: Take, cluster: FakeCluster, path: str) -> None:
    whole = take("whole")
    cluster.fail(path, *([usual] if path == SECRETS else []), answering(410))
    again = take("again")
    assert found(again) == ALL
    assert again.digest == whole.digest


def test_a_list_that_breaks_off_takes_the_records_of_its_driver_only(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(SECRETS, usual, answering(500))
    captured = take()
    assert found(captured) == [("batch", 1, "configmap")]
    assert [failure.what for failure in captured.failures] == ["secrets"]
    assert not captured.complete


def test_without_the_right_to_configmaps_the_rule_is_named(take: Take, cluster: FakeCluster) -> None:
    cluster.fail(CONFIG_MAPS, answering(403))
    captured = take()
    assert found(captured) == ALL[1:]
    (failure,) = captured.failures
    assert '{apiGroups: [""], resources: [configmaps], verbs: [list]}' in failure.remedy
    assert not captured.complete


def test_a_record_that_is_known_to_be_foreign_does_not_spoil_the_snapshot(take: Take, cluster: FakeCluster) -> None:
    cluster.lists[SECRETS].append(secret(foreign(version=2), data=BROKEN))
    captured = take()
    assert captured.complete
    snapshot = Snapshot.open(captured.path)
    assert snapshot.whole
    (failure,) = snapshot.failures
    assert (failure.what, failure.foreign) == ("Secret kueue-system/sh.helm.release.v1.web.v2", True)


@pytest.mark.parametrize("name", ["kueue", "nobody-has-seen-it"])
def test_a_record_of_kueue_or_of_nobody_knows_what_does(take: Take, cluster: FakeCluster, name: str) -> None:
    cluster.lists[CONFIG_MAPS].append(config_map(foreign(name=name, version=99), data=BROKEN))
    captured = take()
    assert not captured.complete
    (failure,) = captured.failures
    assert failure == Failure(
        what=f"ConfigMap kueue-system/sh.helm.release.v1.{name}.v99",
        reason="holds no readable Helm release record: not base64",
        remedy="see with `helm history` whether Helm can still read it; if it is not needed, remove the ConfigMap",
    )


def test_what_lies_there_is_readable_as_files(take: Take) -> None:
    folder = take().path / "helm/kueue-system/kueue/v7"
    assert sorted(path.name for path in folder.iterdir()) == [
        "computed.yaml", "hooks.yaml", "manifest.yaml", "release.json", "values.yaml",
    ]  # fmt: skip
    info: dict[str, Any] = json.loads((folder / "release.json").read_bytes())
    assert (info["revision"], info["driver"], info["description"]) == (7, "secret", "Install complete")
    assert "weight: -5\n" in (folder / "hooks.yaml").read_text()


@pytest.mark.parametrize("source", ["cluster", "files"])
@pytest.mark.parametrize(("place", "complete"), [("web", True), ("batch-system", False), ("marked", False)])
def test_an_unreadable_record_of_a_stranger_leaves_nothing_out(
    take: Take, cluster: FakeCluster, tmp_path: Path, source: str, place: str, complete: bool
) -> None:
    """Beside a manager, or where a queue is marked as the release's, it could be Kueue's, whatever it is called."""
    marks = {"meta.helm.sh/release-name": "platform", "meta.helm.sh/release-namespace": "elsewhere"}
    owned = queue("shared") | {"metadata": {"name": "shared", "annotations": marks if place == "marked" else {}}}
    broken = secret(foreign(name="platform"), data=BROKEN, namespace=place)
    manager = deployment("boss", "mirror.example/kueue/kueue:v0.12.2", "batch-system")
    if source == "cluster":
        cluster.lists[SECRETS] = [broken]
        put(cluster, deployments=[manager])
        cluster.add(owned)
        captured = take()
    else:
        (tmp_path / "a.json").write_text("\n".join(map(json.dumps, (broken, owned, manager))))
        captured = collect_files(
            [str(tmp_path / "a.json")],
            tmp_path / "s",
            token_key=None,
            stdin=None,
            progress=Silence(),
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )
    (failure,) = captured.failures
    assert failure.what == f"Secret {place}/sh.helm.release.v1.platform.v1"
    assert failure.foreign is complete
    assert captured.complete is complete
