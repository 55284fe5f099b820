"""Two snapshots are compared by meaning: what differs is told by object and field, and nothing else."""

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from comparing import KEYS, bare, compared, groups, local, queue, told, workload
from kueuelift.model import KubernetesObject
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.comparison import compare
from kueuelift_snapshot.comparison_result import Side
from kueuelift_snapshot.comparison_text import text, to_dict
from snapshot_maker import CLUSTER, Cluster, crds_of, helm_record, legacy_cluster, make_snapshot


def test_a_snapshot_is_as_itself(tmp_path: Path) -> None:
    cluster = legacy_cluster()
    found = compared(tmp_path, cluster, cluster)
    assert (found.exit_code, found.changes, found.hidden, found.gaps, found.notes) == (0, (), (), (), ())
    assert sum(tally.same for tally in found.tallies) == len(cluster.objects) + len(crds_of("0.12.2")) + 1
    assert "no differences: " in "\n".join(text(found, lambda _, line: line))


def test_each_kind_of_change_is_told_by_object_and_field(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        Cluster(objects=[queue(resourceGroups=groups("12000m")), queue("gone"), local("ml")]),
        Cluster(objects=[queue(resourceGroups=groups(13)), queue("new"), local("ml", team="x")]),
    )
    assert told(found) == [
        "~ ClusterQueue a",
        '~ spec.resourceGroups[0].flavors[name=f].resources[name=cpu].nominalQuota: "12000m" -> 13',
        "+ ClusterQueue new",
        "- ClusterQueue gone",
        "~ LocalQueue ml/main",
        '+ metadata.labels: {"team": "x"}',
    ]
    assert found.exit_code == 1


def test_what_means_the_same_is_the_same(tmp_path: Path) -> None:
    """Cases 32 and 34: another spelling of a quantity, and what the schema would have filled in."""
    one, two = queue(resourceGroups=groups("0.5Gi")), queue(resourceGroups=groups("512Mi"), stopPolicy="None")
    found = compared(tmp_path, Cluster(objects=[one], raw=True), Cluster(objects=[two]))
    assert [change for change in found.changes if change.what == "ClusterQueue"] == []
    assert found.exit_code == 0


def test_volatile_fields_are_hidden_and_counted_or_shown(tmp_path: Path) -> None:
    def cluster(number: int) -> Cluster:
        obj = queue()
        obj["metadata"] |= {"uid": f"u{number}", "resourceVersion": f"{number}", "managedFields": [{"time": number}]}
        condition = {"type": "Active", "status": "True", "lastTransitionTime": f"2026-01-0{number}T00:00:00Z"}
        return Cluster(objects=[obj | {"status": {"conditions": [condition]}}], raw=True)

    found = compared(tmp_path, cluster(1), cluster(2))
    assert found.exit_code == 0
    assert {hidden.field: hidden.objects for hidden in found.hidden} == {
        "metadata.uid": 1,
        "metadata.resourceVersion": 1,
        "metadata.managedFields": 1,
        "status..lastTransitionTime": 1,
    }
    shown = compared(tmp_path, cluster(1), cluster(2), show_volatile=True)
    assert (shown.exit_code, shown.hidden) == (1, ())
    assert '~ metadata.uid: "u1" -> "u2"' in told(shown)


def secret(key: TokenKey, value: str, **spec: Any) -> Cluster:
    obj = queue(**spec)
    obj["metadata"]["annotations"] = {"password": key.token(value), "url": f"https://u:{key.token(value)}@host"}
    return Cluster(objects=[obj], header={"redaction": {"mode": "token", "keyId": key.identity, "paths": {}}})


def test_with_one_key_a_changed_secret_is_told_and_never_shown(tmp_path: Path) -> None:
    assert compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[0], "x")).exit_code == 0
    found = compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[0], "y"))
    assert told(found) == [
        "~ ClusterQueue a",
        '~ metadata.annotations.password: "(hidden)" -> "(hidden)" (another hidden value)',
        '~ metadata.annotations.url: "https://u:(hidden)@host" -> "https://u:(hidden)@host" (another hidden value)',
    ]
    assert "kueuelift-token" not in str(to_dict(found))


def test_with_two_keys_hidden_values_are_counted_and_are_no_answer(tmp_path: Path) -> None:
    found = compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[1], "y"))
    assert (found.exit_code, found.tokens, found.tokens_compared) == (3, 2, False)
    assert found.notes == ("A and B hide secrets with different keys: hidden values are not compared",)
    headline = next(line for line in text(found, lambda _, line: line) if line.startswith("no difference"))
    assert headline.startswith("no differences in what could be compared: ")
    assert headline.endswith("; 2 values hidden and not compared (give both snapshots the same --token-key)")
    assert to_dict(found)["tokens"] == {"compared": False, "notCompared": 2}


def test_with_two_keys_the_rest_is_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[1], "x", cohort="c"))
    assert told(found) == ["~ ClusterQueue a", '+ spec.cohort: "c"']
    assert (found.exit_code, found.tokens) == (1, 2)
    assert "(give both snapshots the same --token-key)" in "\n".join(text(found, lambda _, line: line))


def test_two_keys_are_of_no_matter_where_nothing_is_hidden(tmp_path: Path) -> None:
    clear = Cluster(objects=[queue()], header={"redaction": {"mode": "token", "keyId": "f" * 16, "paths": {}}})
    found = compared(tmp_path, Cluster(objects=[queue()]), clear)
    assert (found.exit_code, found.tokens, found.notes) == (0, 0, ())


def identified(uid: str, cluster: str = CLUSTER, **spec: Any) -> Cluster:
    obj = queue(**spec)
    obj["metadata"]["uid"] = uid
    return Cluster(objects=[obj], raw=True, header={"cluster": {"uid": cluster, "version": "v1.35.4"}})


def test_an_object_that_was_made_again_says_so_itself(tmp_path: Path) -> None:
    found = compared(tmp_path, identified("u1"), identified("u2"))
    lines = list(text(found, lambda _, line: line))
    assert lines[lines.index("= ClusterQueue a") + 1] == "    re-created: uid u1 -> u2"
    assert any("1 of them re-created" in line for line in lines)
    assert (found.exit_code, [change.how for change in found.changes]) == (0, ["re-created"])
    changed = compared(tmp_path, identified("u1"), identified("u2", cohort="c"))
    lines = list(text(changed, lambda _, line: line))
    assert lines[lines.index("~ ClusterQueue a") + 1] == "    re-created: uid u1 -> u2"
    assert (changed.exit_code, len(changed.changes)) == (1, 1)


def test_in_another_cluster_every_uid_is_another_one(tmp_path: Path) -> None:
    assert compared(tmp_path, identified("u1"), identified("u2", cluster="other")).changes == ()
    assert compared(tmp_path, identified("u1"), identified("u2", cluster="")).changes == ()


def test_many_that_were_made_again_are_told_once(tmp_path: Path) -> None:
    clusters = []
    for side in "AB":
        objects = [workload(f"run-{number:02d}") for number in range(50)]
        for obj in objects:
            obj["metadata"]["uid"] = f"{side}-{obj['metadata']['name']}"
        clusters.append(Cluster(objects=objects, raw=True))
    (change,) = compared(tmp_path, *clusters).changes
    assert (change.how, change.count, change.notes) == ("re-created", 50, ("re-created",))


def with_status(text: str, **spec: Any) -> Cluster:
    return Cluster(objects=[queue(**spec) | {"status": {"reason": text}}], raw=True)


def test_status_is_left_out_where_that_is_wished(tmp_path: Path) -> None:
    assert compared(tmp_path, with_status("x"), with_status("y")).exit_code == 1
    found = compared(tmp_path, with_status("x"), with_status("y"), status=False)
    assert (found.exit_code, found.changes) == (0, ())
    assert [(it.field, it.objects, it.reason) for it in found.hidden] == [("status", 1, "left out by --no-status")]
    found = compared(tmp_path, with_status("x"), with_status("y", cohort="c"), status=False)
    assert told(found) == ["~ ClusterQueue a", '+ spec.cohort: "c"']
    shown = compared(tmp_path, with_status("x"), with_status("y"), status=False, show_volatile=True)
    assert shown.changes == ()


def test_new_revisions_and_changed_values_of_helm(tmp_path: Path) -> None:
    old, new = helm_record("0.12.2", revision=2), helm_record("0.17.0", revision=3, values={"x": None})
    found = compared(
        tmp_path,
        Cluster(records=[old, helm_record("0.12.2", revision=1, values={"x": 1})]),
        Cluster(
            records=[helm_record("0.12.2", revision=2, status="superseded"), new, helm_record("0.12.2", revision=1)]
        ),
    )
    assert told(found) == [
        "~ Helm release kueue-system/kueue revision 1 (deployed, kueue 0.12.2)",
        "- values.x: 1",
        "~ Helm release kueue-system/kueue revision 2 (superseded, kueue 0.12.2)",
        '~ status: "deployed" -> "superseded"',
        "+ Helm release kueue-system/kueue revision 3 (deployed, kueue 0.17.0)",
    ]


def test_many_alike_are_told_once(tmp_path: Path) -> None:
    names = [f"run-{number:04d}" for number in range(300)]
    found = compared(
        tmp_path,
        Cluster(objects=[workload(name) for name in names]),
        Cluster(objects=[workload(name, active=False) for name in names[:200]] + [workload("x")]),
    )
    assert told(found) == [
        "~ Workload team-a/run-0000, team-a/run-0001, team-a/run-0002, … (200)",
        "~ spec.active: true -> false",
        "+ Workload team-a/x",
        "- Workload team-a/run-0200, team-a/run-0201, team-a/run-0202, … (100)",
    ]
    assert all(len(change.objects) <= 10 for change in found.changes)


def test_many_that_differ_each_in_its_own_way_are_counted_by_field(tmp_path: Path) -> None:
    names = [f"run-{number:04d}" for number in range(100)]
    found = compared(
        tmp_path,
        Cluster(objects=[workload(name) for name in names]),
        Cluster(objects=[workload(name, priority=number) for number, name in enumerate(names)]),
    )
    assert sum(change.count for change in found.changes) == 100
    assert len(found.changes) == 6
    assert [change.fields for change in found.changes if change.fields] == [("spec.priority",)]


def test_configuration_names_every_object(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        Cluster(objects=[local(f"ns-{number}") for number in range(30)]),
        Cluster(objects=[local(f"ns-{number}", team="x") for number in range(30)]),
    )
    (change,) = found.changes
    assert len(change.objects) == change.count == 30


def test_lines_out_of_order_are_paired_nevertheless(tmp_path: Path) -> None:
    objects = [workload(f"run-{number}", namespace) for namespace in ("a", "a-b") for number in range(50)]
    shuffled = objects[:]
    random.Random(1).shuffle(shuffled)
    found = compared(tmp_path, Cluster(objects=objects), Cluster(objects=shuffled[1:]))
    assert [(change.how, change.count) for change in found.changes] == [("removed", 1)]


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    one, two = queue(), queue()
    two["metadata"]["labels"] = {"\x1b[2J\u202e": "\x1b[31m\x9b"}
    found = compared(tmp_path, Cluster(objects=[one], raw=True), Cluster(objects=[two], raw=True))
    assert all(line.isprintable() for line in text(found, lambda _, line: line))


SPARED = {
    "observedGeneration",
    "managedFields",
    "type",
    "apiVersion",
    "kind",
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every text and number that a mutation may change: no identity, nothing volatile, no key of a list."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in SPARED and not str(key).startswith("last"):
                yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield path


def change_at(value: Any, path: tuple[Any, ...]) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = f"{value[path[-1]]}9"


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sequence[KubernetesObject], Path]:
    objects, folder = legacy_cluster(6).objects, tmp_path_factory.mktemp("diff")
    make_snapshot(folder / "A", bare(objects))
    return objects, folder


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_single_change_is_found_and_nothing_else(
    seeded: tuple[Sequence[KubernetesObject], Path], data: st.DataObject
) -> None:
    objects, folder = seeded
    number = data.draw(st.integers(0, len(objects) - 1))
    paths = sorted(leaves(objects[number]), key=str)
    assume(paths)
    mutated = list(deepcopy(objects))
    change_at(mutated[number], data.draw(st.sampled_from(paths)))
    place = folder / f"B{len(list(folder.iterdir()))}"
    make_snapshot(place, bare(mutated))
    found = compare(*(Side(name=it.name, snapshot=Snapshot.open(it)) for it in (folder / "A", place)))
    (change,) = found.changes
    name = objects[number]["metadata"]["name"]
    assert (change.what, change.count) == (objects[number]["kind"], 1)
    assert change.objects[0].split("/")[-1] == name
    assert len({edit.path.split("[")[0] for edit in change.edits}) == 1
