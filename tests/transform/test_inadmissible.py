"""What the webhooks of target and source say of a stored form."""

import admission_cases
from kueuelift.model import ObjectRef
from kueuelift.release_profile import Release
from kueuelift_transform.inadmissible import Webhooks

CASES = {case.rule: case for case in admission_cases.read()}
TARGET = Release.parse("0.17.0")


def said(webhooks: Webhooks, rule: str) -> list[tuple[str, bool | None]]:
    bad = CASES[rule].bad
    return [(one.broken.rule, one.already) for one in webhooks.inadmissible(ObjectRef.of(bad), bad)]


def test_it_says_whether_the_source_refuses_it_too() -> None:
    webhooks = Webhooks(TARGET, Release.parse("0.12.2"), {})
    assert said(webhooks, "CQ-14") == [("CQ-14", False)]
    assert said(webhooks, "CQ-08") == [("CQ-08", True)]


def test_without_a_source_nothing_is_said_of_it() -> None:
    assert said(Webhooks(TARGET, None, {}), "CQ-14") == [("CQ-14", None)]


def test_the_gates_are_those_that_are_set() -> None:
    assert said(Webhooks(TARGET, None, {}), "WL-28") == []
    assert said(Webhooks(TARGET, None, {"PriorityBoost": True}), "WL-28") == [("WL-28", None)]


def test_what_the_source_alone_refuses_is_no_matter() -> None:
    source = Release.parse("0.16.0")
    assert said(Webhooks(TARGET, source, {"LendingLimit": False}), "CQ-08") == [("CQ-08", False)]
    assert said(Webhooks(source, TARGET, {"LendingLimit": False}), "CQ-08") == []
