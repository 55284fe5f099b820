"""Records that cannot be read: which of them could be Kueue's, and which are nobody's concern."""

import json
from typing import Any

import pytest

from helm_takes import BROKEN, NOT_READABLE, REDACTOR, take, with_manager
from kueuelift.model import KubernetesObject
from kueuelift_snapshot.helm_releases import DRIVERS, Releases, Suspects
from release_secrets import (
    config_map,
    encoded,
    foreign,
    release,
    secret,
)


def test_one_readable_revision_among_corrupt_ones() -> None:
    """As case 43 has it: v2 can be read, v3 is truncated, v4 is not base64."""
    good = secret(release(version=2))
    truncated = secret(release(version=3), data=good["data"]["release"][: len(good["data"]["release"]) // 8 * 4])
    records, failures = take(good, truncated, secret(release(version=4), data=BROKEN))
    assert [found.record.revision for found in records] == [2]
    assert [(it.what, it.reason, it.foreign) for it in failures] == [
        (
            "Secret kueue-system/sh.helm.release.v1.kueue.v3",
            f"{NOT_READABLE}its gzip stream is truncated",
            False,
        ),
        ("Secret kueue-system/sh.helm.release.v1.kueue.v4", f"{NOT_READABLE}not base64", False),
    ]


@pytest.mark.parametrize(
    ("others", "is_foreign"),
    [
        ([], False),
        ([secret(foreign())], True),
        ([config_map(foreign())], True),
        ([secret(foreign(name="other"))], False),
        ([secret(foreign()), secret(release(name="web", version=3))], False),
        ([secret(foreign()), secret(release(name="web", version=3) | {"manifest": "kueue: {"})], False),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_an_unreadable_record_is_foreign_where_all_other_revisions_are(
    others: list[KubernetesObject], is_foreign: bool, last: bool
) -> None:
    broken = secret(foreign(version=2), data=BROKEN)
    _, failures = take(*others, broken) if last else take(broken, *others)
    assert [it.foreign for it in failures if it.what.endswith("web.v2")] == [is_foreign]


def test_a_release_of_the_same_name_elsewhere_says_nothing() -> None:
    elsewhere = secret(foreign(), namespace="other")
    _, (found,) = take(elsewhere, secret(foreign(version=2), data=BROKEN))
    assert not found.foreign


def test_name_and_label_must_agree_on_what_is_foreign() -> None:
    broken = secret(foreign(version=2), data=BROKEN)
    broken["metadata"]["labels"]["name"] = "kueue"
    _, (found,) = take(secret(foreign()), broken)
    assert not found.foreign
    broken["metadata"] = {"name": "nobody-knows", "namespace": "kueue-system"}
    _, (found,) = take(secret(foreign()), broken)
    assert not found.foreign


def test_a_broken_record_that_names_kueue_is_not_foreign_whatever_the_others_are() -> None:
    content = json.dumps(release(name="web", version=2, manifest="kueue " + "".join(map(chr, range(256, 1200)))))
    whole = encoded(content.encode())
    _, (found,) = take(secret(foreign()), secret(foreign(version=2), data=whole[: len(whole) // 8 * 7 // 4 * 4]))
    assert found.reason == f"{NOT_READABLE}its gzip stream is truncated"
    assert not found.foreign


def test_a_list_that_begins_again_is_forgotten() -> None:
    releases = Releases(REDACTOR)
    for _ in range(2):
        for driver in DRIVERS:
            releases.forget(driver.name)
        assert releases.take(secret())
        assert releases.take(config_map(release(version=2)))
        assert releases.take(secret(release(version=3), data=BROKEN)) is None
    assert [it.what for it in releases.failures(with_manager)] == ["Secret kueue-system/sh.helm.release.v1.kueue.v3"]
    releases.forget("secret")
    assert releases.failures(with_manager) == []


def test_an_unreadable_record_is_foreign_by_the_place_where_the_others_lie() -> None:
    others = secret(foreign(namespace="web"), namespace="flux-system")
    broken = {place: secret(foreign(version=2), data=BROKEN, namespace=place) for place in ("flux-system", "web")}
    _, (found,) = take(others, broken["flux-system"], suspects=lambda *_: True)
    assert found.foreign
    _, (found,) = take(others, broken["web"], suspects=lambda *_: True)
    assert not found.foreign


def nothing(_: str, __: str) -> bool:
    """As if nothing in the cluster said Kueue."""
    return False


@pytest.mark.parametrize("made", [secret, config_map])
def test_one_of_a_stranger_is_foreign_where_nothing_says_kueue(made: Any) -> None:
    _, (found,) = take(made(foreign(), data=BROKEN), suspects=nothing)
    assert not found.foreign, "the namespace says it"
    elsewhere = made(foreign(), data=BROKEN)
    elsewhere["metadata"]["namespace"] = "web"
    _, (found,) = take(elsewhere, suspects=nothing)
    assert found.foreign
    assert found.reason == f"{NOT_READABLE}not base64"


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "sh.helm.release.v1.kueue.v1"},
        {"name": "sh.helm.release.v1.my-kueue-x.v1"},
        {"namespace": "team-kueue"},
        {"labels": {"owner": "helm", "name": "web", "chart": "kueue-0.12.2"}},
        {"name": "no-record-of-helm", "labels": {"owner": "helm"}},
        {"name": "no-record-of-helm", "labels": None},
    ],
)
def test_names_that_say_kueue_or_nothing_are_not_foreign(metadata: dict[str, Any]) -> None:
    broken = secret(foreign(), data=BROKEN, namespace="web")
    broken["metadata"] |= metadata
    _, (found,) = take(broken, suspects=nothing)
    assert not found.foreign


@pytest.mark.parametrize(
    ("suspects", "is_foreign"),
    [
        (lambda namespace, _: namespace == "web", False),
        (lambda _, name: name == "platform", False),
        (lambda namespace, name: (namespace, name) == ("other", "other"), True),
    ],
)
def test_a_release_of_any_name_beside_a_manager_could_be_kueues(suspects: Suspects, is_foreign: bool) -> None:
    broken = secret(foreign(name="platform"), data=BROKEN, namespace="web")
    _, (found,) = take(broken, suspects=suspects)
    assert found.foreign is is_foreign
    _, failures = take(secret(release(name="platform", version=2), namespace="web"), broken, suspects=nothing)
    assert [it.foreign for it in failures] == [False]
    _, failures = take(secret(foreign(name="platform", version=2), namespace="web"), broken, suspects=suspects)
    assert [it.foreign for it in failures] == [True]
