"""What was found harmless once is not judged again in the same place; in another place, or beside a secret, it is."""

from copy import deepcopy
from typing import Any

import pytest

from kueuelift.redaction import TokenKey
from kueuelift.secret_text import LONGEST_KEPT
from kueuelift_snapshot.redaction import Redactor

REDACTOR = Redactor(TokenKey(b"k" * 32))


def workload(**container: Any) -> dict[str, Any]:
    pod_set = {"name": "main", "template": {"spec": {"containers": [container]}}}
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "spec": {"podSets": [pod_set]}}


def described(text: str) -> dict[str, Any]:
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "status": {"a": text}}


@pytest.mark.parametrize("times", [1, 2])
def test_a_text_harmless_as_a_setting_is_hidden_as_an_argument(times: int) -> None:
    text = f"password=Hunter-{times}-Hunter"
    for _ in range(times):
        assert REDACTOR.of_object(described(text)).value == described(text)
        assert "Hunter" not in str(REDACTOR.of_object(workload(args=[text])).value)


def test_the_same_words_are_prose_in_a_message_and_a_secret_in_an_annotation() -> None:
    text = "no token: please"
    obj = {"apiVersion": "a/v1", "kind": "A", "metadata": {"annotations": {"any": text}}, "status": {"message": text}}
    for _ in range(2):
        value = REDACTOR.of_object(obj).value
        assert value["status"]["message"] == text
        assert "please" not in value["metadata"]["annotations"]["any"]


def test_a_harmless_text_is_hidden_where_a_release_calls_it_a_secret() -> None:
    text = "--run=s3://bucket.example/Hunter22/2026"
    assert REDACTOR.of_object(workload(args=[text])).tokens == 0
    release = REDACTOR.of_release({"password": "Hunter22"}, [workload(args=[text])], kueue_chart=False)
    assert "Hunter22" not in str(release)


@pytest.mark.parametrize("length", [LONGEST_KEPT - 1, LONGEST_KEPT, LONGEST_KEPT + 1])
def test_a_secret_is_a_token_each_time_at_any_length(length: int) -> None:
    text = "https://u:Hunter22@host.example/".ljust(length, "x")
    found = [REDACTOR.of_object(described(text)) for _ in range(3)]
    assert all("Hunter22" not in str(redacted.value) and redacted.tokens == 1 for redacted in found)
    assert found[0] == found[1] == found[2]


def test_what_is_read_is_never_changed() -> None:
    obj = workload(args=["--token=Hunter22", "a"], env=[{"name": "A", "value": "b"}], image="registry.example/a:1")
    before = deepcopy(obj)
    assert REDACTOR.of_object(obj).value != before
    assert obj == before


def test_what_hides_nothing_is_not_copied() -> None:
    obj = workload(args=["--epochs=20"], image="registry.example/a@sha256:0")
    assert REDACTOR.of_object(obj).value is obj
