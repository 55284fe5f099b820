"""Admission rules, judged by the webhooks of a real Kueue 0.17.0 behind a real API server."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import admission_cases
from admission_cases import Case
from bed.api import Api, ApiError
from bed.control_plane import ControlPlane
from bed.kueue import Kueue, install
from bed.node import Node
from bed.programs import Programs
from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.admission import all_rules, problems
from kueuelift.kinds import BY_NAME, GROUP, TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject
from kueuelift.quantity import exact_value
from kueuelift.release_profile import Release
from kueuelift.structural import coerce
from kueuelift.validation import Validator

pytestmark = pytest.mark.cluster

RELEASE = Release.parse("0.17.0")
DRY_RUN = {"dryRun": "All"}
NEW = api_version(TARGET_VERSION)
CASES = admission_cases.read()
serial = count()


class Judges:
    """The server, and what we say that it says."""

    def __init__(self, api: Api, gates: dict[str, bool] | None = None) -> None:
        self.api = api
        self._gates = gates
        self._crds: dict[str, KubernetesObject] = {}
        self._validators: dict[str, Validator] = {}

    def ours(self, obj: KubernetesObject) -> list[str]:
        """The paths of what the CRD refuses or, when that is nothing, the webhook."""
        kind = obj["kind"]
        if kind not in self._crds:
            path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{BY_NAME[kind].crd_name}"
            self._crds[kind] = self.api.get(path)
            self._validators[kind] = Validator.for_crd(self._crds[kind], TARGET_VERSION)
        stored = coerce(obj, crd.schema(self._crds[kind], TARGET_VERSION))
        refused = [problem.path for problem in self._validators[kind].problems(stored)]
        return refused or [broken.path for broken in problems(stored, release=RELEASE, gates=self._gates)]

    def theirs(self, obj: KubernetesObject) -> str:
        """What the server says against it; a status it judges only on an object that is there."""
        collection = collection_of(obj)
        obj = {**obj, "metadata": {**obj["metadata"], "name": f"case-{next(serial)}"}}
        if "status" not in obj:
            return refusal(lambda: self.api.request("POST", collection, obj, query=DRY_RUN))
        path = f"{collection}/{obj['metadata']['name']}"
        self.api.create(collection, {key: value for key, value in obj.items() if key != "status"})
        try:
            return refusal(lambda: self._put_status(path, obj["status"]))
        finally:
            self.api.delete(path)

    def update_refused(self, path: str) -> str:
        """What the server says against an update that changes nothing."""
        for _ in range(100):
            try:
                said = refusal(lambda: self.api.request("PUT", path, self.api.get(path), query=DRY_RUN))
            except ApiError as error:
                if error.status != 409:
                    raise
            else:
                if said:
                    return said
            # The server has not seen the hook yet, or the manager writes at the same time.
            time.sleep(0.05)
        return ""

    def _put_status(self, path: str, status: Any) -> None:
        for _ in range(20):
            live = self.api.get(path)
            try:
                self.api.request("PUT", f"{path}/status", {**live, "status": status}, query=DRY_RUN)
            except ApiError as error:
                # The manager may write to it at the same time.
                if error.status != 409:
                    raise
                time.sleep(0.05)
            else:
                return
        pytest.fail(f"{path} is written to all the time")


def refusal(ask: Callable[[], object]) -> str:
    """The server's words; empty where it agrees. Whatever is neither yes nor no is an error."""
    try:
        ask()
    except ApiError as error:
        if error.status not in {400, 403, 422, 500}:
            raise
        return str(error) or "refused"
    return ""


def stored_anyhow(api: Api, obj: KubernetesObject) -> str:
    """Create an object as it is, with its status, and return its path; asked again until the hook is gone."""
    obj = {**obj, "metadata": {**obj["metadata"], "name": f"case-{next(serial)}"}}
    path = f"{collection_of(obj)}/{obj['metadata']['name']}"
    said = ""
    for _ in range(100):
        try:
            if api.find(path) is None:
                api.create(collection_of(obj), obj)
            if "status" in obj:
                api.request("PUT", f"{path}/status", {**api.get(path), "status": obj["status"]})
        except ApiError as error:
            if error.status not in {400, 403, 409, 422, 500}:
                raise
            said = str(error)
            time.sleep(0.05)
        else:
            return path
    pytest.fail(said)


def collection_of(obj: KubernetesObject) -> str:
    kind = BY_NAME[obj["kind"]]
    inner = f"/namespaces/{obj['metadata']['namespace']}" if kind.namespaced else ""
    return f"/apis/{GROUP}/{TARGET_VERSION}{inner}/{kind.plural}"


@pytest.fixture(scope="module")
def judges(kueue: Kueue) -> Judges:
    return Judges(kueue.cluster.api)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_is_judged_as_the_server_does(judges: Judges, case: Case) -> None:
    assert judges.theirs(case.good) == ""
    assert judges.ours(case.good) == []
    theirs, ours = judges.theirs(case.bad), judges.ours(case.bad)
    assert bool(theirs) == bool(ours), theirs
    if case.release == RELEASE and not case.gates:
        assert ours == list(case.paths)
        assert case.server in theirs


texts = st.one_of(
    st.text("aZ9-_./ ä\n", max_size=6),
    st.sampled_from(
        ["a" * 63, "a" * 64, "x.io/" + "a" * 63, "b" * 253 + "/a", "b" * 254 + "/a", "X.io/a", "a..b/c", "-/a"]
    ),
)
amounts = st.one_of(
    st.integers(-2, 2),
    st.sampled_from(["1", "1.0", "1000m", "0.9999999999", "1.0000000001", "1000000001n", "1Ki", "1024", "1k", "1e3"]),
    st.sampled_from(["-0", "-1n", "1n", "2n", "1.5n", "0.1n", "1e-10", "9223372036854775807", "9223372036854775808"]),
    st.sampled_from(["8Ei", "7.9Ei", "10E", "1e19", "0.00097656250Ki", "9999999999999999999999"]),
)
against_server = settings(max_examples=150, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


@against_server
@given(texts, texts)
def test_labels_are_read_as_the_server_does(judges: Judges, key: str, value: str) -> None:
    metadata = {"name": "case"}
    obj = {"apiVersion": NEW, "kind": "ResourceFlavor", "metadata": metadata, "spec": {"nodeLabels": {key: value}}}
    assert bool(judges.ours(obj)) == bool(judges.theirs(obj))


@against_server
@given(amounts, amounts, amounts)
def test_quantities_are_read_as_the_server_does(judges: Judges, nominal: Any, lent: Any, weight: Any) -> None:
    quota = {"name": "cpu", "nominalQuota": nominal, "lendingLimit": lent}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [quota]}]}
    for spec in ({"resourceGroups": [group]}, {"fairSharing": {"weight": weight}}):
        metadata = {"name": "case"}
        obj = {"apiVersion": NEW, "kind": "ClusterQueue", "metadata": metadata, "spec": {"cohortName": "c", **spec}}
        said = judges.theirs(obj)
        assert bool(judges.ours(obj)) == bool(said), said


@settings(against_server, max_examples=60)
@given(amounts, st.integers(1, 3), st.sampled_from(["cpu", "memory"]))
def test_usage_is_counted_as_the_server_does(judges: Judges, used: Any, pods: int, resource: str) -> None:
    # Beyond that Kueue's counting wraps around.
    assume(abs(exact_value(used)) * 1000 < 1 << 63)
    assignment = {"name": "main", "count": pods, "resourceUsage": {resource: used}}
    plain = next(case for case in CASES if case.rule == "WL-09").bad
    admitted = {**plain["status"], "admission": {"clusterQueue": "q", "podSetAssignments": [assignment]}}
    obj = {**plain, "status": admitted}
    said = judges.theirs(obj)
    assert bool(judges.ours(obj)) == bool(said), said


@pytest.mark.parametrize("kind", sorted(all_rules()))
@settings(against_server, max_examples=25)
@given(data=st.data())
def test_valid_objects_pass_here_and_there(judges: Judges, kind: str, data: st.DataObject) -> None:
    old = data.draw(STRATEGIES[kind])
    obj = {**old, "apiVersion": NEW, "spec": {**old["spec"]}}
    if "cohort" in obj["spec"]:
        obj["spec"]["cohortName"] = obj["spec"].pop("cohort")
    assert judges.ours(obj) == [] or judges.theirs(obj)
    assert bool(judges.ours(obj)) == bool(judges.theirs(obj))


GATES = {"AdmissionGatedBy": True, "PriorityBoost": True}
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
HOOK = f"{HOOKS}/kueue-validating-webhook-configuration"


@pytest.fixture(scope="module")
def own_kueue(programs: Programs) -> Iterator[Kueue]:
    """A cluster of its own: its Kueue has gates on that are off elsewhere, and gets what no Kueue should see."""
    with ControlPlane(programs) as cluster, Node(cluster, programs) as node:
        install(cluster, gates=GATES)
        yield Kueue(cluster=cluster, node=node, manager=node.await_manager())


@pytest.fixture(scope="module")
def gated(own_kueue: Kueue) -> Judges:
    return Judges(own_kueue.cluster.api, GATES)


@pytest.mark.parametrize("case", [case for case in CASES if case.rule in {"WL-26", "WL-28"}], ids=lambda case: case.id)
def test_a_gated_case_is_judged_as_the_server_does(gated: Judges, case: Case) -> None:
    assert (gated.theirs(case.good), gated.ours(case.good)) == ("", [])
    assert gated.ours(case.bad) == list(case.paths)
    assert "metadata.annotations[" in gated.theirs(case.bad)


@contextmanager
def unguarded(api: Api) -> Iterator[None]:
    """Without the webhooks that validate, as after a disarm; the server needs a moment to notice."""
    hook = api.get(HOOK)
    api.delete(HOOK)
    hook["metadata"] = {
        key: hook["metadata"][key] for key in ("name", "labels", "annotations") if key in hook["metadata"]
    }
    try:
        yield
    finally:
        api.create(HOOKS, hook)


def test_what_is_stored_all_the_same_blocks_every_later_update(gated: Judges) -> None:
    judged = [case for case in CASES if not case.by_crd and case.rule != "WL-10" and gated.ours(case.bad)]
    assert len(judged) > 40
    broken = [case.bad for case in judged]
    with unguarded(gated.api):
        paths = [stored_anyhow(gated.api, obj) for obj in broken]
    for path in paths:
        assert "denied the request" in gated.update_refused(path), path


def test_a_reservation_without_admission_ends_every_manager(own_kueue: Kueue) -> None:
    bad = next(case for case in CASES if case.rule == "WL-10").bad
    with unguarded(own_kueue.cluster.api):
        path = stored_anyhow(own_kueue.cluster.api, bad)
        for _ in range(600):
            if not all(child.running for child in own_kueue.node.children):
                break
            time.sleep(0.05)
    assert "nil pointer dereference" in own_kueue.node.children[0].tail(200)
    assert path
