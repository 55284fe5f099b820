"""Whatever a manager takes at either version, it does the same with what is made of it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configuration_values import configurations
from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.manager_config import NEW, OLD
from kueuelift.release_profile import Release
from kueuelift_transform.configuration import convert_text
from kueuelift_transform.configuration_change import Category
from kueuelift_transform.configuration_decode import decode
from kueuelift_transform.configuration_effective import effective
from kueuelift_transform.gate_set import refusals

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
RELEASES = [Release.parse(name) for name in ("0.16.0", "0.17.0", "0.18.1", "0.19.2", "0.20.0-devel")]
OTHERWISE = {
    "integrations.podOptions.namespaceSelector": "managedJobsNamespaceSelector",
    # A field of v1beta2 alone, sourceKind, is filled in at 0.19, and there is no text that leaves it empty.
    "metrics.customLabels": "metrics",
}
"""What is told to be otherwise, by path: where it is."""


@pytest.mark.parametrize("release", RELEASES, ids=str)
@SLOW
@given(data=st.data())
def test_the_target_does_with_it_what_it_did_before(release: Release, data: st.DataObject) -> None:
    value: dict[str, Any] = data.draw(st.sampled_from([OLD, NEW]).flatmap(lambda it: configurations(it, release)))
    text = yaml_text.dump(value)
    try:
        found = convert_text(text, release=release, origin="it", source=release)
    except RefusedError:
        return
    before = effective(value, value["apiVersion"].rpartition("/")[2], release)
    after = effective(decode(found.text, release=release, origin="it").value, NEW, release)
    told = {change.path for change in found.changes if change.category in (Category.MOVED, Category.EFFECT)}
    assert told <= {"integrations.podOptions.namespaceSelector", "metrics.customLabels"}
    for otherwise in ("featureGates", *(OTHERWISE[path] for path in told)):
        before.pop(otherwise, None)
        after.pop(otherwise, None)
    assert before == after
    assert refusals(found.value.get("featureGates") or {}, release) == []


@SLOW
@given(data=st.data())
def test_converting_twice_changes_nothing_more(data: st.DataObject) -> None:
    release = data.draw(st.sampled_from(RELEASES))
    value = data.draw(st.sampled_from([OLD, NEW]).flatmap(lambda it: configurations(it, release)))
    try:
        once = convert_text(yaml_text.dump(value), release=release, origin="it", source=release)
    except RefusedError:
        return
    twice = convert_text(once.text, release=release, origin="it", source=release)
    assert (twice.text, twice.changes) == (once.text, ())


@SLOW
@given(data=st.data())
def test_waiting_that_was_off_stays_off_whatever_else_is_said(data: st.DataObject) -> None:
    release = data.draw(st.sampled_from(RELEASES))
    value = data.draw(configurations(OLD, release))
    if (value.get("waitForPodsReady") or {}).get("enable"):
        return
    source = data.draw(st.sampled_from([None, Release.parse("0.12.2"), Release.parse("0.16.0")]))
    try:
        found = convert_text(yaml_text.dump(value), release=release, origin="it", source=source)
    except RefusedError:
        return
    assert "waitForPodsReady" not in effective(found.value, NEW, release)
    gates = found.value.get("featureGates") or {}
    assert ("DisableWaitForPodsReady" in gates) is (release >= Release.parse("0.19"))


@SLOW
@given(data=st.data())
def test_bad_input_is_refused_in_a_sentence(data: st.DataObject) -> None:
    release = data.draw(st.sampled_from(RELEASES))
    value = data.draw(st.sampled_from([OLD, NEW]).flatmap(lambda it: configurations(it, release, odd=True)))
    refused = "it: "
    try:
        convert_text(yaml_text.dump(value), release=release, origin="it")
    except RefusedError as error:
        refused = str(error)
    assert refused.startswith("it: ")
