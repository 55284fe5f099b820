"""The manager's Configuration means to kueuelift what it means to Kueue 0.17.0, whose own code is the judge."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bed.programs import Programs
from configuration_judge import RELEASE, Judge
from configuration_values import configurations
from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.manager_config import NEW, OLD
from kueuelift.release_profile import Release
from kueuelift_transform.configuration import convert_text
from kueuelift_transform.configuration_decode import decode
from kueuelift_transform.configuration_effective import effective
from kueuelift_transform.configuration_rules import problems
from kueuelift_transform.gate_set import refusals

pytestmark = pytest.mark.cluster

B1 = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
B2 = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
VERSIONS = st.sampled_from([OLD, NEW])


@pytest.fixture(scope="module")
def judge(programs: Programs) -> Iterator[Judge]:
    with Judge(programs.configuration_judge) as running:
        yield running


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=VERSIONS.flatmap(lambda version: configurations(version, RELEASE, odd=True)))
def test_kueue_and_kueuelift_refuse_the_same_and_agree_on_what_is_in_effect(
    value: dict[str, Any], judge: Judge
) -> None:
    text = yaml_text.dump(value)
    verdict = judge.load(text)
    found, wrong = judged(text)
    assert bool(wrong) == bool(verdict.error), (text, wrong, verdict.error)
    assert found == verdict.effective


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=VERSIONS.flatmap(lambda version: configurations(version, RELEASE)))
def test_what_is_converted_loads_and_is_in_effect_as_before(value: dict[str, Any], judge: Judge) -> None:
    text = yaml_text.dump(value)
    before = judge.load(text)
    try:
        written = convert_text(text, release=RELEASE, origin="it", source=RELEASE).text
    except RefusedError:
        assert before.error
        return
    converted = judge.load(written)
    assert converted.error == ""
    # Gates that the manager refuses are mended, and then there is nothing to compare with.
    if not before.error:
        own, new = ({**it.effective, "featureGates": None} for it in (before, converted))
        assert own == new


@pytest.mark.parametrize(
    "text",
    [
        B1 + "waitForPodsReady: {enable: true, timeout: 0s}\n",
        B1 + "visibilityServer: {}\n",
        B1 + "namespace: a\nnamespace: b\n",
        B1 + "controller: {cacheSyncTimeout: 2m}\n",
        B1 + "featureGates: {NoSuchGate: false}\n",
        B1 + "featureGates: {LendingLimit: false}\n",
        B2 + "waitForPodsReady: {enable: true, timeout: 5m}\n",
        B2 + "fairSharing: {}\n",
    ],
)
def test_the_manager_does_not_start_with_what_is_refused_here(text: str, programs: Programs, tmp_path: Path) -> None:
    assert judged(text)[1]
    assert not starts(programs, text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        B1,
        B1 + "waitForPodsReady: {enable: true}\nfairSharing: {enable: true}\n",
        B1 + "waitForPodsReady: {enable: false, timeout: 3m}\nqueueVisibility: {updateIntervalSeconds: 5}\n",
        B1 + "integrations: {frameworks: [pod], podOptions: {podSelector: {matchLabels: {a: b}}}}\n",
        B1 + "featureGates: {NoSuchGate: false, LendingLimit: false, TopologyAwareScheduling: false}\n",
    ],
)
def test_the_manager_starts_with_what_is_converted(text: str, programs: Programs, tmp_path: Path) -> None:
    converted = convert_text(text, release=RELEASE, origin="it", source=Release.parse("0.12.2"))
    assert starts(programs, converted.text, tmp_path)


def judged(text: str) -> tuple[dict[str, Any], list[str]]:
    """What kueuelift takes to be in effect, and why the manager would not start."""
    try:
        decoded = decode(text, release=RELEASE, origin="it")
    except RefusedError as error:
        return {}, [str(error)]
    found = effective(decoded.value, decoded.version, RELEASE)
    gates = {name: bool(on) for name, on in (decoded.value.get("featureGates") or {}).items()}
    # This release holds dependencies against its defaults only, before it has read what is set.
    unset = [why for why in refusals(gates, RELEASE) if "without" not in why]
    wrong = [*map(str, problems(found, RELEASE)), *unset]
    return ({} if wrong else found), wrong


def starts(programs: Programs, text: str, folder: Path) -> bool:
    """Whether the real manager gets past its Configuration, to where it wants a cluster and finds none."""
    path = folder / "configuration.yaml"
    path.write_text(text)
    done = subprocess.run(
        [programs.kueue_manager, f"--config={path}"],
        env={"HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return '"msg":"Initializing"' in done.stderr
