"""What is no object, or no name, is refused by origin and path before anything works with it."""

import pytest

from kueuelift.errors import RefusedError
from kueuelift.helm_record import HelmRecord
from kueuelift.object_shape import helm_name, shaped, shaped_crd

VERSION = {"name": "v1beta1", "served": True, "storage": True, "schema": {}}
GOOD = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "namespace": "n"}}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"apiVersion": None}, "apiVersion"),
        ({"kind": 5}, "kind"),
        ({"metadata": None}, "metadata"),
        ({"metadata": "a"}, "metadata"),
        ({"metadata": {"namespace": "n"}}, "metadata.name"),
        ({"metadata": {"name": "a", "namespace": ""}}, "metadata.namespace"),
        ({"metadata": {"name": "a", "namespace": "n", "labels": []}}, "metadata.labels"),
        ({"metadata": {"name": "a", "namespace": "n", "ownerReferences": [None]}}, "metadata.ownerReferences"),
        ({"metadata": {"name": "a", "namespace": "n", "ownerReferences": [{}]}}, "metadata.ownerReferences"),
        ({"spec": []}, "spec"),
        ({"status": "x"}, "status"),
    ],
)
def test_what_is_missing_is_named(change: dict[str, object], path: str) -> None:
    with pytest.raises(RefusedError, match=f"origin: {path}"):
        shaped({**GOOD, **change}, "origin", namespaced=True)


@pytest.mark.parametrize("value", [None, "text", 5, []])
def test_what_is_no_object_at_all(value: object) -> None:
    with pytest.raises(RefusedError, match="an object wanted"):
        shaped(value, "origin")


def test_nulls_at_the_top_are_left_out_as_the_server_does() -> None:
    assert shaped({**GOOD, "spec": None, "status": None}, "origin") == GOOD


@pytest.mark.parametrize("name", ["--post-renderer=/tmp/x", "-x", "", "a b", "A", "a" * 300, None, 5, "a/b"])
def test_a_name_that_helm_could_take_for_an_option_is_refused(name: object) -> None:
    with pytest.raises(RefusedError, match="see who wrote this Helm record"):
        helm_name(name, "name")
    info = {
        "namespace": "kueue-system",
        "storageNamespace": "kueue-system",
        "release": name,
        "revision": 1,
        "status": "deployed",
        "chart": {"name": "kueue", "version": "0.12.2", "appVersion": "v0.12.2"},
    }
    with pytest.raises(RefusedError, match="see who wrote this Helm record"):
        HelmRecord.from_parts(info, values={}, computed={}, manifest=[], hooks=[], origin="S: helm/a/b/v1")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"spec": None}, "spec"),
        ({"spec": {"names": {}, "versions": [VERSION]}}, "spec.names.plural"),
        ({"spec": {"names": {"plural": "as"}}}, "spec.versions"),
        ({"spec": {"names": {"plural": "as"}, "versions": [None]}}, "spec.versions"),
        ({"spec": {"names": {"plural": "as"}, "versions": []}}, "spec.versions"),
        ({"spec": {"names": {"plural": "as"}, "versions": [VERSION, VERSION]}}, "spec.versions"),
        ({"spec": {"names": {"plural": "as"}, "versions": [VERSION | {"served": "yes"}]}}, r"spec.versions\[\].served"),
        ({"spec": {"names": {"plural": "as"}, "versions": [VERSION | {"schema": 5}]}}, r"spec.versions\[\].schema"),
        ({"status": {"storedVersions": "v1"}}, "status.storedVersions"),
    ],
)
def test_a_definition_without_its_versions_is_refused(change: dict[str, object], path: str) -> None:
    good = {**GOOD, "spec": {"names": {"plural": "as"}, "versions": [VERSION]}}
    assert shaped_crd(good, "origin") == good
    with pytest.raises(RefusedError, match=f"origin: {path}"):
        shaped_crd({**good, **change}, "origin")


@pytest.mark.parametrize(
    ("schema", "path"), [(None, "schema"), ({}, "schema.openAPIV3Schema"), ({"openAPIV3Schema": 5}, "schema.openAPIV3")]
)
def test_a_definition_whose_objects_are_read_has_their_schemas(schema: object, path: str) -> None:
    def crd(schema: object) -> dict[str, object]:
        return {**GOOD, "spec": {"names": {"plural": "as"}, "versions": [VERSION | {"schema": schema}]}}

    good = crd({"openAPIV3Schema": {"type": "object"}})
    assert shaped_crd(good, "origin", schemas=True) == good
    with pytest.raises(RefusedError, match=rf"origin: spec.versions\[\].{path}"):
        shaped_crd(crd(schema), "origin", schemas=True)
