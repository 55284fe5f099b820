"""What is handed back unread must be what reading would have given."""

from random import Random
from typing import Any

import pytest

from kueuelift.kinds import TARGET_VERSION
from kueuelift.quantity import canonical
from kueuelift_transform import go_settled, go_struct
from kueuelift_transform.go_scalar import MismatchError
from kueuelift_transform.go_settled import compile_settled
from mutation import ODD_VALUES, spoiled
from struct_values import arbitrary_object

SHAPES = go_struct._shared_structs("0.35")
SUFFIXES = ["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E6"]


def _slowly(struct: str, value: Any) -> Any:
    # A codec of its own has read too little yet to have been compiled.
    return go_struct._Reader(None, "0.35").named(struct).decode(value)


@pytest.mark.parametrize("seed", range(40))
def test_a_settled_struct_reads_as_itself(seed: int) -> None:
    random = Random(seed)
    settled = {struct: compile_settled(struct, SHAPES) for struct in ("PodTemplateSpec", "ObjectMeta")}
    yes = 0
    for obj in (arbitrary_object(random, "Workload", TARGET_VERSION) for _ in range(4)):
        pod_sets = (obj.get("spec") or {}).get("podSets") or []
        values = [("ObjectMeta", obj.get("metadata") or {}), ("PodTemplateSpec", {"spec": {"containers": None}})]
        values += [("PodTemplateSpec", (one or {}).get("template") or {}) for one in pod_sets]
        for struct, value in values:
            try:
                written = _slowly(struct, value)
            except MismatchError:
                continue
            for form in (value, written, *(spoiled(written, random) for _ in range(3))):
                if settled[struct](form):
                    yes += 1
                    assert repr(_slowly(struct, form)) == repr(form)
    assert yes


@pytest.mark.parametrize("scalar", ["string", "bool", "int32", "int64", "quantity", "time", "int-or-string", "any"])
@pytest.mark.parametrize("marks", ["{}", "*{}", "[]{}", "{{}}{}", "{}!"])
def test_scalars(scalar: str, marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = {"One": {"a": marks.format(scalar)}}
    monkeypatch.setattr(go_struct, "_shared_structs", lambda _: shapes)
    settled = compile_settled("One", shapes)
    more = ("500m", "1Gi", "1500", "1000", "8Ei", "2026-01-31T12:00:00Z", "0001-01-01T00:00:00Z", 7, 2**31 - 1, ["x"])
    for value in (*ODD_VALUES, *more):
        for held in (value, [value], {"k": value}):
            if settled({"a": held}):
                assert repr(_slowly("One", {"a": held})) == repr({"a": held})


def test_quantities_that_are_kept() -> None:
    settled = compile_settled("One", {"One": {"a": "*quantity"}})
    texts = [f"{number}{suffix}" for suffix in SUFFIXES for number in (*range(1200), 1536, 2048, 9000, 12345, 10**17)]
    kept = [text for text in texts if settled({"a": text})]
    assert [text for text in kept if canonical(text) != text] == []
    assert {"500m", "512Mi", "4", "1536"} <= set(kept)


def test_a_codec_asks_once_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = go_struct._Reader(None, "0.35").named("ObjectMeta")
    value = {"name": "a", "labels": {"b": "c"}}
    assert [codec.decode(value) is value for _ in range(go_struct._PAYS_FROM + 1)] == [
        *[False] * (go_struct._PAYS_FROM - 1),
        True,
        True,
    ]
    assert codec.decode({**value, "colour": 1}) == value
    assert go_settled.compile_settled("ObjectMeta", SHAPES)(value)
