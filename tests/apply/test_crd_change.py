"""What a replaced CRD keeps of the live one."""

from typing import Any

import pytest

from fake_live import FakeLive
from kueuelift import crd as crds
from kueuelift.crd import ServiceReference
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_PLURAL
from kueuelift.model import KubernetesObject
from kueuelift_apply import crd_change
from kueuelift_apply.live import crd_path

SERVICE = ServiceReference(namespace="kueue-system", name="kueue-webhook-service")
OWNER = {"namespace": "kueue-system", "name": "kueue"}
COHORTS = BY_PLURAL["cohorts"]


def live_crd(release: str, plural: str, ca_bundle: str = "", **metadata: Any) -> KubernetesObject:
    crd = crds.bundled(release, service=SERVICE)[plural]
    if ca_bundle:
        crd["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = ca_bundle
    crd["metadata"] |= {"resourceVersion": "7", **metadata}
    crd["status"] = {"storedVersions": [crds.storage_version(crd)], "conditions": []}
    return crd


def replaced(current: KubernetesObject, *others: KubernetesObject) -> KubernetesObject:
    wanted = crds.bundled("0.17.0", service=SERVICE)["cohorts"]
    live = FakeLive({crd_path(BY_PLURAL[crds.plural(crd)]): crd for crd in (current, *others)})
    crd_change.replace(live.as_live(), wanted, OWNER)
    return live.objects[crd_path(COHORTS)]


def test_the_live_ca_bundle_is_carried_over() -> None:
    new = replaced(live_crd("0.16.0", "cohorts", "TEFWRQ=="))
    assert new["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] == "TEFWRQ=="
    assert crds.versions(new) == ("v1beta1", "v1beta2")


def test_after_a_bridge_another_crd_of_the_same_service_lends_its_ca_bundle() -> None:
    bridged = live_crd("0.16.0", "cohorts")
    bridged["spec"]["conversion"] = {"strategy": "None"}
    new = replaced(bridged, live_crd("0.12.2", "clusterqueues", "T1RIRVI="))
    assert new["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] == "T1RIRVI="


def test_injection_marks_and_foreign_annotations_stay_and_no_owner_is_replaced() -> None:
    annotations = {"cert-manager.io/inject-ca-from": "ns/cert", "meta.helm.sh/release-name": "hopsworks"}
    new = replaced(live_crd("0.16.0", "cohorts", annotations=dict(annotations)))
    assert new["metadata"]["annotations"] == annotations


def test_a_crd_of_no_release_becomes_part_of_the_plans() -> None:
    new = replaced(live_crd("0.16.0", "cohorts"))
    assert new["metadata"]["annotations"]["meta.helm.sh/release-name"] == "kueue"
    assert new["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "Helm"


def test_a_version_in_which_objects_are_stored_is_never_dropped() -> None:
    wanted = {"cohorts": crds.bundled("0.17.0", service=SERVICE)["cohorts"]}
    with pytest.raises(RefusedError, match=r"cohorts.*storedVersions has v1alpha1"):
        crd_change.refuse_unreadable({"cohorts": live_crd("0.12.2", "cohorts")}, wanted)


@pytest.mark.parametrize(
    ("live", "wanted", "answer"),
    [
        ({"a": 1, "added": True}, {"a": 1}, True),
        ({"a": [{"x": 1, "y": 2}]}, {"a": [{"x": 1}]}, True),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({}, {"a": None}, False),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, False),
    ],
)
def test_covers(live: Any, wanted: Any, answer: bool) -> None:
    assert crd_change.covers(live, wanted) is answer
