"""The data on the manager's Configuration, as its reader gives it."""

import itertools

import pytest

from kueuelift.errors import RefusedError
from kueuelift.manager_config import NEW, OLD, ConfigField, manager_config, version_in
from kueuelift.release_profile import Release, known_releases

LATEST = Release.parse("0.20.0")


def paths(shape: ConfigField, above: str = "") -> set[str]:
    found = set()
    for name, field in (shape.fields or {}).items():
        path = f"{above}.{name}" if above else name
        inner = field.items if field.items and field.items.fields else field
        found |= {path, *paths(inner, f"{path}[]" if inner is not field else path)}
    return found


@pytest.mark.parametrize("line", known_releases())
def test_every_release_has_a_shape_for_each_version_that_it_loads(line: str) -> None:
    known = manager_config(Release.parse(line))
    assert set(known.shapes) == ({OLD, NEW} if Release.parse(line) >= Release.parse("0.15") else {OLD})
    assert known.evidence.source
    assert set(known.defaults) == set(known.shapes)


@pytest.mark.parametrize("line", known_releases())
def test_defaults_and_rules_name_fields_that_there_are(line: str) -> None:
    known = manager_config(Release.parse(line))
    fields = set().union(*(paths(shape) for shape in known.shapes.values()))
    for version, defaults in known.defaults.items():
        own = fields if version == OLD else paths(known.shapes[version])
        assert {default.path for default in defaults} <= own
    if NEW in known.shapes:
        assert {rule.field for rule in known.rules} <= paths(known.shapes[NEW])


@pytest.mark.parametrize("version", [OLD, NEW])
def test_a_later_release_drops_no_field(version: str) -> None:
    releases = [Release.parse(line) for line in known_releases()]
    shapes = [manager_config(it).shapes[version] for it in releases if version in manager_config(it).shapes]
    for older, newer in itertools.pairwise(shapes):
        assert paths(older) <= paths(newer)


@pytest.mark.parametrize(
    ("release", "path", "there"),
    [
        ("0.16.0", "visibilityServer", False),
        ("0.17.0", "visibilityServer.bindPort", True),
        ("0.17.0", "resources.quotaCheckStrategy", False),
        ("0.18.1", "resources.deviceClassMappings[].sources[].counter.driver", True),
        ("0.18.1", "resources.deviceClassMappings[].sources[].capacity", False),
        ("0.18.1", "tls.curvePreferences", False),
        ("0.19.2", "multiKueue.incrementalDispatcherConfig.stepSize", True),
        ("0.20.0-devel", "multiKueue.clusterProfile.accessProviders[].execConfig.env[].name", True),
    ],
)
def test_a_field_comes_with_its_release(release: str, path: str, there: bool) -> None:
    assert (path in paths(manager_config(Release.parse(release)).shapes[NEW])) is there


def test_what_only_the_old_version_has_and_the_other_way_round() -> None:
    old, new = (paths(manager_config(LATEST).shapes[version]) for version in (OLD, NEW))
    assert {path for path in old - new if path.count(".") < 2} == {
        "fairSharing.enable",
        "integrations.podOptions",
        "queueVisibility",
        "queueVisibility.clusterQueues",
        "queueVisibility.updateIntervalSeconds",
        "waitForPodsReady.enable",
    }
    assert {path for path in new - old if "." not in path} == {"visibilityServer"}


def test_frameworks_grow() -> None:
    assert "ray.io/rayservice" not in manager_config(Release.parse("0.16.0")).frameworks
    assert manager_config(Release.parse("0.17.0")).frameworks["ray.io/rayservice"].kind == "RayService.v1.ray.io"


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"apiVersion": "config.kueue.x-k8s.io/v1beta1"},
        {"apiVersion": "config.kueue.x-k8s.io/v1beta3", "kind": "Configuration"},
        {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Configuration"},
    ],
)
def test_what_says_no_version_is_refused(document: dict[str, str]) -> None:
    with pytest.raises(RefusedError, match=r"it: apiVersion .* found, .* wanted"):
        version_in(document, "it")
