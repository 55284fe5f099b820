"""Two snapshots are compared by meaning: what differs is told, what was not looked at too, and nothing else."""

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kueuelift import format_schema
from kueuelift.errors import RefusedError
from kueuelift.model import Failure, KubernetesObject
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import Snapshot
from kueuelift_snapshot.comparison import compare
from kueuelift_snapshot.comparison_result import Comparison, Side
from kueuelift_snapshot.comparison_text import text, to_dict
from snapshot_maker import Cluster, crds_of, helm_record, legacy_cluster, make_snapshot

KEYS = TokenKey(b"1" * 32), TokenKey(b"2" * 32)


def compared(folder: Path, before: Cluster, after: Cluster, *, show_volatile: bool = False) -> Comparison:
    sides = []
    for name, cluster in (("A", before), ("B", after)):
        place = folder / f"{name}{len(list(folder.iterdir()))}"
        make_snapshot(place, cluster)
        sides.append(Side(name=name, snapshot=Snapshot.open(place)))
    found = compare(sides[0], sides[1], show_volatile=show_volatile)
    format_schema.check("comparison", to_dict(found))
    assert "\n".join(text(found, lambda _, line: line))
    return found


def told(found: Comparison) -> list[str]:
    """Each change as the text has it, and each edit of it."""
    lines = "\n".join(text(found, lambda _, line: line)).split("\n\n")
    return [line.strip() for block in lines for line in block.splitlines() if line.strip()[0] in "~+-"][2:]


def queue(name: str = "a", **spec: Any) -> KubernetesObject:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"namespaceSelector": {}, **spec},
    }


def local(namespace: str, name: str = "main", **labels: str) -> KubernetesObject:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "LocalQueue",
        "metadata": {"namespace": namespace, "name": name} | ({"labels": labels} if labels else {}),
        "spec": {"clusterQueue": "a"},
    }


def workload(name: str, namespace: str = "team-a", **spec: Any) -> KubernetesObject:
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": []}}}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"queueName": "main", "podSets": [pods], **spec},
    }


def groups(quota: Any) -> list[KubernetesObject]:
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    return [{"coveredResources": ["cpu"], "flavors": [flavor]}]


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


def test_a_definition_without_its_shape_is_refused(tmp_path: Path) -> None:
    crds = crds_of("0.12.2")
    crds["clusterqueues"]["spec"]["versions"][0]["schema"] = {}
    with pytest.raises(RefusedError, match=r"crds/clusterqueues\.yaml: spec\.versions\[\]\.schema\.openAPIV3Schema"):
        compared(tmp_path, Cluster(crds=crds, objects=[queue()], raw=True), Cluster(objects=[queue("a", cohort="b")]))


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


def test_with_two_keys_hidden_values_are_counted_and_the_rest_is_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[1], "y"))
    assert (found.exit_code, found.tokens, found.tokens_compared) == (0, 2, False)
    assert found.notes == ("A and B hide secrets with different keys: hidden values are not compared",)
    found = compared(tmp_path, secret(KEYS[0], "x"), secret(KEYS[1], "x", cohort="c"))
    assert told(found) == ["~ ClusterQueue a", '+ spec.cohort: "c"']
    assert found.tokens == 2


def test_an_incomplete_side_is_never_0(tmp_path: Path) -> None:
    whole = Cluster(objects=[queue(), local("ml")])
    lost = Cluster(objects=[queue()], failures=[Failure(what="localqueues.kueue.x-k8s.io", reason="403: no")])
    found = compared(tmp_path, whole, lost)
    assert (found.exit_code, found.changes) == (3, ())
    assert [(gap.what, gap.reason) for gap in found.gaps] == [("localqueues.kueue.x-k8s.io", "not in B: 403: no")]
    assert "LocalQueue" not in {tally.what for tally in found.tallies}


def test_an_unreadable_helm_record_is_no_removed_one(tmp_path: Path) -> None:
    records = [helm_record("0.12.2", revision=1, status="superseded"), helm_record("0.12.2", revision=2)]
    lost = Failure(what="Secret kueue-system/sh.helm.release.v1.kueue.v1", reason="its gzip stream is damaged")
    found = compared(tmp_path, Cluster(records=records), Cluster(records=records[1:], failures=[lost]))
    assert (found.exit_code, found.changes) == (3, ())


def test_a_foreign_failure_is_told_and_nothing_is_missing(tmp_path: Path) -> None:
    lost = Failure(what="Secret x/sh.helm.release.v1.other.v1", reason="damaged", foreign=True)
    found = compared(tmp_path, Cluster(), Cluster(failures=[lost], header={"complete": True}))
    assert (found.exit_code, len(found.gaps)) == (0, 1)


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


def test_parts_are_compared_and_what_may_not_be_asked_is_no_difference(tmp_path: Path) -> None:
    def deployment(image: str) -> KubernetesObject:
        spec = {"template": {"spec": {"containers": [{"name": "manager", "image": image}]}}}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"namespace": "k", "name": "m"},
            "spec": spec,
        }

    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "x", "name": f"p{n}"}} for n in range(3)]
    one = Cluster(parts={"installation/deployments.apps": [deployment("a")], "running/pods": pods})
    two = Cluster(parts={"installation/deployments.apps": [deployment("b")]}, header={"unseen": ["pods"]})
    found = compared(tmp_path, one, two)
    assert told(found) == [
        "~ installation/deployments.apps k/m",
        '~ spec.template.spec.containers[name=manager].image: "a" -> "b"',
    ]
    assert [gap.what for gap in found.gaps] == ["pods"]
    without = compared(tmp_path, one, Cluster(header={"without": ["running"]}))
    assert [gap.what for gap in without.gaps] == ["running/pods"]
    assert "B was taken with --no-running: nothing else is compared" in without.notes


def test_of_two_scopes_what_both_hold_is_compared(tmp_path: Path) -> None:
    whole = Cluster(objects=[queue(), local("a"), local("b"), workload("w")])
    some = Cluster(objects=[local("a", team="x")], narrowed=["--namespaces=a,c", "--kinds=localqueues"])
    found = compared(tmp_path, whole, some)
    assert told(found) == ["~ LocalQueue a/main", '+ metadata.labels: {"team": "x"}']
    assert {gap.what for gap in found.gaps} >= {"ClusterQueue", "Workload"}
    assert found.notes == ("B was taken with --namespaces=a,c --kinds=localqueues: nothing else is compared",)


def test_what_options_do_not_narrow_is_compared_whatever_they_are(tmp_path: Path) -> None:
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "kueue-system", "name": "m"}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "b", "name": "j"}}
    owners = {"apiVersion": "kueuelift/v1", "kind": "Owners", "metadata": {"name": "owners"}}
    parts = {"installation/deployments.apps": [deployment], "running/jobs.batch": [job], "gitops/owners": [owners]}
    none = dict.fromkeys(parts, ())
    found = compared(tmp_path, Cluster(parts=parts), Cluster(parts=none, narrowed=["--namespaces=a"]))
    assert told(found) == ["- installation/deployments.apps kueue-system/m"]
    assert [gap.what for gap in found.gaps] == ["gitops/owners"]
    without = compared(tmp_path, Cluster(parts=parts), Cluster(parts=none, narrowed=["--no-workloads"]))
    assert "running/jobs.batch" in {gap.what for gap in without.gaps}


def test_crds_by_spec_and_stored_versions(tmp_path: Path) -> None:
    found = compared(tmp_path, Cluster(), Cluster(crds=crds_of("0.12.2", also_stored="v1beta9")))
    assert {change.what for change in found.changes} == {"CustomResourceDefinition"}
    assert all(line.startswith(("~ Custom", "+ status.storedVersions[1]")) for line in told(found))


def test_two_versions_are_compared_by_what_they_have_alike(tmp_path: Path) -> None:
    crds = crds_of("0.17.0")
    new = queue("a", stopPolicy="Hold") | {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    new["spec"]["cohortName"] = "c"
    found = compared(tmp_path, Cluster(crds=crds, objects=[queue(cohort="c")]), Cluster(crds=crds, objects=[new]))
    assert told(found) == ["~ ClusterQueue a", '~ spec.stopPolicy: "None" -> "Hold"']
    (gap,) = found.gaps
    assert gap.reason == "not alike in v1beta1 (A) and v1beta2 (B)"
    assert {"spec.cohort", "spec.cohortName"} <= set(gap.what.removeprefix("ClusterQueue: ").split(", "))
    assert "spec.stopPolicy" not in gap.what
    del new["spec"]["stopPolicy"]
    same = compared(tmp_path, Cluster(crds=crds, objects=[queue(cohort="c")]), Cluster(crds=crds, objects=[new]))
    assert (same.exit_code, same.changes) == (3, ())
    (told_gap,) = to_dict(same)["notCompared"]
    assert (told_gap["versions"], told_gap["incomplete"]) == (True, False)


def test_manifests_and_a_cluster(tmp_path: Path) -> None:
    """Case 34: what only a cluster adds, and kinds that nobody wrote, are no differences."""
    live = queue(cohort="c")
    live["metadata"]["finalizers"] = ["kueue.x-k8s.io/resource-in-use"]
    live |= {"status": {"pendingWorkloads": 1}}
    manifests = bare([queue(cohort="c")])
    none = {"uid": "", "version": ""}
    manifests.header = {"origin": "files", "cluster": none, "narrowed": ["--from"], "without": ["running"]}
    found = compared(tmp_path, manifests, Cluster(objects=[live, workload("w"), local("a")]))
    assert "A was taken with --from: nothing else is compared" in found.notes
    assert (found.exit_code, found.changes) == (0, ())
    assert {gap.what for gap in found.gaps} >= {"CustomResourceDefinition", "LocalQueue", "Workload", "Helm release"}
    assert {"status", "metadata.finalizers"} <= {hidden.field for hidden in found.hidden}


def test_another_cluster_is_said(tmp_path: Path) -> None:
    other = Cluster(header={"cluster": {"uid": "other", "version": "v1.35.4"}})
    assert compared(tmp_path, Cluster(), other).notes[0].startswith("two clusters: A is of 6f1c")


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


def bare(objects: Sequence[KubernetesObject]) -> Cluster:
    """Objects as they are given, without the CRDs that take long to read."""
    cluster = Cluster(objects=objects, raw=True, records=())
    cluster.release = ""
    return cluster


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
