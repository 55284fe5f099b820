"""Conversions, judged by Kueue's real webhook; stored form, judged by a real API server in front of it."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bed.conversion_webhook import Convert
from bed.failure import BedError
from bed.kueue import Kueue
from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, TARGET_VERSION, Kind, api_version, version_of
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift.structural import coerce
from kueuelift_transform.conversion import Conversion, conversion_for
from kueuelift_transform.stored_form import stored_form
from struct_values import WEBHOOK_KINDS, arbitrary_object

pytestmark = pytest.mark.cluster

RELEASE = Release.parse("0.17.0")
OLD, NEW = api_version("v1beta1"), api_version(TARGET_VERSION)
REPOSITORY = Path(__file__).parents[2]
VECTORS = REPOSITORY.parent / "shared" / "vectors" / "conversion-v1beta1-v1beta2.json"
BATCH = 60

batches = settings(
    max_examples=6,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def conversion_of(kind: str) -> Conversion:
    conversion = conversion_for(kind, "v1beta1")
    assert conversion is not None
    return conversion


def assert_alike(objects: list[KubernetesObject], convert: Convert) -> None:
    """Compare both ways: the webhook's answers there, and its answers back from these."""
    there = convert(objects, NEW)
    assert [conversion_of(obj["kind"]).convert(obj, RELEASE) for obj in objects] == there
    back = convert(there, OLD)
    assert [conversion_of(obj["kind"]).revert(obj, RELEASE) for obj in there] == back


def _known_inputs() -> Iterator[KubernetesObject]:
    for path in sorted((REPOSITORY / "fixtures" / "conversions").glob("*/input.yaml")):
        yield from yaml.safe_load_all(path.read_text())
    if VECTORS.exists():
        yield from (vector["input"] for vector in json.loads(VECTORS.read_text()).values())


def test_cases_and_vectors(convert: Convert) -> None:
    objects = [obj for obj in _known_inputs() if obj["kind"] in WEBHOOK_KINDS and obj["apiVersion"] == OLD]
    assert len(objects) > 50
    assert_alike(objects, convert)


@batches
@given(st.lists(st.one_of(*(STRATEGIES[kind] for kind in WEBHOOK_KINDS)), min_size=BATCH, max_size=BATCH))
def test_valid_objects(convert: Convert, objects: list[KubernetesObject]) -> None:
    assert_alike(objects, convert)


@pytest.mark.parametrize("seed", range(5))
def test_anything_that_a_struct_can_hold(convert: Convert, seed: int) -> None:
    random = Random(seed)
    assert_alike([arbitrary_object(random, kind) for kind in WEBHOOK_KINDS for _ in range(BATCH)], convert)


@pytest.mark.parametrize("seed", range(5))
def test_anything_that_a_struct_can_hold_on_the_way_back(convert: Convert, seed: int) -> None:
    random = Random(seed)
    objects = [arbitrary_object(random, kind, TARGET_VERSION) for kind in WEBHOOK_KINDS for _ in range(BATCH)]
    assert [conversion_of(obj["kind"]).revert(obj, RELEASE) for obj in objects] == convert(objects, OLD)


@pytest.mark.parametrize(
    "obj",
    [
        {"kind": "ClusterQueue", "spec": {"cohort": 5}},
        {"kind": "Cohort", "spec": {"fairSharing": {"weight": "much"}}},
        {"kind": "Workload", "spec": {"priority": 2**31}},
        {"kind": "Workload", "spec": {"podSets": {}}},
        {"kind": "Workload", "status": {"requeueState": {"requeueAt": "soon"}}},
        {
            "kind": "Workload",
            "status": {
                "admission": {
                    "podSetAssignments": [
                        {"topologyAssignment": {"levels": ["a", "b"], "domains": [{"values": ["x"], "count": 1}]}}
                    ]
                }
            },
        },
    ],
    ids=json.dumps,
)
def test_what_the_webhook_cannot_read_is_refused(convert: Convert, obj: KubernetesObject) -> None:
    full = {"apiVersion": OLD, "metadata": {"name": "x", "uid": "1"}, **obj}
    with pytest.raises(BedError):
        convert([full], NEW)
    with pytest.raises(RefusedError):
        conversion_of(obj["kind"]).convert(full, RELEASE)


serial = itertools.count()
one_by_one = settings(max_examples=8, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("kind", list(STRATEGIES))
@one_by_one
@given(data=st.data())
def test_stored_form_is_what_the_api_server_shows(kueue: Kueue, kind: str, data: st.DataObject) -> None:
    obj = data.draw(STRATEGIES[kind])
    obj["metadata"]["name"] = f"stored-{next(serial)}"
    live = _live_crd(kueue, BY_NAME[kind])
    # A snapshot holds objects with the defaults of their own version, which a quantity shows: 1 becomes "1" on its way.
    captured = coerce(obj, crd.schema(live, "v1beta1"))
    wanted = stored_form(captured, crd=live, release=RELEASE)
    api = kueue.cluster.api
    path = _collection(BY_NAME[kind], obj)
    api.create(path, obj)
    try:
        seen = api.get(f"{path.replace(OLD, NEW)}/{obj['metadata']['name']}")
    finally:
        api.delete(f"{path}/{obj['metadata']['name']}")
    assert version_of(seen["apiVersion"]) == TARGET_VERSION
    assert _written_part(seen) == _written_part(wanted)


def _written_part(obj: KubernetesObject) -> dict[str, Any]:
    """Leave out what server and manager add: the status, and metadata but for names, labels and annotations."""
    metadata = {key: obj["metadata"].get(key) for key in ("name", "namespace", "labels", "annotations")}
    return {key: value for key, value in obj.items() if key not in {"metadata", "status"}} | metadata


def _collection(kind: Kind, obj: KubernetesObject) -> str:
    inner = f"/namespaces/{obj['metadata']['namespace']}" if kind.namespaced else ""
    return f"/apis/{OLD}{inner}/{kind.plural}"


def _live_crd(kueue: Kueue, kind: Kind) -> KubernetesObject:
    return kueue.cluster.api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind.crd_name}")
