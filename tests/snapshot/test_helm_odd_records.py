"""Records of any shape and size: none ends the run, or takes more than its share of it."""

import json
import resource
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helm_takes import documents, reason, reason_of, take
from release_secrets import (
    QUEUE_MANIFEST,
    config_map,
    encoded,
    hook,
    release,
    secret,
)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"name": None}, "no `name` in it"),
        ({"name": "--post-renderer=x"}, "its name: '--post-renderer=x' found, a name of"),
        ({"name": "../../x"}, "its name: '../../x' found, a name of"),
        ({"name": "a\u0000b"}, "its name: 'a\\x00b' found, a name of"),
        ({"namespace": "Kueue"}, "its namespace: 'Kueue' found, a name of"),
        ({"chart": None}, "no `chart` in it"),
        ({"chart": {"metadata": {"version": "1"}}}, "no `chart.metadata.name` in it"),
        ({"version": "one"}, "no revision in it"),
        ({"version": True}, "no revision in it"),
        ({"config": ["kueue"]}, "its values are no mapping"),
        ({"info": []}, "no `info` in it"),
        ({"info": {}}, "no `info.status` in it"),
        ({"manifest": 5}, "its manifest is no text"),
        ({"hooks": [1]}, "its hooks are no list of objects"),
        (
            {"hooks": [hook("kueue: {")]},
            "document 1 of its hook 1 (kueue/templates/setup.yaml): line 2: not valid YAML",
        ),
        ({"manifest": "kueue: {"}, "document 1 of its manifest: line 2: not valid YAML"),
        ({"manifest": "just kueue"}, "document 1 of its manifest: the document: str found, an object wanted"),
        ({"manifest": "- kueue"}, "document 1 of its manifest: the document: list found, an object wanted"),
        ({"manifest": "kueue: 1\nkueue: 2\n"}, "document 1 of its manifest: line 2: not valid YAML: key"),
        ({"manifest": "kind: kueue\n"}, "document 1 of its manifest: apiVersion: None found, a text wanted"),
        ({"manifest": "kueue: a\u0000b"}, "document 1 of its manifest: "),
        ({"manifest": "kueue: " + "[" * 5000 + "]" * 5000}, "document 1 of its manifest: "),
        ({"manifest": "kueue: " + "{a: " * 150 + "}" * 150}, "document 1 of its manifest: nested more than 100 levels"),
        ({"manifest": "kueue: &a [*a]"}, "document 1 of its manifest: line 1: not valid YAML"),
        ({"manifest": "kueue: .nan"}, "document 1 of its manifest: not valid YAML: nan"),
        ({"config": json.loads('{"a": ' * 300 + "1" + "}" * 300)}, "its values: nested more than 100 levels deep"),
    ],
)
def test_a_record_of_another_shape_is_a_failure(change: dict[str, Any], wanted: str) -> None:
    assert reason_of(**change).startswith(wanted)


BOMB = "kueue: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    "manifest",
    [
        BOMB,
        "kueue:\n" + "- \n" * 2_000_000,
        "kueue:\n" + "- - - - - - - - - - a\n" * 200_000,
        "kueue: [" + "[], " * 1_000_000 + "]",
        "kueue: [" + "*a, " * 1_000_000 + "]",
        "kueue: " + "[" * 1_000_000,
        "kueue: 0x" + "f" * 10_000_000 + "\n",
        QUEUE_MANIFEST.replace("shared", '"' + "x" * 10_000_000) * 2,
        documents(*["kueue: [" + "a, " * 100_000 + "]"] * 20),
        "---\n# kueue\n" * 400_000,
    ],
    ids=["aliases", "lines", "nested-lines", "brackets", "no-anchor", "deep", "digits", "open-quote", "many", "empty"],
)
def test_a_manifest_without_an_end_is_refused_quickly_in_little_memory(manifest: str) -> None:
    given = secret(data=encoded(json.dumps(release(manifest=manifest)).encode()))
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert reason(given)
    assert time.process_time() - began < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@given(
    st.dictionaries(
        st.sampled_from(["name", "namespace", "chart", "info", "manifest", "config", "version", "hooks"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["metadata", "name", "kueue", "status", "values", "version", "manifest", "events"]),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=8,
        ),
    )
)
def test_no_record_of_any_shape_ends_the_run(change: dict[str, Any]) -> None:
    take(secret(data=encoded(json.dumps(release() | change).encode())))


@given(st.binary(max_size=300), st.sampled_from([secret, config_map]))
@example(b"", secret)
def test_no_bytes_end_the_run(content: bytes, made: Any) -> None:
    take(made(data=content.decode("latin-1")))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            key: st.none() | st.text(max_size=5) | st.dictionaries(st.text(max_size=5), st.integers(), max_size=2)
            for key in ("metadata", "data", "type", "kind")
        },
    )
)
def test_no_object_of_any_shape_ends_the_run(change: dict[str, Any]) -> None:
    take({**secret(), **change}, {**config_map(), **change})


PIECES = ["---", "---\n", "kueue", ": ", "- ", "{", "}", "&a ", "*a", "\n", " ", '"', "|", "!!binary ", "a", "é"]


@given(st.lists(st.sampled_from(PIECES)))
def test_no_text_as_a_manifest_ends_the_run(pieces: list[str]) -> None:
    text = "".join(pieces)
    take(secret(release(manifest=text, hooks=[hook(text)])))


@pytest.mark.parametrize("manifest", ["kueue: .inf", "kueue: !!float 1e999", "kueue: !!binary /w=="])
def test_what_json_has_no_form_for_is_a_failure(manifest: str) -> None:
    assert reason_of(manifest=manifest).startswith("document 1 of its manifest: ")
