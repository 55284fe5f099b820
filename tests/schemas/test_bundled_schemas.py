"""The bundled CRD schemas and release data against the gathered facts, where those lie beside the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

import check_bundled_schemas as check
from kueuelift import crd, structural
from kueuelift.kinds import KINDS
from kueuelift.validation import Validator

FACTS = Path(__file__).resolve().parents[3] / "shared" / "facts"

MINIMAL: dict[str, dict[str, Any]] = {
    "admissionchecks": {"spec": {"controllerName": "example.com/check"}},
    "clusterqueues": {"spec": {}},
    "cohorts": {},
    "localqueues": {"spec": {"clusterQueue": "q"}},
    "multikueueclusters": {"spec": {"clusterSource": {"kubeConfig": {"location": "secret"}}}},
    "multikueueconfigs": {"spec": {"clusters": ["a"]}},
    "provisioningrequestconfigs": {"spec": {"provisioningClassName": "p"}},
    "resourceflavors": {"spec": {}},
    "topologies": {"spec": {"levels": [{"nodeLabel": "a"}]}},
    "workloadpriorityclasses": {"value": 1},
    "workloads": {"spec": {"podSets": [{"template": {"spec": {"containers": []}}}]}},
}


def test_the_bundle_agrees_with_the_profiles() -> None:
    assert check.problems_inside() == []


def test_the_bundle_agrees_with_the_facts() -> None:
    if not FACTS.is_dir():
        pytest.skip(f"no {FACTS.parent.name}/{FACTS.name} beside the repository: only inner consistency was checked")
    assert check.problems_with_facts(FACTS) == []


@pytest.mark.parametrize(
    ("plural", "spoil"),
    [
        ("clusterqueues", lambda one: one["versions"][1]["schema"]["properties"].pop("spec")),
        ("workloads", lambda one: one["versions"][0].update(served=False)),
        ("cohorts", lambda one: one.update(shortNames=["x"])),
    ],
)
def test_the_check_sees_a_difference(tmp_path: Path, plural: str, spoil: Any) -> None:
    ours = {name: check.reduced(one) for name, one in crd.bundled("0.17.0", service=None).items()}
    theirs = json.loads(json.dumps(ours))
    assert check._differences("0.17.0", theirs, ours) == []
    spoil(theirs[plural])
    assert all(plural in line for line in check._differences("0.17.0", theirs, ours))
    assert check._differences("0.17.0", theirs, ours) != []


def test_a_written_release_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {name: check.reduced(one) for name, one in crd.bundled("0.18.1", service=None).items()}
    monkeypatch.setattr(check, "CRDS", tmp_path)
    check.write("0.18.1", ours, {"workloads": {"v1beta2": [".status.admission.clusterQueue"]}})
    folder = Path(crd.__file__).with_name("crds") / "0.18.1"
    written = {path.name: path.read_text() for path in (tmp_path / "0.18.1").iterdir()}
    assert written == {path.name: path.read_text() for path in folder.iterdir()}


def test_the_script_runs_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([]) == 0
    assert capsys.readouterr().err == "6 bundled releases, 0 problems\n"


@pytest.mark.parametrize("release", crd.bundled_releases())
def test_every_rule_and_pattern_can_be_run_here(release: str) -> None:
    for one in crd.bundled(release, service=None).values():
        for version in crd.versions(one):
            transitions = _transition_rules(crd.schema(one, version))
            assert len(Validator.for_crd(one, version).left_to_server) == transitions


@pytest.mark.parametrize("release", crd.bundled_releases())
def test_a_minimal_object_of_every_kind_is_valid(release: str) -> None:
    for kind in KINDS:
        one = crd.bundled(release, service=None)[kind.plural]
        for version in crd.versions(one):
            obj = _minimal(kind.name, kind.plural, version)
            schema = crd.schema(one, version)
            assert structural.pruned_paths(obj, schema) == []
            assert Validator.for_crd(one, version).problems(structural.coerce(obj, schema)) == []


def test_every_message_belongs_to_a_rule() -> None:
    folder = Path(crd.__file__).with_name("crds")
    used = {
        rule["rule"]
        for release in crd.bundled_releases()
        for one in crd.bundled(release, service=None).values()
        for rule in crd._rules(one)
    }
    assert set(json.loads((folder / "rule_messages.json").read_text())) == used


def _minimal(kind: str, plural: str, version: str) -> dict[str, Any]:
    fields = MINIMAL[plural]
    if (plural, version) == ("multikueueclusters", "v1beta1"):
        fields = {"spec": {"kubeConfig": {"location": "secret", "locationType": "Secret"}}}
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind, "metadata": {"name": "x"}, **fields}


def _transition_rules(schema: dict[str, Any]) -> int:
    return sum("oldSelf" in rule["rule"] for rule in crd._rules(schema))
