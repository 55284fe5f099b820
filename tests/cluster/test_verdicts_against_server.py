"""Our verdicts on valid and spoiled objects, judged by a real API server with Kueue's CRDs and no webhook."""

import json
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bed.control_plane import ControlPlane
from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.kinds import BY_NAME
from kueuelift.release_profile import Release
from kueuelift_transform.stored_form import stored_form
from verdicts import RELEASE, Judges, variants

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def judges(clean_cluster: ControlPlane) -> Judges:
    crds = {"apiVersion": "v1", "kind": "List", "items": list(crd.bundled(RELEASE, service=None).values())}
    clean_cluster.kubectl("create", "-f", "-", stdin=json.dumps(crds))
    clean_cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    return Judges(clean_cluster.api)


@pytest.mark.parametrize("kind", list(STRATEGIES))
@settings(
    max_examples=4,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_verdicts(judges: Judges, kind: str, data: st.DataObject) -> None:
    target = crd.bundled(RELEASE, service=None)[BY_NAME[kind].plural]
    obj = stored_form(data.draw(STRATEGIES[kind]), crd=target, release=Release.parse(RELEASE))
    random = Random(data.draw(st.integers(0, 10_000)))
    found = [judges.verdicts(one) for one in variants(obj, random, 6)]
    assert "\n".join(str(one) for one in found if not one.agree) == ""
