"""A manager's Configuration brought to a release: what is written, what is told."""

from typing import Any

import pytest

from kueuelift.errors import RefusedError
from kueuelift.model import Severity
from kueuelift.release_profile import Release
from kueuelift_transform.configuration import ConvertedText, convert_text
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.configuration_decode import ConfigurationError, HiddenError

B1 = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
B2 = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
BOTH = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
USUAL = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "kueue-system"]}
    ]
}


def convert(text: str, release: str = "0.17.0", source: str = "", **more: Any) -> ConvertedText:
    since = Release.parse(source) if source else None
    return convert_text(text, release=Release.parse(release), origin="it", source=since, **more)


def body(text: str, release: str = "0.17.0", source: str = "", **more: Any) -> dict[str, Any]:
    value = dict(convert(text, release, source, **more).value)
    assert value.pop("apiVersion") == "config.kueue.x-k8s.io/v1beta2"
    assert value.pop("kind") == "Configuration"
    return value


def told(found: ConvertedText, path: str) -> tuple[Category, Severity, bool]:
    change = next(change for change in found.changes if change.path == path)
    return change.category, change.severity, change.meaning_kept


@pytest.mark.parametrize("release", ["0.16.0", "0.17.0", "0.18.1", "0.19.2", "0.20.0-devel"])
def test_waiting_for_pods_that_was_on_says_all_that_the_old_version_filled_in(release: str) -> None:
    assert body(B1 + "waitForPodsReady: {enable: true}\n", release)["waitForPodsReady"] == {
        "timeout": "5m",
        "blockAdmission": True,
        "recoveryTimeout": "5m",
    }
    own = B1 + "waitForPodsReady: {enable: true, timeout: 10m, blockAdmission: false}\n"
    assert body(own, release)["waitForPodsReady"] == {
        "timeout": "10m",
        "blockAdmission": False,
        "recoveryTimeout": "10m",
    }


@pytest.mark.parametrize(("source", "limit"), [("0.12.2", "0s"), ("0.15.0", "0s"), ("0.16.0", "10m"), ("", "10m")])
@pytest.mark.parametrize("given", ["", ", recoveryTimeout: null"])
def test_no_limit_to_recover_stays_none(source: str, limit: str, given: str) -> None:
    waiting = body(B1 + f"waitForPodsReady: {{enable: true, timeout: 10m{given}}}\n", source=source)["waitForPodsReady"]
    assert waiting["recoveryTimeout"] == limit
    said = body(B1 + "waitForPodsReady: {enable: true, recoveryTimeout: 3m}\n", source=source)["waitForPodsReady"]
    assert said["recoveryTimeout"] == "3m"


@pytest.mark.parametrize("release", ["0.16.0", "0.17.0", "0.18.1"])
@pytest.mark.parametrize("given", ["", "waitForPodsReady: {enable: false, timeout: 3m}\n", "waitForPodsReady: {}\n"])
def test_waiting_for_pods_that_was_off_is_left_out_below_0_19(release: str, given: str) -> None:
    assert body(B1 + given, release) == {}


@pytest.mark.parametrize("release", ["0.19.0", "0.19.2", "0.20.0-devel"])
@pytest.mark.parametrize("given", ["", "waitForPodsReady: {enable: false, timeout: 3m}\n", "waitForPodsReady: null\n"])
def test_waiting_for_pods_that_was_off_stays_off_from_0_19_on(release: str, given: str) -> None:
    assert body(B1 + given, release)["featureGates"] == {"DisableWaitForPodsReady": True}


def test_a_new_file_from_before_0_19_stays_off_too_and_one_from_0_19_stays_on() -> None:
    assert body(B2, "0.19.2", "0.18.1") == {"featureGates": {"DisableWaitForPodsReady": True}}
    assert body(B2, "0.20.0", "0.19.2") == {}
    unknown = convert(B2, "0.19.2")
    assert unknown.text == B2
    assert told(unknown, "waitForPodsReady") == (Category.EFFECT, Severity.ACTION, False)


def test_fair_sharing_that_was_off_goes_and_one_that_was_on_says_both_strategies() -> None:
    off = convert(B1 + "fairSharing: {enable: false, preemptionStrategies: [LessThanInitialShare]}\n")
    assert "fairSharing" not in off.value
    assert told(off, "fairSharing")[0] is Category.DROPPED
    assert body(B1 + "fairSharing: {enable: true}\n")["fairSharing"] == {"preemptionStrategies": BOTH}
    own = B1 + "fairSharing: {enable: true, preemptionStrategies: [LessThanInitialShare]}\n"
    assert body(own)["fairSharing"] == {"preemptionStrategies": ["LessThanInitialShare"]}


ODD = (
    B1
    + """queueVisibility: {updateIntervalSeconds: 5, clusterQueues: {maxCount: 10}}
waitForPodReady: {enable: true}
integrations:
  frameworks: [batch/job, pod, kubeflow.org/mxjob]
  podOptions:
    namespaceSelector:
      matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, kueue-system]}]
    podSelector: {matchLabels: {managed: "yes"}}
"""
)


def test_an_unknown_field_is_refused_with_its_line_and_what_was_meant() -> None:
    with pytest.raises(ConfigurationError) as refused:
        convert(ODD)
    (problem,) = refused.value.problems
    assert (problem.path, problem.line, problem.wanted) == ("waitForPodReady", 4, "'waitForPodsReady'")


def test_a_framework_that_no_release_knows_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigurationError) as refused:
        convert(ODD.replace("waitForPodReady: {enable: true}\n", ""))
    (problem,) = refused.value.problems
    assert (problem.path, problem.line, problem.found) == ("integrations.frameworks[2]", 5, "kubeflow.org/mxjob")


@pytest.mark.parametrize(
    ("source", "severity"), [("0.12.2", Severity.BLOCKER), ("", Severity.ACTION)], ids=["known", "unknown"]
)
def test_a_pod_selector_has_no_equal_and_the_usual_namespaces_need_none(source: str, severity: Severity) -> None:
    found = convert(
        ODD.replace("waitForPodReady: {enable: true}\n", "").replace(", kubeflow.org/mxjob", ""), "0.17.0", source
    )
    assert found.value["integrations"] == {"frameworks": ["batch/job", "pod"]}
    assert "managedJobsNamespaceSelector" not in found.value
    assert told(found, "integrations.podOptions.podSelector") == (Category.DROPPED, severity, False)
    assert told(found, "integrations.podOptions.namespaceSelector") == (Category.DROPPED, Severity.NOTICE, True)
    assert told(found, "queueVisibility")[2] is not (source == "0.12.2")


NAMESPACES = "  podOptions: {namespaceSelector: {matchLabels: {pods: queued}}}\n"


def test_namespaces_of_pods_become_those_of_all_jobs_where_pods_are_all() -> None:
    only = B1 + "integrations:\n  frameworks: [pod]\n" + NAMESPACES
    assert body(only, source="0.14.0")["managedJobsNamespaceSelector"] == {"matchLabels": {"pods": "queued"}}
    among = convert(B1 + "integrations:\n  frameworks: [pod, batch/job]\n" + NAMESPACES, source="0.14.0")
    assert "managedJobsNamespaceSelector" not in among.value
    assert told(among, "integrations.podOptions.namespaceSelector") == (Category.DROPPED, Severity.ACTION, False)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (B1 + "integrations:\n  frameworks: [pod]\n" + NAMESPACES, "0.15.0"),
        (B1 + "integrations:\n  frameworks: [batch/job]\n" + NAMESPACES, "0.12.2"),
        (B1 + "integrations:\n  frameworks: [pod]\n  podOptions: {}\n", "0.12.2"),
    ],
    ids=["ignored already", "no pods", "nothing chosen"],
)
def test_pod_options_that_did_nothing_go_without_loss(text: str, source: str) -> None:
    found = convert(text, source=source)
    assert "managedJobsNamespaceSelector" not in found.value
    assert told(found, "integrations.podOptions") == (Category.DROPPED, Severity.NOTICE, True)


RESERVED = (
    B1
    + """resources:
  transformations:
  - {input: pods, strategy: Retain, outputs: {example.com/pods: 1}}
  - {input: example.com/a, multiplyBy: cpu, outputs: {pods: 1}}
  deviceClassMappings:
  - {name: pods, deviceClassNames: [gpu]}
"""
)
PLACES = {
    "resources.transformations[0].input",
    "resources.transformations[1].outputs[pods]",
    "resources.deviceClassMappings[0].name",
}


def test_a_reserved_name_is_told_and_refused_from_0_20_on() -> None:
    found = convert(RESERVED, "0.18.1", "0.16.0")
    assert {change.path for change in found.changes if change.severity is Severity.ACTION} == PLACES
    with pytest.raises(ConfigurationError) as refused:
        convert(RESERVED, "0.20.0-devel")
    assert {problem.path for problem in refused.value.problems} == PLACES
    assert {problem.line for problem in refused.value.problems} == {5, 6, 8}


def test_defaults_that_changed_are_told_where_they_are_not_written() -> None:
    found = convert(B1, "0.19.2", "0.18.1")
    effects = {
        change.path: (change.before, change.after) for change in found.changes if change.category is Category.EFFECT
    }
    assert effects == {"clientConnection.qps": (20, 300), "clientConnection.burst": (30, 500)}
    written = convert(B1 + "clientConnection: {qps: 50, burst: 100}\n", "0.19.2", "0.18.1")
    assert not [change for change in written.changes if change.category is Category.EFFECT]


def test_comments_order_and_spelling_stay() -> None:
    text = """# Ours.
kind: Configuration
apiVersion: "config.kueue.x-k8s.io/v1beta1"   # old

clientConnection: {qps: 5.0e+1, burst: 0x64}
waitForPodsReady:
  # gangs
  enable: true
  timeout: 300s # five minutes
queueVisibility: # off
  updateIntervalSeconds: 5
"""
    found = convert(text)
    assert (
        found.text
        == """# Ours.
kind: Configuration
apiVersion: "config.kueue.x-k8s.io/v1beta2"   # old

clientConnection: {qps: 5.0e+1, burst: 0x64}
waitForPodsReady:
  # gangs
  blockAdmission: true
  recoveryTimeout: 300s
  timeout: 300s # five minutes
"""
    )
    assert [change.before for change in found.changes if change.category is Category.COMMENT] == ["# off"]


def test_what_is_hidden_cannot_be_carried_over() -> None:
    with pytest.raises(HiddenError, match="hides"):
        convert(B1 + f"pprofBindAddress: kueuelift-token-{'0' * 32}\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a mapping wanted"),
        ("- a\n", "a mapping wanted"),
        ("kind: Configuration\n", "write both down"),
        (B1 + "---\n" + B1, "2 YAML documents"),
        (B1 + "namespace: a\nnamespace: b\n", "line 4: .* stands twice"),
        (B1 + "a: [\n", "not valid YAML"),
        (
            B2 + "waitForPodsReady: {enable: true, timeout: 5m}\n",
            "line 3: waitForPodsReady.enable: found an unknown field",
        ),
        (B1 + "multiKueue:\n  gcInterval: 1d\n", "line 4: multiKueue.gcInterval: found '1d', wanted a duration"),
        (B2 + "fairSharing: {}\n", r"line 3: fairSharing.preemptionStrategies: found nothing, wanted \["),
    ],
)
def test_what_the_manager_would_not_start_with_is_refused_by_name_and_line(text: str, why: str) -> None:
    with pytest.raises(RefusedError, match=f"^it: .*{why}"):
        convert(text)


@pytest.mark.parametrize("text", [B1, B2])
def test_an_old_target_knows_no_new_version(text: str) -> None:
    with pytest.raises(RefusedError, match=r"manager of 0\.14\.0 does not know v1beta2"):
        convert(text, "0.14.0")


def test_gates_from_elsewhere_come_in_and_the_namespace_counts() -> None:
    gates = {"LocalQueueMetrics": False, "NoSuchGate": True}
    assert body(B1, more_gates=gates)["featureGates"] == {"LocalQueueMetrics": False}
    own = {"matchExpressions": [{**USUAL["matchExpressions"][0], "values": ["kube-system", "kueue"]}]}
    text = B1 + f"managedJobsNamespaceSelector: {own}\n"
    assert body(text, namespace="kueue")["managedJobsNamespaceSelector"] == own
    with pytest.raises(ConfigurationError, match="namespace kueue-system"):
        convert(text)
