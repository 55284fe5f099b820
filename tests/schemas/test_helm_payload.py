import base64
import contextlib
import gzip
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kueuelift import helm_payload
from kueuelift.helm_payload import LARGEST_RECORD, UnreadableError, computed_values, decode, encode
from kueuelift.model import KubernetesObject
from release_secrets import config_map, encoded, foreign, release, secret

WHERE = "Secret kueue-system/sh.helm.release.v1.kueue.v1: holds no readable Helm release record: "
PACKED = gzip.compress(json.dumps(release()).encode(), mtime=0)


def twice_base64(content: bytes) -> str:
    return base64.b64encode(base64.b64encode(content)).decode()


def unreadable(obj: KubernetesObject) -> UnreadableError:
    with pytest.raises(UnreadableError) as raised:
        decode(obj)
    return raised.value


def reason(data: str) -> str:
    error = unreadable(secret(data=data))
    assert str(error) == f"{WHERE}{error.reason}; see with `helm history` what Helm makes of it"
    return error.reason


@pytest.mark.parametrize("made", [secret, config_map])
def test_a_record_is_the_same_in_both_drivers(made: Any) -> None:
    assert decode(made(release())).record == release()


def test_the_size_is_that_of_the_encoded_record_in_both_drivers() -> None:
    """What the API server counts: for a Secret, the bytes behind the API's own base64."""
    size = len(base64.b64encode(gzip.compress(json.dumps(release()).encode(), mtime=0)))
    assert decode(secret(release())).size == decode(config_map(release())).size == size


def test_a_record_near_the_limit_is_measured() -> None:
    """As case 44 has it: 1012345 bytes are above 80 % of what an API server takes."""
    record = json.dumps(release()).encode() + b" " * 10
    filler = 1012344 // 4 * 3 - len(record)
    data = base64.b64encode(base64.b64encode(record + b" " * filler)).decode()
    assert decode(secret(data=data)).size == 1012344 > 0.8 * LARGEST_RECORD


def test_old_records_without_gzip_are_read_too() -> None:
    assert decode(secret(data=twice_base64(json.dumps(release()).encode()))).record["name"] == "kueue"


def test_lines_of_base64_are_put_together_as_go_does() -> None:
    folded = base64.encodebytes(PACKED).decode()
    assert "\n" in folded
    assert decode(config_map(data=folded.replace("\n", "\r\n"))).record == release()


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ("!!notbase64", "not base64"),
        ("bm90IGJhc2U2NCE=", "not base64"),
        ("ü", "not base64"),
        (encoded(b"no json"), "not JSON"),
        (encoded(b"[1]"), "not a JSON object"),
        (encoded(b'{"a": "\xff"}'), "not JSON"),
        (encoded(b'{"a": ' + b"[" * 2000 + b"]" * 2000 + b"}"), "not JSON"),
        (twice_base64(PACKED[:60]), "its gzip stream is truncated"),
        (twice_base64(PACKED[:40] + bytes([PACKED[40] ^ 0xFF]) + PACKED[41:]), "its gzip stream is damaged"),
        (twice_base64(PACKED[:-8] + b"12345678"), "its gzip stream is damaged"),
        (twice_base64(PACKED + b"more"), "something follows its gzip stream"),
        (encoded(b" " * (64 << 20)), "it unpacks to more than 32 MiB"),
        ("A" * (5 << 20), "5242880 characters, where an API server takes 1048576 bytes"),
        (encoded(b'{"a": [' + b"[]," * 1_000_000 + b"[]]}"), "it has more than 1000000 values"),
    ],
)
def test_what_is_no_record_is_refused_with_its_reason(data: str, wanted: str) -> None:
    assert reason(data) == wanted


@pytest.mark.parametrize("data", [{}, {"password": "aHVudGVy"}, None, [], "text", {"release": 5}])
def test_an_object_without_a_record(data: Any) -> None:
    assert unreadable({**secret(), "data": data}).reason == "no key `release` in its data"


def test_a_broken_stream_tells_what_could_be_unpacked() -> None:
    """Which is how a record is known to be Kueue's although nobody can read it."""
    content = json.dumps(release(manifest="kueue " + "".join(map(chr, range(256, 1200))))).encode()
    packed = gzip.compress(content, mtime=0)
    assert b"kueue" in unreadable(secret(data=twice_base64(packed[:-40]))).found
    damaged = packed[:-60] + b"\xff" * 30 + packed[-30:]
    assert b"kueue" in unreadable(secret(data=twice_base64(damaged))).found


@pytest.mark.parametrize("made", [secret, config_map])
def test_another_record_takes_the_place_of_the_old_one(made: Any) -> None:
    before = made(release())
    after = encode(before, release(version=2))
    assert decode(after).record == release(version=2)
    assert {**after, "data": None} == {**before, "data": None}
    assert decode(before).record == release()


def test_helm_names_the_objects() -> None:
    assert helm_payload.release_of(secret(release(name="a.v2", version=3))) == "a.v2"
    assert helm_payload.release_of(secret(name="my-backup")) is None
    assert helm_payload.release_of({}) is None
    assert helm_payload.object_name("kueue", 3) == "sh.helm.release.v1.kueue.v3"
    assert helm_payload.holder(config_map(foreign())) == "ConfigMap kueue-system/sh.helm.release.v1.web.v1"


@pytest.mark.parametrize(
    ("obj", "wanted"),
    [
        (secret(), True),
        ({**secret(), "type": "Opaque"}, False),
        (config_map(), True),
        (config_map(name="settings-of-somebody-who-is-owned-by-helm"), False),
        ({}, False),
    ],
)
def test_what_helm_takes_for_its_own(obj: KubernetesObject, wanted: bool) -> None:
    assert helm_payload.is_record(obj) is wanted


@pytest.mark.parametrize(
    ("user", "chart", "wanted"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 2}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
        ({"a": {"x": 1}}, {"a": {"x": 2, "y": 3}}, {"a": {"x": 1, "y": 3}}),
        ({"a": [1]}, {"a": [2, 3]}, {"a": [1]}),
        ({"a": None}, {"a": 1}, {}),
        ({"a": None}, {"a": None}, {}),
        ({"a": None}, {}, {"a": None}),
        ({}, {"a": None}, {"a": None}),
        ({"a": {"x": None}}, {"a": {"x": 1}}, {"a": {}}),
        ({"a": {"x": None}}, {"a": {"x": None}}, {"a": {"x": None}}),
        ({"a": {"x": None}}, {"a": {}}, {"a": {"x": None}}),
        ({"a": {"x": {"y": None}}}, {"a": {"x": {"y": {}}}}, {"a": {"x": {}}}),
        ({"a": 1}, {"a": {"x": 1}}, {"a": 1}),
        ({"a": {"x": 1}}, {"a": 1}, {"a": {"x": 1}}),
        ({"a": {"x": 1}}, {"a": None}, {"a": {"x": 1}}),
    ],
)
def test_values_are_computed_as_helm_does(user: dict[str, Any], chart: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Held against the real helm in tests/cluster/test_helm_records.py."""
    assert computed_values(user, chart) == wanted


@given(st.binary(max_size=400), st.integers(0, 3))
@example(b"\x1f\x8b\x08", 1)
def test_no_bytes_give_more_than_one_sentence(content: bytes, coats: int) -> None:
    data = content
    if coats == 3:
        data = gzip.compress(data)
    for _ in range(min(coats, 2)):
        data = base64.b64encode(data)
    decode_or_refuse(data.decode("latin-1"))


@given(st.integers(0, len(PACKED) - 1), st.binary(min_size=0, max_size=4), st.booleans())
def test_no_damage_to_a_good_record_gives_more_than_one_sentence(place: int, instead: bytes, cut: bool) -> None:
    damaged = PACKED[:place] + instead + (b"" if cut else PACKED[place + len(instead) :])
    decode_or_refuse(twice_base64(damaged))


def decode_or_refuse(data: str) -> None:
    for obj in (secret(data=data), config_map(data=data)):
        with contextlib.suppress(UnreadableError):
            assert isinstance(decode(obj).record, dict)
