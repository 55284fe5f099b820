"""Conversions against what Kueue's real webhook answered: our own cases, and the shared vectors where at hand."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelift.kinds import version_of
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, conversion_for
from kueuelift_transform.topology_assignment import expanded

REPOSITORY = Path(__file__).parents[2]
CASES = REPOSITORY / "fixtures" / "conversions"
VECTORS = REPOSITORY.parent / "shared" / "vectors" / "conversion-v1beta1-v1beta2.json"

RELEASES = ("0.15.0", "0.16.9", "0.17.0", "0.18.1")
"""The releases that answer alike."""


def _shared_vectors() -> dict[str, dict[str, Any]]:
    vectors: dict[str, dict[str, Any]] = json.loads(VECTORS.read_text()) if VECTORS.exists() else {}
    return vectors


def _conversion(obj: KubernetesObject) -> Conversion:
    version = version_of(obj["apiVersion"])
    assert version is not None
    conversion = conversion_for(obj["kind"], version)
    assert conversion is not None
    return conversion


def _documents(path: Path) -> list[KubernetesObject]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


case_folders = [pytest.param(folder, id=folder.name) for folder in sorted(CASES.iterdir())]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("folder", case_folders)
def test_our_cases(folder: Path, release: str) -> None:
    inputs, wanted = _documents(folder / "input.yaml"), _documents(folder / "expected.yaml")
    assert [_conversion(obj).convert(obj, Release.parse(release)) for obj in inputs] == wanted


@pytest.mark.parametrize("folder", case_folders)
def test_the_way_back_of_our_cases(folder: Path) -> None:
    release = Release.parse("0.17.0")
    for obj in _documents(folder / "input.yaml"):
        conversion = _conversion(obj)
        there = conversion.convert(obj, release)
        back = conversion.revert(there, release)
        assert back["apiVersion"] == obj["apiVersion"]
        assert conversion.convert(back, release) == there


@pytest.mark.parametrize("folder", case_folders)
def test_inputs_are_left_alone(folder: Path) -> None:
    for obj in _documents(folder / "input.yaml"):
        before = json.dumps(obj)
        _conversion(obj).convert(obj, Release.parse("0.17.0"))
        assert json.dumps(obj) == before


@pytest.mark.parametrize(
    "name", sorted(_shared_vectors()) or [pytest.param("", marks=pytest.mark.skip("no ../shared"))]
)
def test_shared_vector(name: str) -> None:
    vector = _shared_vectors()[name]
    conversion, release = _conversion(vector["input"]), Release.parse(vector["release"])
    assert conversion.convert(vector["input"], release) == vector["output"]
    assert conversion.revert(vector["output"], release) == vector["back"]


@pytest.mark.parametrize("name", [name for name in sorted(_shared_vectors()) if name.startswith("ta-")])
def test_topology_of_a_shared_vector_means_the_same_for_0_19(name: str) -> None:
    vector = _shared_vectors()[name]
    converted = _conversion(vector["input"]).convert(vector["input"], Release.parse("0.19.2"))
    assert expanded(_assignment(converted)) == expanded(_assignment(vector["output"]))


def _assignment(workload: KubernetesObject) -> KubernetesObject:
    assignment: KubernetesObject = workload["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"]
    return assignment
