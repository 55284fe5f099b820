"""Whatever the secret, and wherever of the known places it stands: it is gone, once for all, and compares as itself."""

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kueuelift import yaml_text
from kueuelift.redaction import TokenKey
from kueuelift_snapshot.redaction import Redactor, path_text

REDACTOR = Redactor(TokenKey(b"k" * 32))
Place = Callable[[Any], dict[str, Any]]

MARK = "sEcReT"
texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12).map(f"{MARK}{{}}".format)
lines = st.lists(texts, min_size=1, max_size=3).map("\n".join)
words = st.from_regex(r"[A-Za-z0-9_.~!$*+]{0,12}", fullmatch=True).map(f"{MARK}{{}}".format)


def nested(path: str, value: Any) -> dict[str, Any]:
    """`a.b[]` -> {"a": {"b": [value]}}."""
    for step in reversed(path.split(".")):
        value = {step.removesuffix("[]"): [value] if step.endswith("[]") else value}
    return dict(value)


def of_kind(kind: str, path: str) -> Place:
    return lambda value: {"apiVersion": "any/v1", "kind": kind} | nested(path, value)


def variable(kind: str, path: str) -> Place:
    return lambda value: of_kind(kind, path)({"name": "A", "value": value})


def workload(path: str) -> Place:
    return lambda value: {"apiVersion": "kueue.x-k8s.io/v1beta1"} | of_kind("Workload", path)(value)


def last_applied(place: Place) -> Place:
    return lambda value: nested(
        "metadata.annotations", {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(place(value))}
    )


POD = "spec.template.spec.containers[]"
PODS = "spec.podSets[].template.spec.initContainers[]"
TEXT_PLACES: dict[str, Place] = {
    "secret": of_kind("Secret", "data.any"),
    "secret, by its name": of_kind("Secret", "stringData.password"),
    "config map": of_kind("ConfigMap", "data.any"),
    "list of secrets": of_kind("SecretList", "items[].data.any"),
    "secret in a wrapper": of_kind("AppWrapper", "spec.components[].template"),
    "environment": variable("Deployment", f"{POD}.env[]"),
    "environment of a Workload": lambda value: workload(f"{PODS}.env[]")({"name": "A", "value": value}),
    "environment of a Workload, copied": last_applied(
        lambda value: workload(f"{PODS}.env[]")({"name": "A", "value": value})
    ),
    "environment, copied": last_applied(variable("Deployment", f"{POD}.env[]")),
    "header": lambda value: of_kind("Job", f"{POD}.livenessProbe.httpGet.httpHeaders[]")(
        {"name": "Authorization", "value": value}
    ),
    "word after a flag": lambda value: of_kind("Pod", "spec.containers[]")({"args": ["--token", f"{value}"]}),
    "word with a flag": lambda value: of_kind("Pod", "spec.containers[]")(
        {"command": ["x", f"--password={value}".replace("\n", "")]}
    ),
    "annotation": lambda value: nested("metadata.annotations", {"example.com/api-token": value}),
    "field of an unknown kind": of_kind("Database", "spec.connection.password"),
    "map of an unknown kind": of_kind("Database", "spec.credentials.any"),
    "environment of Spark": of_kind("SparkApplication", "spec.driver.envVars.any"),
    "JSON in an annotation": lambda value: nested("metadata.annotations.any", json.dumps({"a": [{"apiKey": value}]})),
    "base64 in an annotation": lambda value: nested(
        "metadata.annotations.any", base64.b64encode(json.dumps({"apiKey": value}).encode()).decode()
    ),
    "YAML in an annotation": lambda value: nested(
        "metadata.annotations.any", yaml_text.dump({"a": 1, "password": value})
    ),
    "runtime environment of Ray": lambda value: of_kind("RayJob", "spec.runtimeEnvYAML")(
        yaml_text.dump({"env_vars": {"A": value}})
    ),
    "values of Flux": of_kind("HelmRelease", "spec.values.other.any"),
    "substitute of Flux": of_kind("Kustomization", "spec.postBuild.substitute.any"),
    "patch of Flux": lambda value: of_kind("Kustomization", "spec.patches[].patch")(
        yaml_text.dump([{"op": "add", "path": "/spec/containers/0/env/0/value", "value": value}])
    ),
    "parameter of Argo CD": lambda value: of_kind("Application", "spec.source.helm.parameters[]")(
        {"name": "any", "value": value}
    ),
    "values of Argo CD": lambda value: of_kind("Application", "spec.sources[].helm.values")(
        yaml_text.dump({"any": value})
    ),
    "map of a plugin": of_kind("Application", "spec.source.plugin.parameters[].map.any"),
}
TEXT_PLACES["secret in a wrapper"] = lambda value: of_kind("AppWrapper", "spec.components[].template")(
    {"kind": "Secret", "stringData": {"any": value}}
)
WORD_PLACES: dict[str, Place] = {
    "script": lambda value: of_kind("Pod", "spec.containers[]")(
        {"args": ["sh", "-c", f"export API_KEY={value} && run"]}
    ),
    "quoted in a script": lambda value: of_kind("Pod", "spec.containers[]")(
        {"args": ["sh", "-c", f"TOKEN='{value} b' run"]}
    ),
    "message": lambda value: nested("status.conditions[].message", f"cannot log in: password={value} refused"),
    "header in a text": lambda value: nested("status.message", f"sent Authorization: Bearer {value}"),
    "URL": lambda value: nested("spec.any", f"https://u:{value}@host.example/x"),
    "URL with an odd password": lambda value: nested("spec.any", f"https://u:1/{value}@x@host.example/x"),
    "URL, encoded": lambda value: nested("spec.any", f"https://{quote(value, safe='')}@host.example/x"),
    "query": lambda value: nested("status.message", f"Get https://host.example/x?a=b&access_token={value}: refused"),
    "comment": lambda value: nested("metadata.annotations.any", f"# password: {value}\na: 1\nb: 2\n"),
}


def remains(redacted: Any, secret: Any) -> bool:
    text = json.dumps(redacted, ensure_ascii=False)
    packed = base64.b64encode(str(secret).encode()).decode().rstrip("=")[:-1]
    return MARK in text or packed in text


@pytest.mark.parametrize("place", TEXT_PLACES.values(), ids=TEXT_PLACES)
@settings(max_examples=25)
@given(secret=texts | lines)
def test_no_text_survives_there(place: Place, secret: str) -> None:
    _gone_for_good(place(secret), secret)


@pytest.mark.parametrize("place", WORD_PLACES.values(), ids=WORD_PLACES)
@settings(max_examples=25)
@given(secret=words)
def test_no_word_survives_there(place: Place, secret: str) -> None:
    _gone_for_good(place(secret), secret)


def _gone_for_good(obj: dict[str, Any], secret: Any) -> None:
    redacted = REDACTOR.of_object(obj)
    assert not remains(redacted.value, secret)
    assert redacted.tokens >= 1
    assert not any(MARK in path_text(steps) for steps in redacted.hidden)
    again = REDACTOR.of_object(redacted.value)
    assert again.value == redacted.value
    assert again.tokens == 0
    assert REDACTOR.of_object(obj).value == redacted.value
    assert Redactor(TokenKey(b"o" * 32)).of_object(obj).value != redacted.value


@given(st.integers(), st.sampled_from(["password", "pin", "apiKey"]))
def test_numbers_can_be_passwords(number: int, name: str) -> None:
    for obj in ({"kind": "Database", "spec": {name: number}}, {"kind": "Secret", "stringData": {"any": number}}):
        assert str(number) not in json.dumps(REDACTOR.of_object(obj).value).replace("kueuelift-token-", "").split('"')


@pytest.mark.parametrize("secret", ["a", "ab", "x y", "7"])
def test_short_secrets_go_where_a_name_announces_them(secret: str) -> None:
    obj = {"kind": "Database", "spec": {"password": secret, "other": "text"}}
    assert REDACTOR.of_object(obj).value["spec"]["password"] != secret


@given(words, st.sampled_from(["tokens", "apiKeys", "passwords"]))
def test_a_secret_as_a_name_goes(secret: str, name: str) -> None:
    secret = f"{secret.replace('.', 'a')}0123456789"
    assume(secret.isalnum())
    redacted = REDACTOR.of_object({"kind": "Gateway", "spec": {name: {secret: {"group": "admins"}}}})
    assert secret not in json.dumps(redacted.value)
    assert not any(secret in path_text(steps) for steps in redacted.hidden)


def test_vendors_tokens_go_as_names_too() -> None:
    token = "ghp_" + "a1" * 15
    redacted = REDACTOR.of_object({"kind": "Gateway", "spec": {"users": {token: "admin"}}})
    assert token not in json.dumps(redacted.value)


@given(texts, texts)
def test_equal_values_have_equal_tokens_and_others_have_not(one: str, other: str) -> None:
    data = REDACTOR.of_object({"kind": "Secret", "stringData": {"a": one, "b": one, "c": other}}).value["stringData"]
    assert data["a"] == data["b"]
    assert (data["a"] == data["c"]) == (one == other)


@given(words.map("{}-and-more".format))
def test_a_secret_of_the_values_is_found_in_the_manifest_however_it_is_written(secret: str) -> None:
    packed = base64.b64encode(f"user:{secret}".encode()).decode()
    note = f"{secret} or {quote(secret, safe='')} or {packed} or {base64.urlsafe_b64encode(secret.encode()).decode()}"
    found = REDACTOR.of_release({"db": {"password": secret}}, [{"kind": "X", "spec": {"note": note}}], kueue_chart=True)
    shown = found.manifest.value[0]["spec"]["note"]
    assert MARK not in shown
    assert packed[8:] not in shown


def test_a_secret_of_a_rendered_secret_is_found_in_the_other_objects() -> None:
    manifest = [
        {"kind": "Deployment", "spec": {"note": "with hunter2222 inside"}},
        {"kind": "Secret", "data": {"password": base64.b64encode(b"hunter2222").decode(), "bad": "%"}},
    ]
    found = REDACTOR.of_release({}, manifest, kueue_chart=True).manifest.value
    assert "hunter2222" not in json.dumps(found)


def test_deep_structures_end_in_a_token() -> None:
    deep: Any = {"x": "https://u:hunter22@host"}
    for _ in range(600):
        deep = [deep, {"a": deep}] if isinstance(deep, dict) and len(deep) > 1 else {"a": [deep]}
    redacted = REDACTOR.of_object({"kind": "Any", "spec": deep})
    assert "hunter22" not in json.dumps(redacted.value)
    text = '{"a":' * 900 + "1" + "}" * 900
    assert REDACTOR.of_object(nested("metadata.annotations.any", text)).tokens == 1


def test_paths_tell_where_tokens_stand() -> None:
    env = [{"name": "A", "value": "x"}, {"name": "B", "value": "y"}]
    annotations = {"example.com/password": "hunter22", "note": "a"}
    obj = {
        "kind": "Pod",
        "metadata": {"annotations": annotations},
        "spec": {"containers": [{"env": env}, {"env": env}]},
    }
    redacted = REDACTOR.of_object(obj)
    assert {path_text(steps): count for steps, count in redacted.hidden.items()} == {
        'metadata.annotations["example.com/password"]': 1,
        "spec.containers[*].env[*].value": 4,
    }
    assert redacted.tokens == 5


@pytest.mark.parametrize(
    "piece", ["a:", "a=", "eyJaaaaa.", "password: a\n", "-----BEGIN PRIVATE KEY-----", "-u a:", "[", "\\"]
)
def test_long_texts_are_judged_in_a_moment(piece: str) -> None:
    """Time that grew with the square of the length would be hours here."""
    text = piece * (100_000 // len(piece))
    obj = {"kind": "Pod", "metadata": {"annotations": {"any": text}}, "status": {"message": text}}
    assert REDACTOR.of_object(obj).value
