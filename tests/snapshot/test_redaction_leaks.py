"""Passwords in the many forms in which people write them down; each was shown once."""

import json
import time
from typing import Any

import pytest

from kueuelift.redaction import TokenKey
from kueuelift_snapshot.redaction import Redactor

REDACTOR = Redactor(TokenKey(b"k" * 32))
X = "hunter22x"


def gone(obj: dict[str, Any]) -> None:
    once = REDACTOR.of_object(obj)
    assert X not in json.dumps(once.value)
    again = REDACTOR.of_object(once.value)
    assert again.value == once.value


@pytest.mark.parametrize(
    "words",
    [
        ["mysql", "-uroot", f"-p{X}"],
        ["/usr/bin/mysqldump", f"-p{X}"],
        ["sshpass", "-p", X, "ssh", "host"],
        ["sshpass", f"-p{X}"],
        ["docker", "login", "-u", "x", "-p", X],
        ["redis-cli", "-a", X],
        ["ldapsearch", "-x", "-w", X],
    ],
)
def test_short_flags_of_known_programs_announce_passwords(words: list[str]) -> None:
    for kind in ("Pod", "Workload"):
        version = {"apiVersion": "kueue.x-k8s.io/v1beta1"} if kind == "Workload" else {}
        gone(version | {"kind": kind, "spec": {"containers": [{"command": words}]}})
        gone(version | {"kind": kind, "spec": {"containers": [{"command": words[:1], "args": words[1:]}]}})
        gone(version | {"kind": kind, "spec": {"containers": [{"args": ["sh", "-c", " ".join(words)]}]}})


def test_short_flags_of_other_programs_do_not() -> None:
    obj = {"kind": "Pod", "spec": {"containers": [{"command": ["ssh", "-p", "22"], "args": ["-a", "b", "-w", "c"]}]}}
    assert REDACTOR.of_object(obj).value == obj


TEXTS = [
    f"user:{X}@tcp(h:3306)/db",
    f"FROM a\nENV DB_PASSWORD {X}\n",
    f"machine h login u password {X}",
    f"<a><password>{X}</password></a>",
    f'db_password := "{X}"',
    f'password => "{X}"',
    f'x {{\\"password\\":\\"{X}\\"}}',
    f"x=y&password%3D{X}",
    f"see //u:{X}@h",
    f"export PASSWORD='a'{X}",
    f"{{{{ x }}}}\npassword: |\n  {X}\n",
    f"password is {X}",
    f'password "{X}" rejected',
    f"{{{{ if }}}}\nkind: Secret\nstringData:\n  any: {X}\n",
    f'{{"kind":"Secret","data":{{"any":"{X}"',
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_lose_them(text: str) -> None:
    gone({"kind": "Pod", "metadata": {"annotations": {"any": text}}})


@pytest.mark.parametrize(
    "text",
    [
        "password is required",
        "the password is wrong, and the token is too",
        'Secret "worker1" was not found; no matches for kind "Secret"',
        "see //comments:22 and //host/path",
        "<name>hunter</name>",
    ],
)
def test_other_texts_stay(text: str) -> None:
    obj = {"kind": "Pod", "metadata": {"annotations": {"any": text}}, "status": {"message": text}}
    assert REDACTOR.of_object(obj).value == obj


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("HelmRelease", {"values": {"db": {"password": X, "version": "v0.10.0"}}}),
        ("Application", {"source": {"helm": {"parameters": [{"name": "any", "value": X}]}}}),
        ("Application", {"source": {"helm": {"values": f"password: {X}"}}}),
    ],
)
def test_a_status_does_not_repeat_what_the_values_hide(kind: str, spec: dict[str, Any]) -> None:
    condition = {"type": "Ready", "message": f"failed at v0.10.0: bad value {X} in chart"}
    obj = {"kind": kind, "metadata": {"name": "a"}, "spec": spec, "status": {"conditions": [condition]}}
    gone(obj)
    redacted = REDACTOR.of_object(obj)
    assert "v0.10.0" in redacted.value["status"]["conditions"][0]["message"]
    assert redacted.tokens == json.dumps(redacted.value).count("kueuelift-token-")
    assert list(redacted.value) == list(obj)


def test_drivers_and_probes_are_told_secrets_below_harmless_names() -> None:
    probe = {"httpGet": {"httpHeaders": [{"name": "X-Any", "value": X}]}}
    volumes = [
        {"csi": {"driver": "a", "volumeAttributes": {"any": X}}},
        {"flexVolume": {"driver": "a", "options": {"any": X}}},
    ]
    spec = {"podSets": [{"template": {"spec": {"containers": [{"livenessProbe": probe}], "volumes": volumes}}}]}
    gone({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "spec": spec})
    gone({"kind": "Job", "spec": spec})


HOSTILE = [
    *("a:", "é:", "://a:b", "a:b@", "a%b:c", "QUFBQUFBQUFBQUFBQUFB=", "token:", "token:{", "eyJaaaaa-"),
    *("password: |\n a", "<password>", "password ", "login ", "ENV a ", "kind: ", "password=''", '\\"token\\":'),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    short, long = (_time_of(piece * (size // len(piece))) for size in (50_000, 200_000))
    assert long < 12 * short + 0.5


def _time_of(text: str) -> float:
    obj = {"kind": "Pod", "metadata": {"annotations": {"any": text}}, "status": {"message": text}}
    began = time.process_time()
    REDACTOR.of_object(obj)
    return time.process_time() - began
