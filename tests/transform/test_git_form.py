"""What `Conversion.move` gives for Git: fields moved in their places, values as they were written."""

from typing import Any

import pytest

from kueuelift.kinds import api_version
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import conversion_for

RELEASE = Release.parse("0.18.1")


def moved(kind: str, source: str = "v1beta1", **body: Any) -> KubernetesObject:
    conversion = conversion_for(kind, source)
    assert conversion is not None
    obj = {"apiVersion": api_version(source), "kind": kind, "metadata": {"name": "x"}, **body}
    answer = conversion.move(obj, RELEASE)
    assert answer["apiVersion"] == api_version("v1beta2")
    return {key: value for key, value in answer.items() if key not in {"apiVersion", "kind", "metadata"}}


def test_quantities_and_empties_stay_as_written() -> None:
    spec: dict[str, Any] = {
        "cohort": "c",
        "resourceGroups": [],
        "fairSharing": {"weight": "1000m"},
        "namespaceSelector": None,
    }
    assert moved("ClusterQueue", spec=spec) == {
        "spec": {
            "cohortName": "c",
            "resourceGroups": [],
            "fairSharing": {"weight": "1000m"},
            "namespaceSelector": None,
        }
    }


def test_a_renamed_field_keeps_its_place() -> None:
    spec = {"queueingStrategy": "StrictFIFO", "cohort": "c", "stopPolicy": "None"}
    assert list(moved("ClusterQueue", spec=spec)["spec"]) == ["queueingStrategy", "cohortName", "stopPolicy"]


def test_nothing_is_filled_in() -> None:
    assert moved("ClusterQueue", spec={}) == {"spec": {}}
    assert moved("Cohort", "v1alpha1") == {}


@pytest.mark.parametrize("spec", [None, {}, {"parent": None}, "text"])
def test_an_odd_spec_is_no_crash(spec: Any) -> None:
    assert "spec" in moved("Cohort", "v1alpha1", spec=spec)


def test_a_homeless_field_goes() -> None:
    spec = {"controllerName": "c", "retryDelayMinutes": 15}
    assert moved("AdmissionCheck", spec=spec) == {"spec": {"controllerName": "c"}}


def test_an_old_word_becomes_the_new_one() -> None:
    spec = {"flavorFungibility": {"whenCanBorrow": "Borrow"}}
    assert moved("ClusterQueue", spec=spec) == {"spec": {"flavorFungibility": {"whenCanBorrow": "MayStopSearch"}}}


def test_parent_becomes_parent_name() -> None:
    assert moved("Cohort", "v1alpha1", spec={"parent": "root"}) == {"spec": {"parentName": "root"}}
