from typing import Any

import pytest

from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.kinds import KINDS

SERVICE = crd.ServiceReference(namespace="queues", name="kueue-webhook-service")


def test_bundled_releases() -> None:
    assert crd.bundled_releases() == ("0.12.2", "0.16.0", "0.17.0", "0.18.1", "0.19.2", "0.20.0-devel")


@pytest.mark.parametrize(
    ("release", "chosen"),
    [("0.17.3", "0.17.0"), ("v0.17", "0.17.0"), ("0.12.0", "0.12.2"), ("0.20.0-devel", "0.20.0-devel")],
)
def test_a_patch_is_served_by_its_minor(release: str, chosen: str) -> None:
    assert crd.bundled_for(release) == chosen


@pytest.mark.parametrize("release", ["0.13.4", "0.14.0", "0.15.2", "0.20.0", "0.20.1-devel"])
def test_without_a_bundle_the_chart_is_asked_for(release: str) -> None:
    with pytest.raises(RefusedError, match=rf"release {release} .*--chart"):
        crd.bundled(release, service=None)


def test_conversion_follows_the_profile_and_the_service() -> None:
    hooked = {name: one["spec"]["conversion"] for name, one in crd.bundled("0.17.0", service=SERVICE).items()}
    assert hooked["clusterqueues"] == {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {"name": SERVICE.name, "namespace": SERVICE.namespace, "path": "/convert"}},
            "conversionReviewVersions": ["v1"],
        },
    }
    assert hooked["topologies"] == {"strategy": "None"}
    assert sum(one["strategy"] == "Webhook" for one in hooked.values()) == 5
    old = crd.bundled("0.12.2", service=SERVICE).values()
    assert all(one["spec"]["conversion"]["strategy"] == "Webhook" for one in old)
    assert all(
        one["spec"]["conversion"] == {"strategy": "None"} for one in crd.bundled("0.17.0", service=None).values()
    )


def test_copies_are_fresh() -> None:
    first = crd.bundled("0.17.0", service=None)["workloads"]
    first["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clear()
    first["spec"]["versions"][1]["additionalPrinterColumns"].clear()
    second = crd.bundled("0.17.0", service=None)["workloads"]
    assert crd.schema(second, "v1beta1")["properties"]
    assert second["spec"]["versions"][1]["additionalPrinterColumns"]


@pytest.mark.parametrize("release", crd.bundled_releases())
def test_shape_of_every_bundled_crd(release: str) -> None:
    bundle = crd.bundled(release, service=None)
    assert list(bundle) == [kind.plural for kind in KINDS]
    for kind in KINDS:
        one = bundle[kind.plural]
        assert one["metadata"]["name"] == kind.crd_name
        assert one["spec"]["names"]["kind"] == kind.name
        assert one["spec"]["scope"] == ("Namespaced" if kind.namespaced else "Cluster")
        assert crd.storage_version(one) in crd.served_versions(one)
        assert "description" not in _texts(one)


@pytest.mark.parametrize("release", crd.bundled_releases())
def test_printer_columns_point_at_fields_of_their_schema(release: str) -> None:
    for one in crd.bundled(release, service=None).values():
        for version in one["spec"]["versions"]:
            for column in version.get("additionalPrinterColumns", ()):
                if not column["jsonPath"].startswith(".metadata"):
                    _follow(version["schema"]["openAPIV3Schema"], column["jsonPath"])


def test_selectable_fields_and_short_names() -> None:
    def newest(release: str) -> dict[str, Any]:
        workloads: dict[str, Any] = crd.bundled(release, service=None)["workloads"]["spec"]
        return workloads

    assert newest("0.12.2")["names"]["shortNames"] == ["wl"]
    assert newest("0.17.0")["names"]["shortNames"] == ["kwl", "kueueworkload", "kueueworkloads"]
    assert "selectableFields" not in newest("0.17.0")["versions"][1]
    assert newest("0.18.1")["versions"][1]["selectableFields"] == [{"jsonPath": ".status.admission.clusterQueue"}]


def test_readers() -> None:
    one = crd.bundled("0.17.0", service=None)["clusterqueues"]
    assert crd.plural(one) == "clusterqueues"
    assert crd.versions(one) == crd.served_versions(one) == ("v1beta1", "v1beta2")
    assert crd.storage_version(one) == "v1beta2"
    assert crd.stored_versions(one) == ()
    one["status"] = {"storedVersions": ["v1beta1", "v1beta2"]}
    one["spec"]["versions"][0]["served"] = False
    assert crd.stored_versions(one) == ("v1beta1", "v1beta2")
    assert crd.served_versions(one) == ("v1beta2",)
    assert "cohortName" in crd.schema(one, "v1beta2")["properties"]["spec"]["properties"]
    with pytest.raises(
        RefusedError, match=r"clusterqueues\.kueue\.x-k8s\.io has no version v1alpha1, only v1beta1, v1beta2"
    ):
        crd.schema(one, "v1alpha1")


def test_two_storage_versions_are_refused() -> None:
    one = crd.bundled("0.17.0", service=None)["clusterqueues"]
    one["spec"]["versions"][0]["storage"] = True
    with pytest.raises(RefusedError, match=r"clusterqueues.*v1beta1.*v1beta2.*one version is wanted"):
        crd.storage_version(one)


def _texts(node: Any) -> set[str]:
    """Keys whose value is text, at any depth."""
    if isinstance(node, dict):
        return {k for k, v in node.items() if isinstance(v, str)}.union(*(_texts(v) for v in node.values()))
    return set().union(*(_texts(v) for v in node)) if isinstance(node, list) else set()


def _follow(schema: dict[str, Any], path: str) -> None:
    for part in path.partition("[")[0].strip(".").split("."):
        schema = schema["properties"][part]
