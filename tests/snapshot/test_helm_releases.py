import base64
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.model import Failure, KubernetesObject
from kueuelift.redaction import TokenKey, is_token
from kueuelift_snapshot import helm_releases
from kueuelift_snapshot.helm_releases import Release, read_release
from kueuelift_snapshot.redaction import Redactor
from release_secrets import encoded, release, secret

REDACTOR = Redactor(TokenKey(b"k" * 32))


def read(given: KubernetesObject) -> Release:
    found = read_release(given, REDACTOR)
    assert isinstance(found, Release)
    return found


def twice_base64(content: bytes) -> str:
    return base64.b64encode(base64.b64encode(content)).decode()


def reason(given: KubernetesObject) -> str:
    found = read_release(given, REDACTOR)
    assert isinstance(found, Failure)
    assert found.what == "Secret kueue-system/sh.helm.release.v1.kueue.v1"
    assert found.remedy
    return found.reason.removeprefix("holds no readable Helm release record: ")


def test_a_record_is_read_whole() -> None:
    record = read(secret(release(config={"controllerManager": {"replicas": 3}}))).record
    assert record.folder == ("kueue-system", "kueue", "v1")
    assert record.info() == {
        "namespace": "kueue-system",
        "release": "kueue",
        "revision": 1,
        "status": "deployed",
        "chart": {"name": "kueue", "version": "0.12.2", "appVersion": "v0.12.2"},
    }
    assert record.values == {"controllerManager": {"replicas": 3}}
    assert [obj["kind"] for obj in record.manifest] == ["LocalQueue"]


def test_old_records_without_gzip_are_read_too() -> None:
    assert read(secret(data=twice_base64(json.dumps(release()).encode()))).record.release == "kueue"


@pytest.mark.parametrize(
    "record",
    [
        release(name="a", chart="my-kueue", manifest=""),
        release(name="a", chart="platform", manifest="", config={"hw-kueue": {"enabled": True}}),
        release(name="team-a-queues", chart="queues"),
        release(
            name="a",
            chart="x",
            manifest="apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: q}}",
        ),
    ],
)
def test_whatever_touches_kueue_is_kept(record: dict[str, Any]) -> None:
    assert read(secret(record)).record.release == record["name"]


def test_a_release_that_has_nothing_to_do_with_kueue_is_passed_by() -> None:
    assert read_release(secret(release(name="web", chart="nginx", manifest="kind: Service\n")), REDACTOR) is None


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ("!!notbase64", "not base64 twice over"),
        ("bm90IGJhc2U2NCE=", "not base64 twice over"),
        (encoded(b"no json"), "not JSON"),
        (encoded(b"[1]"), "not a JSON object"),
        (encoded(b'{"manifest": "kueue"}'), "no `name` in it"),
    ],
)
def test_what_is_no_record_is_a_failure_with_its_reason(data: str, wanted: str) -> None:
    assert reason(secret(data=data)) == wanted


def test_a_truncated_stream_is_told_from_a_damaged_one() -> None:
    packed = gzip.compress(json.dumps(release()).encode())
    assert reason(secret(data=twice_base64(packed[:60]))) == "its gzip stream is truncated"
    damaged = packed[:40] + bytes([packed[40] ^ 0xFF]) + packed[41:]
    assert reason(secret(data=twice_base64(damaged))) in {"its gzip stream is damaged", "its gzip stream is truncated"}


def test_a_secret_of_another_kind_is_a_failure() -> None:
    foreign = secret()
    foreign["data"] = {"password": "aHVudGVy"}
    assert reason(foreign) == "no key `release` in its data"
    foreign["data"] = None
    assert reason(foreign) == "no key `release` in its data"


def test_a_record_that_unpacks_without_end_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helm_releases, "MOST_BYTES", 1 << 20)
    assert reason(secret(data=encoded(b" " * (30 << 20)))) == "unpacks to more than 1 MiB"


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"chart": None}, "no `name` in it"),
        ({"version": "one"}, "no revision in it"),
        ({"config": ["kueue"]}, "its values are no mapping"),
        ({"info": []}, "no `status` in it"),
        ({"manifest": None, "config": {"kueue": 1}}, "no manifest"),
        ({"manifest": "kueue: {"}, "its manifest: line 2: not valid YAML"),
        ({"manifest": "just kueue"}, "its manifest holds a str where an object is wanted"),
    ],
)
def test_a_record_of_another_shape_is_a_failure(change: dict[str, Any], wanted: str) -> None:
    assert reason(secret(data=encoded(json.dumps(release() | change).encode()))).startswith(wanted)


@given(
    st.dictionaries(
        st.sampled_from(["name", "chart", "info", "manifest", "config", "version"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["metadata", "name", "kueue", "status"]), inner, max_size=3)
            ),
            max_leaves=8,
        ),
    )
)
def test_no_record_of_any_shape_ends_the_run(change: dict[str, Any]) -> None:
    found = read_release(secret(data=encoded(json.dumps(release() | change).encode())), REDACTOR)
    assert found is None or isinstance(found, Release | Failure)


@given(st.binary(max_size=300))
def test_no_bytes_end_the_run(content: bytes) -> None:
    data = base64.b64encode(content).decode()
    assert isinstance(read_release(secret(data=data), REDACTOR), Failure | None)


def test_values_and_manifest_count_their_own_tokens() -> None:
    manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: kueue-key}\ndata: {a: aHVudGVyMjI=, b: aHVudGVyMjI=}\n"
    found = read(secret(release(config={"extra": {"password": "hunter22"}}, manifest=manifest)))
    assert (found.value_tokens, found.manifest_tokens) == (1, 2)
    assert is_token(found.record.values["extra"]["password"])
    assert is_token(found.record.manifest[0]["data"]["a"])
