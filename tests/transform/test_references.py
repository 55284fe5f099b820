"""What names what, over the objects of a whole cluster."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelift.model import KubernetesObject
from kueuelift_transform.references import References

letters = st.sampled_from("abcdef")


def obj(kind: str, name: str, **spec: Any) -> KubernetesObject:
    return {"kind": kind, "metadata": {"name": name}, "spec": spec}


def cohorts(parents: dict[str, str]) -> References:
    references = References()
    for name, parent in parents.items():
        references.add(obj("Cohort", name, parentName=parent))
        references.add(obj("ClusterQueue", f"queue-{name}", cohortName=name))
    return references


@given(st.dictionaries(letters, letters))
def test_cycles_are_what_comes_back_to_itself(parents: dict[str, str]) -> None:
    def comes_back(name: str) -> bool:
        here = name
        for _ in parents:
            here = parents.get(here, "")
            if here == name:
                return True
        return False

    rings = cohorts(parents).cycles()
    in_rings = [name for ring in rings for name in ring]
    assert sorted(in_rings) == sorted(name for name in parents if comes_back(name))
    for ring in rings:
        assert ring[0] == min(ring)
        assert [parents[name] for name in ring] == [*ring[1:], ring[0]]


@given(st.dictionaries(letters, letters))
def test_the_queues_below_a_ring_are_those_that_never_reach_a_root(parents: dict[str, str]) -> None:
    references = cohorts(parents)

    def ends(name: str) -> bool:
        for _ in range(len(parents) + 1):
            name = parents.get(name, "")
        return not name

    idle = {queue for ring in references.cycles() for queue in references.queues_below(ring)}
    assert idle == {f"ClusterQueue queue-{name}" for name in parents if not ends(name)}


def test_only_kinds_that_are_known_can_be_missing() -> None:
    references = References()
    references.add(obj("LocalQueue", "main", clusterQueue="gone"))
    assert [one.name for one in references.dangling(["ClusterQueue"])] == ["gone"]
    assert references.dangling(["ResourceFlavor"]) == []
    references.add(obj("ClusterQueue", "gone"))
    assert references.dangling(["ClusterQueue"]) == []


def test_odd_specs_name_nothing() -> None:
    references = References()
    references.add({"kind": "Cohort", "metadata": {"name": "a"}, "spec": None})
    references.add(obj("ClusterQueue", "b", resourceGroups=[1, {"flavors": None}], admissionChecksStrategy=7))
    assert references.dangling(["ResourceFlavor", "AdmissionCheck", "Cohort"]) == []
