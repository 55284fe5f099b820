import json
from pathlib import Path

import pytest

from kueuelift import release_profile
from kueuelift.errors import RefusedError, ToolError
from kueuelift.kinds import BY_PLURAL
from kueuelift.release_profile import Release, known_releases, profile


def test_every_minor_has_a_profile() -> None:
    assert known_releases() == ("0.12", "0.13", "0.14", "0.15", "0.16", "0.17", "0.18", "0.19", "0.20")
    for line in known_releases():
        assert set(profile(line).kinds) == set(BY_PLURAL)
        assert set(profile(line).evidence) == {"chart", "conversion", "gates", "kubernetes", "versions"}


@pytest.mark.parametrize("text", ["0.17.0", "v0.17.0", "0.17", " v0.17 ", "0.17.0+build.5"])
def test_ways_to_write_a_release(text: str) -> None:
    assert Release.parse(text) == Release(major=0, minor=17)
    assert profile(text) is profile("0.17.0")


@pytest.mark.parametrize("text", ["", "latest", "17", "0.17.x", "0.17.0.1", "release-0.17"])
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(RefusedError, match="is not a Kueue release"):
        Release.parse(text)


@pytest.mark.parametrize("text", ["0.11.4", "0.21.0", "1.17.0"])
def test_an_unknown_release_names_the_known_ones(text: str) -> None:
    with pytest.raises(RefusedError, match=rf"{text} .*0\.12, 0\.13.*0\.20"):
        profile(text)


def test_order_of_releases() -> None:
    texts = ["0.9.0", "0.12.2", "0.12.10", "0.20.0-devel", "0.20.0-rc.2", "0.20.0-rc.10", "0.20.0", "0.20.1"]
    assert [str(r) for r in sorted(map(Release.parse, reversed(texts)))] == texts
    assert Release.parse("0.20.0") >= Release.parse("v0.20")


@pytest.mark.parametrize(
    ("release", "kind", "stored", "served"),
    [
        ("0.12.2", "cohorts", "v1alpha1", ("v1alpha1",)),
        ("0.12.2", "topologies", "v1alpha1", ("v1alpha1",)),
        ("0.12.2", "workloads", "v1beta1", ("v1beta1",)),
        ("0.13.4", "cohorts", "v1beta1", ("v1beta1",)),
        ("0.13.4", "topologies", "v1alpha1", ("v1alpha1",)),
        ("0.14.0", "topologies", "v1beta1", ("v1beta1",)),
        ("0.15.1", "workloads", "v1beta1", ("v1beta1", "v1beta2")),
        ("0.16.0", "workloads", "v1beta2", ("v1beta1", "v1beta2")),
    ],
)
def test_versions(release: str, kind: str, stored: str, served: tuple[str, ...]) -> None:
    found = profile(release).kinds[kind]
    assert (found.stored, found.served) == (stored, served)


def test_deprecation_leaves_out_one_kind() -> None:
    kinds = profile("0.18").kinds
    assert kinds["clusterqueues"].deprecated == ("v1beta1",)
    assert kinds["multikueueconfigs"].deprecated == ()


def test_what_0_20_serves_is_not_assumed() -> None:
    newest = profile("0.20.3")
    assert newest.crds_from_chart_only
    assert newest.evidence["versions"].level == "derived"
    assert not any(profile(line).crds_from_chart_only for line in known_releases() if line != "0.20")


def test_webhook_kinds() -> None:
    assert len(profile("0.12.2").webhook_kinds) == 11
    assert profile("0.17.0").webhook_kinds == (
        "clusterqueues",
        "cohorts",
        "localqueues",
        "multikueueclusters",
        "workloads",
    )


def test_a_removed_gate_is_absent() -> None:
    assert "QueueVisibility" in profile("0.13").gates
    assert "QueueVisibility" not in profile("0.14").gates
    assert "DisableWaitForPodsReady" not in profile("0.18.1").gates
    assert not profile("0.19.2").gates["DisableWaitForPodsReady"].default


def test_a_gate_can_come_and_return_in_a_patch() -> None:
    name = "FlavorFungibilityImplicitPreferenceDefault"
    present = [r for r in ("0.12.2", "0.15.0", "0.16.0", "0.16.3", "0.16.4", "0.17.0") if name in profile(r).gates]
    assert present == ["0.15.0", "0.16.4"]
    assert "TASValidateWorkloadSliceSize" not in profile("0.19.0").gates
    assert "TASValidateWorkloadSliceSize" in profile("0.19.2").gates


def test_state_of_a_gate_follows_the_release() -> None:
    states = {r: profile(r).gates["LendingLimit"] for r in ("0.12.2", "0.16.0", "0.17.0")}
    assert [(g.stage, g.default, g.locked) for g in states.values()] == [
        ("Beta", True, False),
        ("Beta", True, False),
        ("GA", True, True),
    ]


def test_dependencies_of_gates() -> None:
    gates = profile("0.18.1").gates
    assert gates["TASFailedNodeReplacementFailFast"].requires == ("TASFailedNodeReplacement", "TopologyAwareScheduling")
    assert gates["TASFailedNodeReplacement"].must_also_disable == (
        "TASFailedNodeReplacementFailFast",
        "TASReplaceNodeOnPodTermination",
    )
    assert profile("0.17.0").gates["TASFailedNodeReplacementFailFast"].requires == ()
    assert profile("0.16.0").at_most_one_on == (("TASProfileLeastFreeCapacity", "TASProfileMixed"),)
    assert profile("0.17.0").at_most_one_on == ()


@pytest.mark.parametrize(
    ("release_name", "overrides", "deployment"),
    [
        ("kueue", {}, "kueue-controller-manager"),
        ("my-kueue-1", {}, "my-kueue-1-controller-manager"),
        ("batch", {}, "batch-kueue-controller-manager"),
        ("batch", {"name": "queues"}, "batch-queues-controller-manager"),
        ("batch", {"full_name": "q"}, "q-controller-manager"),
        ("b" * 57, {}, "b" * 57 + "-kueue-controller-manager"),
        ("b" * 60, {}, "b" * 60 + "-ku-controller-manager"),
        ("b" * 62, {}, "b" * 62 + "-controller-manager"),
    ],
)
def test_names_of_chart_objects(release_name: str, overrides: dict[str, str], deployment: str) -> None:
    assert profile("0.17.0").chart.object_name("deployment", release_name, **overrides) == deployment


def test_a_data_file_with_a_stray_key_is_our_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(release_profile.__file__).with_name("releases")
    spoiled = json.loads((folder / "0.17.json").read_text()) | {"colour": "red"}
    monkeypatch.setattr(release_profile, "_load", lambda _: spoiled)
    with pytest.raises(ToolError, match="colour") as caught:
        release_profile._profile.__wrapped__(Release.parse("0.17.0"))
    assert caught.value.exit_code == 5
