import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.crd import bundled
from kueuelift.redaction import TokenKey, is_token
from kueuelift.release_profile import chart_value_keys
from kueuelift.secret_names import smells
from kueuelift_snapshot.redaction import Redactor

REDACTOR = Redactor(TokenKey(b"k" * 32))
CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nmanageJobsWithoutQueueName: false\n"


def of(obj: dict[str, Any]) -> Any:
    return REDACTOR.of_object(obj).value


def values(given: dict[str, Any], *, kueue: bool = True) -> Any:
    return REDACTOR.of_release(given, [], kueue_chart=kueue).values.value


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "dbPassword",
        "DB_PASSWORD",
        "rootpassword",
        "token",
        "access-token",
        "apiKey",
        "api_key",
        "tls.key",
        "clientSecret",
        "secrets",
        "aws.secretAccessKey",
        "sessionCookie",
        "dsn",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert smells(name)


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "topologyKey",
        "tlsSecretName",
        "secretRef",
        "imagePullSecrets",
        "tokenTTL",
        "passthrough",
        "monkey",
        "secretNamespace",
        "compass",
        "",
        "--",
    ],
)
def test_names_of_other_things(name: str) -> None:
    assert not smells(name)


def test_environment_values_go_and_their_sources_stay() -> None:
    source = {"secretKeyRef": {"name": "db", "key": "password"}}
    env = [{"name": "A", "value": "x"}, {"name": "B", "valueFrom": source}, {"name": "C", "value": ""}]
    cleaned = of({"kind": "Pod", "spec": {"initContainers": [{"name": "c", "env": env}]}})
    found = cleaned["spec"]["initContainers"][0]["env"]
    assert is_token(found[0]["value"])
    assert found[1:] == env[1:]
    assert found[0]["name"] == "A"


def test_secrets_lose_every_value_and_keep_every_name() -> None:
    cleaned = of({"kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "eA=="}, "stringData": {"b": "x"}})
    assert set(cleaned["data"]) == {"a"}
    assert is_token(cleaned["data"]["a"])
    assert is_token(cleaned["stringData"]["b"])


def test_only_the_managers_configuration_stays_in_a_config_map() -> None:
    data = {"controller_manager_config.yaml": CONFIGURATION, "settings.ini": "user = root"}
    cleaned = of({"kind": "ConfigMap", "metadata": {"name": "c"}, "data": data})
    assert cleaned["data"]["controller_manager_config.yaml"] == CONFIGURATION
    assert is_token(cleaned["data"]["settings.ini"])


def test_the_copy_of_the_last_applied_object_is_cleaned_and_stays_an_object() -> None:
    applied = {"kind": "Pod", "spec": {"containers": [{"env": [{"name": "A", "value": "hunter22"}]}]}}
    text = json.dumps(applied) + "\n"
    cleaned = of({"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": text}}})
    copy = cleaned["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]
    assert copy.endswith("\n")
    assert is_token(json.loads(copy)["spec"]["containers"][0]["env"][0]["value"])


def test_a_copy_that_hides_nothing_keeps_its_bytes() -> None:
    text = '{ "kind":"LocalQueue",  "spec":{"clusterQueue":"a"} }\n'
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": text}
    assert of({"metadata": {"annotations": annotations}})["metadata"]["annotations"] == annotations


def test_a_copy_that_can_not_be_read_is_hidden_whole() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": '{"kind":"Pod","spec":{"env":[{"value":"hun'}
    assert all(
        is_token(text) for text in of({"metadata": {"annotations": annotations}})["metadata"]["annotations"].values()
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://user:hunter22@host/path", "https://{}@host/path"),
        ("see postgres://u:p@ss:w/rd@db:5432/x now", "see postgres://{}@db:5432/x now"),
        ("https://ghp-token@host", "https://{}@host"),
        ("Authorization: Bearer abc.def123456", "Authorization: Bearer {}"),
        ("a eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl b", "a {} b"),
        ("x\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\ny", "x\n{}\ny"),
        ("glpat-abcdefghij0123456789", "{}"),
        ("AKIAABCDEFGHIJKLMNOP", "{}"),
    ],
)
def test_secrets_are_known_by_their_form_anywhere(text: str, kept: str) -> None:
    before, after = kept.split("{}")
    cleaned = of({"status": {"message": text}})["status"]["message"]
    assert cleaned.startswith(before)
    assert cleaned.endswith(after)
    assert is_token(cleaned[len(before) : len(cleaned) - len(after)])


@pytest.mark.parametrize(
    "text",
    [
        "https://host/path?a=b",
        "oci://registry:5000/chart@sha256:abc",
        "me@example.com",
        "Bearer tokens are fine",
        "basic auth",
        "eyJust a word",
        "12:30@noon",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert of({"status": {"message": text}})["status"]["message"] == text


@pytest.mark.parametrize(
    ("arguments", "hidden"),
    [
        (["--password=hunter22"], ["hunter22"]),
        (["--password", "hunter22", "--verbose"], ["hunter22"]),
        (["sh", "-c", "export API_KEY='k-1' && run --auth-token t-1"], ["k-1", "t-1"]),
        (["--header=token: abc"], ["abc"]),
    ],
)
def test_arguments_are_told_by_the_word_before_them(arguments: list[str], hidden: list[str]) -> None:
    cleaned = of({"spec": {"args": arguments}})["spec"]["args"]
    assert not any(secret in " ".join(cleaned) for secret in hidden)
    assert len(cleaned) == len(arguments)
    assert cleaned[-1] == arguments[-1] or len(arguments) != 3 or arguments[0] == "sh"


def test_the_managers_own_arguments_stay() -> None:
    arguments = ["--config=/controller_manager_config.yaml", "--zap-log-level=2", "--feature-gates=A=true,B=false"]
    assert of({"spec": {"args": arguments}})["spec"]["args"] == arguments


def test_a_crd_is_left_as_it_is_though_its_schema_names_env_and_data() -> None:
    for crd in bundled("0.17.0", service=None).values():
        redacted = REDACTOR.of_object(crd)
        assert redacted.value == crd
        assert redacted.tokens == 0


def test_managed_fields_and_identity_are_never_touched() -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "managedFields": [{"fieldsV1": {"f:env": {'k:{"name":"A"}': {"f:value": {}}}}}]},
    }
    assert of(obj) == obj


def test_a_specification_is_not_judged_by_its_names() -> None:
    """A label called token would otherwise be written back as nonsense."""
    obj = {"kind": "ResourceFlavor", "spec": {"nodeLabels": {"example.com/token-ring": "left", "password": "no"}}}
    assert of(obj) == obj


def test_annotations_are() -> None:
    cleaned = of({"metadata": {"annotations": {"example.com/db-password": "hunter22", "example.com/note": "x"}}})
    assert is_token(cleaned["metadata"]["annotations"]["example.com/db-password"])
    assert cleaned["metadata"]["annotations"]["example.com/note"] == "x"


def test_kueues_own_values_stay_but_for_secrets_among_them() -> None:
    given = {
        "controllerManager": {"replicas": 2, "manager": {"image": {"tag": "v1"}}, "apiToken": "hunter22"},
        "kueueViz": {"backend": {"env": [{"name": "A", "value": "hunter22"}], "ingress": {"tlsSecretName": "tls"}}},
        "managerConfig": {"controllerManagerConfigYaml": CONFIGURATION},
        "fullnameOverride": "batch",
    }
    cleaned = values(given)
    assert is_token(cleaned["controllerManager"].pop("apiToken"))
    assert is_token(cleaned["kueueViz"]["backend"].pop("env")[0]["value"])
    assert cleaned["controllerManager"] == {"replicas": 2, "manager": {"image": {"tag": "v1"}}}
    assert cleaned["kueueViz"] == {"backend": {"ingress": {"tlsSecretName": "tls"}}}
    assert cleaned["managerConfig"] == given["managerConfig"]
    assert cleaned["fullnameOverride"] == "batch"


def test_foreign_values_keep_their_shape_and_switches_only() -> None:
    cleaned = values({"extra": {"list": ["a", 1, True, None], "port": 5432, "on": False, "empty": ""}})["extra"]
    assert [is_token(item) for item in cleaned["list"]] == [True, True, False, False]
    assert is_token(cleaned["port"])
    assert (cleaned["on"], cleaned["empty"]) == (False, "")


def test_a_chart_that_bundles_kueue_shows_the_part_that_is_kueues() -> None:
    given = {
        "global": {"_hopsworks": {"kueue": {"enabled": True, "metrics": {"a": "b"}}, "region": "eu"}},
        "metrics": {"who": "someone else's"},
    }
    cleaned = values(given, kueue=False)
    assert cleaned["global"]["_hopsworks"]["kueue"] == {"enabled": True, "metrics": {"a": "b"}}
    assert is_token(cleaned["global"]["_hopsworks"]["region"])
    assert is_token(cleaned["metrics"]["who"])


def test_a_secret_of_the_values_is_hidden_where_the_manifest_repeats_it() -> None:
    manifest = [{"kind": "Deployment", "metadata": {"name": "hunter22"}, "spec": {"note": "with hunter22 inside"}}]
    found = REDACTOR.of_release({"extra": {"password": "hunter22"}}, manifest, kueue_chart=True).manifest
    assert "hunter22" not in found.value[0]["spec"]["note"]
    assert found.value[0]["metadata"]["name"] == "hunter22"  # what an object is called is no secret
    assert found.tokens == 1


def test_equal_secrets_have_equal_tokens_under_one_key_only() -> None:
    other = Redactor(TokenKey(b"o" * 32))
    obj = {"kind": "Secret", "data": {"a": "x", "b": "x", "c": "y"}}
    one, two = of(obj)["data"], other.of_object(obj).value["data"]
    assert one["a"] == one["b"] != one["c"]
    assert one["a"] != two["a"]


def test_what_is_hidden_already_is_not_hidden_again() -> None:
    once = REDACTOR.of_object({"kind": "Secret", "data": {"a": "x"}})
    again = REDACTOR.of_object(once.value)
    assert again.value == once.value
    assert again.tokens == 0


def test_the_own_keys_are_those_of_the_charts() -> None:
    assert {"controllerManager", "managerConfig", "kueueViz", "nameOverride", "webhookService"} <= chart_value_keys()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["kind", "env", "args", "data", "annotations", "name", "value", "spec", "password"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_shape_of_object_ends_the_run_and_names_stay(value: Any) -> None:
    cleaned = of({"spec": value})
    assert json.dumps(cleaned)
    again = REDACTOR.of_object(cleaned)
    assert again.value == cleaned
