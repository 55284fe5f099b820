"""A real API server judges the bundled CRDs, and what validation and the stored form say about objects."""

import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import check_bundled_schemas as check
from bed.api import Api, ApiError
from bed.control_plane import ControlPlane
from bed.programs import Programs
from kueuelift import crd, structural, yaml_text
from kueuelift.kinds import BY_PLURAL
from kueuelift.validation import Validator

pytestmark = pytest.mark.cluster

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CASES = Path(__file__).parents[1] / "schemas" / "validation_cases.yaml"
DRY_RUN = {"dryRun": "All"}
SERVICE = crd.ServiceReference(namespace="kueue-system", name="kueue-webhook-service")

ODD_SPECS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("0.12.2", "cohorts", "v1alpha1", {"spec": {"parent": "a", "parentName": "b", "resourceGroups": None}}),
    ("0.12.2", "clusterqueues", "v1beta1", {"spec": {"cohort": "a", "colour": {"b": 1}, "stopPolicy": None}}),
    ("0.12.2", "admissionchecks", "v1beta1", {"spec": {"controllerName": "c", "retryDelayMinutes": None}}),
    ("0.17.0", "admissionchecks", "v1beta2", {"spec": {"controllerName": "c", "retryDelayMinutes": 15}}),
    ("0.17.0", "clusterqueues", "v1beta2", {"spec": {"preemption": {}, "fairSharing": {"weight": None, "x": [1]}}}),
    ("0.17.0", "clusterqueues", "v1beta2", {"spec": {"namespaceSelector": {"matchLabels": {"a": "b"}, "x": None}}}),
    ("0.17.0", "clusterqueues", "v1beta2", {"spec": {"flavorFungibility": None, "preemption": None}, "extra": {}}),
    ("0.17.0", "localqueues", "v1beta2", {"spec": {"clusterQueue": "q", "fairSharing": {}}}),
    (
        "0.17.0",
        "provisioningrequestconfigs",
        "v1beta2",
        {"spec": {"provisioningClassName": "p", "retryStrategy": None}},
    ),
    ("0.17.0", "resourceflavors", "v1beta2", {"spec": {"nodeLabels": {"a": "b"}, "nodeTaints": None, "x": 1}}),
    ("0.17.0", "resourceflavors", "v1beta2", {}),
    (
        "0.17.0",
        "workloads",
        "v1beta2",
        {
            "spec": {
                "active": None,
                "priorityClassName": "gone",
                "podSets": [
                    {"template": {"spec": {"containers": None, "any": {"thing": None}}, "x": 1}, "count": None}
                ],
            }
        },
    ),
]


@pytest.fixture(scope="module", params=crd.bundled_releases())
def bundle(request: pytest.FixtureRequest, programs: Programs) -> Iterator[tuple[str, Api]]:
    """One release's CRDs in a cluster of their own: an API server takes half a minute to let go of deleted ones."""
    with ControlPlane(programs) as cluster:
        definitions = crd.bundled(request.param, service=None)
        for one in definitions.values():
            cluster.api.create(CRDS, one)
        for one in definitions.values():
            _wait_until_established(cluster.api, one["metadata"]["name"])
        yield request.param, cluster.api


def test_the_server_finds_every_crd_structural(bundle: tuple[str, Api]) -> None:
    release, api = bundle
    for name, wanted in crd.bundled(release, service=None).items():
        live = api.get(f"{CRDS}/{wanted['metadata']['name']}")
        conditions = {one["type"]: one["status"] for one in live["status"]["conditions"]}
        assert conditions.get("NonStructuralSchema", "False") == "False", name
        assert conditions["NamesAccepted"] == "True", name
        assert crd.stored_versions(live) == (crd.storage_version(wanted),)
        assert check.reduced(live) == check.reduced(wanted)


def test_the_webhook_stanza_is_accepted(bundle: tuple[str, Api]) -> None:
    release, api = bundle
    for one in crd.bundled(release, service=SERVICE).values():
        path = f"{CRDS}/{one['metadata']['name']}"
        live = api.get(path)
        api.request("PUT", path, {**live, "spec": one["spec"]}, query=DRY_RUN)


def test_validation_and_the_server_agree(bundle: tuple[str, Api]) -> None:
    release, api = bundle
    cases = yaml_text.load(CASES.read_text(), CASES.name)
    judged = 0
    for case in [*cases["good"], *cases["bad"]]:
        of, plural, version = case["crd"].split()
        if of == release:
            refused = _refused_fields(api, plural, version, case["fields"])
            wanted = case.get("path")
            assert bool(refused) == (wanted is not None), f"{case}: the server says {refused}"
            assert wanted is None or _names(refused, wanted), f"{case}: the server says {refused}"
            judged += 1
    assert judged or release in {"0.16.0", "0.20.0-devel"}


def test_the_stored_form_is_the_server_s(bundle: tuple[str, Api]) -> None:
    release, api = bundle
    for of, plural, version, fields in ODD_SPECS:
        if of == release:
            obj = _object(plural, version, fields)
            schema = crd.schema(crd.bundled(release, service=None)[plural], version)
            expected = structural.coerce(obj, schema)
            assert Validator.for_crd(crd.bundled(release, service=None)[plural], version).problems(expected) == []
            answered = api.request("POST", _collection(plural, version), obj, query=DRY_RUN)
            assert {**answered, "metadata": {}} == {**expected, "metadata": {}}


def test_bundle_0_17_0_is_that_of_its_chart(programs: Programs) -> None:
    assert check.problems_with_chart(check.render(programs.chart, helm=str(programs.helm)), "0.17.0") == []


def _object(plural: str, version: str, fields: dict[str, Any]) -> dict[str, Any]:
    kind = BY_PLURAL[plural]
    metadata = {"name": "x"} | ({"namespace": "default"} if kind.namespaced else {})
    return {"apiVersion": f"kueue.x-k8s.io/{version}", "kind": kind.name, "metadata": metadata, **deepcopy(fields)}


def _collection(plural: str, version: str) -> str:
    within = "/namespaces/default" if BY_PLURAL[plural].namespaced else ""
    return f"/apis/kueue.x-k8s.io/{version}{within}/{plural}"


def _refused_fields(api: Api, plural: str, version: str, fields: dict[str, Any]) -> str:
    """What the server says against the object; a status it judges only on the subresource of an existing object."""
    collection = _collection(plural, version)
    obj = _object(plural, version, fields)
    try:
        if "status" not in obj:
            api.request("POST", collection, obj, query=DRY_RUN)
            return ""
        live = api.create(collection, {key: value for key, value in obj.items() if key != "status"})
        try:
            api.request("PUT", f"{collection}/x/status", {**live, "status": obj["status"]}, query=DRY_RUN)
        finally:
            api.delete(f"{collection}/x")
    except ApiError as error:
        if error.status != 422:
            raise
        return str(error)
    return ""


def _names(refused: str, path: str) -> bool:
    """Whether the server's text names the path; for the object itself it has no path."""
    return path in refused or not path


def _wait_until_established(api: Api, name: str) -> None:
    for _ in range(600):
        conditions = api.get(f"{CRDS}/{name}").get("status", {}).get("conditions") or []
        if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
            return
        time.sleep(0.1)
    pytest.fail(f"{name} is never Established")
