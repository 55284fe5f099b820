"""What one of two snapshots has not read is told as not compared, and is never a difference."""

from pathlib import Path
from typing import Any

import pytest

from comparing import bare, compared, local, queue, told, workload
from kueuelift.kinds import BY_NAME
from kueuelift.model import Failure, KubernetesObject
from kueuelift_snapshot.comparison_text import to_dict
from snapshot_maker import Cluster, crds_of, helm_record


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


def obj(kind: str, name: str, namespace: str = "kueue-system", **fields: Any) -> KubernetesObject:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"namespace": namespace, "name": name}, **fields}


RBAC, HOOKS = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"
DERIVED = [
    ("installation/endpoints", "endpointslices.discovery.k8s.io"),
    ("installation/endpoints", "services"),
    ("installation/endpoints", f"validatingwebhookconfigurations.{HOOKS}"),
    ("installation/services", "deployments.apps"),
    ("installation/configmaps", "deployments.apps"),
    ("installation/deployments.apps", "services"),
    (f"installation/clusterrolebindings.{RBAC}", f"clusterroles.{RBAC}"),
    (f"installation/rolebindings.{RBAC}", "deployments.apps"),
    (f"installation/validatingadmissionpolicybindings.{HOOKS}", f"validatingadmissionpolicies.{HOOKS}"),
    ("installation/networkpolicies.networking.k8s.io", "apiservices.apiregistration.k8s.io"),
    ("installation/served", "/apis"),
    ("gitops/kustomizations.kustomize.toolkit.fluxcd.io", "clusterqueues.kueue.x-k8s.io"),
    ("gitops/helmreleases.helm.toolkit.fluxcd.io", "secrets"),
    ("running/jobs.batch", "workloads.kueue.x-k8s.io"),
    ("running/rayjobs.ray.io", "deployments.apps"),
    ("dependents/podtemplates", "provisioningrequests.autoscaling.x-k8s.io"),
]


@pytest.mark.parametrize(("place", "source"), DERIVED)
@pytest.mark.parametrize("swapped", [False, True])
def test_what_is_found_through_an_unread_list_is_never_added_or_removed(
    tmp_path: Path, place: str, source: str, swapped: bool
) -> None:
    whole = Cluster(parts={place: [obj("X", "a"), obj("X", "b")]})
    lost = Cluster(parts={place: [obj("X", "b")]}, failures=[Failure(what=source, reason="403: no")])
    found = compared(tmp_path, *((lost, whole) if swapped else (whole, lost)))
    assert (found.exit_code, found.changes) == (3, ())
    (gap,) = (gap for gap in found.gaps if gap.what == place)
    assert (
        gap.reason == f"1 object of one of the two only: found through {source}, not read in {'A' if swapped else 'B'}"
    )


@pytest.mark.parametrize(("place", "source"), DERIVED)
def test_what_both_have_is_compared_all_the_same(tmp_path: Path, place: str, source: str) -> None:
    one = Cluster(parts={place: [obj("X", "a", x=1)]})
    lost = Cluster(parts={place: [obj("X", "a", x=2)]}, failures=[Failure(what=source, reason="403: no")])
    assert told(compared(tmp_path, one, lost)) == [f"~ {place} kueue-system/a", "~ x: 1 -> 2"]


@pytest.mark.parametrize(("place", "source"), [*DERIVED, ("installation/namespaces", "services")])
def test_a_failure_elsewhere_hides_no_difference(tmp_path: Path, place: str, source: str) -> None:
    """Of what has nothing to do with Kueue, or of no matter for this part."""
    whole = Cluster(parts={place: [obj("X", "a")]})
    foreign = Failure(what=source, reason="damaged", foreign=place != "installation/namespaces")
    found = compared(tmp_path, whole, Cluster(parts={place: []}, failures=[foreign]))
    assert told(found) == [f"- {place} kueue-system/a"]


def owners(count: int) -> KubernetesObject:
    return {"apiVersion": "kueuelift/v1", "kind": "Owners", "metadata": {"name": "owners"}, "count": count}


@pytest.mark.parametrize(
    ("side", "reason"),
    [
        ({"failures": [Failure(what="localqueues.kueue.x-k8s.io", reason="403: no")]}, "localqueues.kueue.x-k8s.io"),
        ({"header": {"unseen": ["issuers.cert-manager.io"]}}, "issuers.cert-manager.io"),
        ({"narrowed": ["--namespaces=a"]}, "all that was read, which is not the same in both"),
        ({"narrowed": ["--kinds=cohorts"]}, "all that was read, which is not the same in both"),
    ],
)
def test_owners_are_not_counted_where_not_all_was_read(tmp_path: Path, side: dict[str, Any], reason: str) -> None:
    kustomization = [obj("Kustomization", "queues")]
    place = "gitops/kustomizations.kustomize.toolkit.fluxcd.io"
    one = Cluster(parts={"gitops/owners": [owners(5)], place: kustomization})
    found = compared(tmp_path, one, Cluster(parts={"gitops/owners": [owners(4)], place: []}, **side))
    assert found.changes == ()
    reasons = {gap.what: gap.reason for gap in found.gaps}
    assert reason in reasons["gitops/owners"]
    assert reason in reasons[place]


def test_owners_are_counted_whatever_runs(tmp_path: Path) -> None:
    one = Cluster(parts={"gitops/owners": [owners(5)]})
    other = Cluster(parts={"gitops/owners": [owners(4)]}, header={"without": ["running"]}, narrowed=["--no-workloads"])
    assert told(compared(tmp_path, one, other)) == ["~ gitops/owners owners", "~ count: 5 -> 4"]


def test_some_kinds_alone(tmp_path: Path) -> None:
    deployment = {"installation/deployments.apps": [obj("Deployment", "m")]}
    one = Cluster(objects=[queue(), local("a"), workload("w")], parts=deployment)
    two = Cluster(objects=[queue(cohort="c")], crds=crds_of("0.17.0"), records=())
    found = compared(tmp_path, one, two, kinds=(BY_NAME["ClusterQueue"],))
    # What is not said has the default of the CRD that each side holds.
    default = '~ spec.flavorFungibility.whenCanBorrow: "Borrow" -> "MayStopSearch"'
    assert sorted(told(found)) == sorted(["~ ClusterQueue a", '+ spec.cohort: "c"', default])
    assert found.notes == ("--kinds=clusterqueues: nothing else is compared",)
    assert {tally.what for tally in found.tallies} == {"ClusterQueue"}


def test_kinds_that_were_not_taken_are_no_answer(tmp_path: Path) -> None:
    some = Cluster(objects=[local("a")], narrowed=["--kinds=localqueues"])
    found = compared(tmp_path, some, some, kinds=(BY_NAME["ClusterQueue"],))
    (gap,) = found.gaps
    assert (found.exit_code, gap.what, gap.reason) == (3, "ClusterQueue", "left out of both by an option")
    one_of = compared(tmp_path, some, Cluster(objects=[queue()]), kinds=(BY_NAME["ClusterQueue"],))
    assert one_of.exit_code == 3
    none = Cluster(crds={"cohorts": crds_of("0.12.2")["cohorts"]})
    absent = compared(tmp_path, none, none, kinds=(BY_NAME["ClusterQueue"],))
    assert (absent.exit_code, absent.gaps[0].reason) == (0, "neither of the two has the kind")
