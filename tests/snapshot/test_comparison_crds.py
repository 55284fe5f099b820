"""CRDs are summed up: what is served and stored, who converts, and how many fields of their schemas differ."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from comparing import compared, queue, told
from kueuelift.errors import RefusedError
from kueuelift_snapshot.crd_comparison import schema_note
from snapshot_maker import Cluster, crds_of


def test_a_definition_without_its_shape_is_refused(tmp_path: Path) -> None:
    crds = crds_of("0.12.2")
    crds["clusterqueues"]["spec"]["versions"][0]["schema"] = {}
    with pytest.raises(RefusedError, match=r"crds/clusterqueues\.yaml: spec\.versions\[\]\.schema\.openAPIV3Schema"):
        compared(tmp_path, Cluster(crds=crds, objects=[queue()], raw=True), Cluster(objects=[queue("a", cohort="b")]))


def schema_of(crd: dict[str, Any]) -> dict[str, Any]:
    """The first version's schema of a queue's spec."""
    found: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return found


def test_versions_stored_versions_and_conversion_are_told(tmp_path: Path) -> None:
    found = compared(tmp_path, Cluster(), Cluster(crds=crds_of("0.12.2", also_stored="v1beta9")))
    assert {change.what for change in found.changes} == {"CustomResourceDefinition"}
    assert all(line.startswith(("~ Custom", "+ status.storedVersions[1]")) for line in told(found))
    crds = crds_of("0.12.2")
    crds["clusterqueues"]["spec"]["conversion"] = {"strategy": "None"}
    crds["clusterqueues"]["spec"]["versions"][0]["served"] = False
    lines = told(compared(tmp_path, Cluster(), Cluster(crds=crds)))
    assert lines[0] == "~ CustomResourceDefinition clusterqueues.kueue.x-k8s.io"
    assert any(line.startswith("~ spec.conversion.strategy: ") for line in lines)
    assert "~ spec.versions[name=v1beta1].served: true -> false" in lines


def test_a_schema_is_summed_up_by_its_fields(tmp_path: Path) -> None:
    crds = crds_of("0.12.2")
    spec = schema_of(crds["clusterqueues"])
    spec["properties"]["cohort"]["maxLength"] = 7
    spec["properties"]["stopPolicy"]["description"] = "other words"
    spec["properties"]["more"] = {"type": "object", "properties": {"less": {"type": "string"}}}
    del spec["properties"]["queueingStrategy"]
    (change,) = compared(tmp_path, Cluster(), Cluster(crds=crds)).changes
    assert change.edits == ()
    assert change.notes == ("spec.versions[name=v1beta1].schema: 1 field differs, 1 only in A, 2 only in B",)


def test_descriptions_are_no_difference_and_counted(tmp_path: Path) -> None:
    crds = crds_of("0.12.2")
    schema_of(crds["clusterqueues"])["description"] = "other words"
    found = compared(tmp_path, Cluster(), Cluster(crds=crds))
    assert (found.exit_code, found.changes) == (0, ())
    assert [(it.field, it.objects) for it in found.hidden] == [("spec.versions[].schema..description", 1)]


def test_after_a_migration_the_queues_come_first_and_each_crd_takes_few_lines(tmp_path: Path) -> None:
    """Two releases differ in hundreds of fields and descriptions."""
    found = compared(
        tmp_path,
        Cluster(objects=[queue()]),
        Cluster(crds=crds_of("0.17.0"), objects=[queue(stopPolicy="Hold")]),
    )
    assert [change.what for change in found.changes][:2] == ["ClusterQueue", "CustomResourceDefinition"]
    crds = [change for change in found.changes if change.what == "CustomResourceDefinition"]
    assert all(len(change.edits) + len(change.notes) < 25 for change in crds)
    assert "description" not in "\n".join(told(found))


def test_without_status_stored_versions_are_told_all_the_same(tmp_path: Path) -> None:
    crds = crds_of("0.12.2", also_stored="v1beta9")
    for crd in crds.values():
        crd["status"]["acceptedNames"] = {"plural": "other"}
    found = compared(tmp_path, Cluster(), Cluster(crds=crds), status=False)
    assert found.exit_code == 1
    assert all(line.startswith(("~ Custom", "+ status.storedVersions[1]")) for line in told(found))
    assert "status" in {it.field for it in found.hidden}


def test_a_crd_that_was_made_again_says_so(tmp_path: Path) -> None:
    crds = crds_of("0.12.2")
    crds["topologies"]["metadata"]["uid"] = "another"
    found = compared(tmp_path, Cluster(), Cluster(crds=crds))
    (change,) = found.changes
    assert change.notes == ("re-created: uid uid-of-topologies.kueue.x-k8s.io -> another",)


@pytest.mark.parametrize("odd", [None, [], "x", {"properties": []}, {"properties": {"a": 1}, "items": [1]}])
def test_odd_schemas_are_compared_as_they_are(odd: Any) -> None:
    assert schema_note("v1", odd, {"properties": {"a": {"type": "string"}}}, ("A", "B")) != ""
    assert schema_note("v1", odd, deepcopy(odd), ("A", "B")) == ""
