"""Every document of a text comes out: as an object, left aside with a reason, or as broken."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift import yaml_text
from kueuelift.manifest_stream import Broken, LeftAside, Manifest, read_stream
from kueuelift.yaml_text import NotYamlError

API = "kueue.x-k8s.io/v1beta1"
FLAVOR = {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "spot"}}
QUEUE = {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": "team"}, "spec": {"cohort": "org"}}
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}}


def objects(text: str | bytes) -> list[Any]:
    parts = list(read_stream(text, "f"))
    assert all(isinstance(part, Manifest) for part in parts), parts
    return [part.value for part in parts if isinstance(part, Manifest)]


def only(text: str | bytes) -> Any:
    (part,) = read_stream(text, "f.yaml")
    return part


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_windows_wrote_loses_nothing(newline: str, encoding: str) -> None:
    text = f"# exported\n{yaml_text.dump(FLAVOR)}---\n{yaml_text.dump(QUEUE)}note: |\n  one\n  two\nlast: é"
    first, second = objects(text.replace("\n", newline).encode(encoding))
    assert first == FLAVOR
    assert second == {**QUEUE, "note": "one\ntwo\n", "last": "é"}


def test_files_put_together_with_their_byte_order_marks() -> None:
    one = "\ufeff---\n" + yaml_text.dump(FLAVOR)
    assert objects(one + one + "\ufeff" + "---\n" + yaml_text.dump(QUEUE)) == [FLAVOR, FLAVOR, QUEUE]


def test_separators_in_texts_directives_comments_and_empty_documents() -> None:
    text = """%YAML 1.1
# before
---   # the first one
apiVersion: kueue.x-k8s.io/v1beta1
kind: WorkloadPriorityClass
metadata: {name: high}
value: 5
description: |
  run
  ---
  kind: LocalQueue
  ...
...
%YAML 1.1
---
# nothing here
---
---
--- # a comment
kind: LocalQueue
apiVersion: kueue.x-k8s.io/v1beta1
metadata: {name: q, namespace: t}
...
"""
    parts = list(read_stream(text, "f"))
    assert [part.origin for part in parts] == ["f, document 1, line 4", "f, document 2, line 20"]
    first, second = objects(text)
    assert first["description"] == "run\n---\nkind: LocalQueue\n...\n"
    assert second["metadata"] == {"name": "q", "namespace": "t"}


def test_a_key_that_stands_twice_is_broken_with_file_path_and_lines() -> None:
    text = (
        f"---\n{yaml_text.dump(FLAVOR)}---\napiVersion: {API}\nkind: Cohort\nspec:\n  parent: a\n  x: 1\n  parent: b\n"
    )
    good, broken = read_stream(text, "dir/f.yaml")
    assert isinstance(good, Manifest)
    assert isinstance(broken, Broken)
    assert str(broken.error) == (
        "dir/f.yaml, document 2: line 12: not valid YAML: key 'spec.parent' stands twice, in lines 10 and 12; "
        "mend the file and run again"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n"a": 1,\n"b": {"c": 1,\n"c": 2}}', "line 4: not valid YAML: key 'b.c' stands twice, in lines 3 and 4"),
        ('{"a": "\\ud83d\\ude00",\n "b": 1, "b": 2}', "line 1: not valid JSON: key 'b' stands twice"),
        (json.dumps(POD) + '\n{"apiVersion": "v1", "kind"', "line 2: not valid JSON: Expecting ':' delimiter"),
        ('{"a": ' + "[" * 100_000, "exceeded maximum nesting depth"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "nested too deeply"),
        ('{"a": NaN, "a": NaN}', "stands twice"),
        ("a: [1, 2", "did not find expected"),
        ("a: .nan", "no number that JSON has"),
        ("a: 1\nb: x\x01", "line 2: not valid YAML: character U+0001 is not allowed in YAML"),
        ("a: *b", "line 1: not valid YAML: alias *b without an anchor"),
    ],
)
def test_broken_ones_say_where(text: str, message: str) -> None:
    broken = list(read_stream(text, "f"))[-1]
    assert isinstance(broken, Broken)
    assert message in str(broken.error)


def test_a_broken_document_hides_no_other() -> None:
    text = f"{yaml_text.dump(FLAVOR)}---\na: 'open\n---\n{yaml_text.dump(QUEUE)}---\n\tb: 1\n--- \n{json.dumps(POD)}\n"
    first, broken, second, tab, third = read_stream(text, "f")
    assert isinstance(broken, Broken)
    assert isinstance(tab, Broken)
    assert [getattr(part, "value", None) for part in (first, second, third)] == [FLAVOR, QUEUE, POD]
    assert third.origin == "f, document 5, line 17"


def test_merges_are_expanded_share_nothing_and_end_with_their_document() -> None:
    text = """
x-quota: &q {nominalQuota: 10}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: a, annotations: {title: "tête ✅"}}
spec: {resources: [&r {name: cpu, nominalQuota: 10, borrowingLimit: 5}, {<<: *r, name: memory, nominalQuota: 1Gi}, *r]}
---
a: *q
"""
    aside, queue, broken = read_stream(text, "f")
    assert isinstance(aside, LeftAside)
    assert aside.reason == "no apiVersion and kind, which every object of Kubernetes has"
    assert not aside.remedy
    assert isinstance(queue, Manifest)
    cpu, memory, again = queue.value["spec"]["resources"]
    assert memory == {"name": "memory", "nominalQuota": "1Gi", "borrowingLimit": 5}
    assert cpu == again
    assert cpu is not again
    written = yaml_text.dump(queue.value)
    assert "&" not in written
    assert "tête ✅" in written
    assert isinstance(broken, Broken)
    assert "alias *q without an anchor" in str(broken.error)


@pytest.mark.parametrize(
    "text",
    [
        "metadata:\n  name: {{ .Values.name }}\nspec:\n  {{- if .Values.c }}\n  cohort: x\n  {{- end }}\n",
        "{% if a %}\nkind: ClusterQueue\n{% endif %}\n",
        "a: 1\n# {{ if .x }}\na: 2\n",
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "{{ .Release.Name }}"\n',
        f"apiVersion: {API}\nkind: Cohort\nmetadata: {{name: a}}\nspec: {{parentName: ${{PARENT}}}}}}\n",
        f"apiVersion: {API}\nkind: ClusterQueue\nmetadata:\n  name: ${{NAME}}-queue\n",
        "a: [${A\nb: 1\n",
    ],
)
def test_templates_are_left_aside(text: str) -> None:
    aside = only(text)
    assert isinstance(aside, LeftAside)
    assert aside.reason.startswith("a template (")
    assert aside.remedy.startswith("render it")


def test_marks_of_other_programs_make_no_template() -> None:
    pod = {**POD, "metadata": {**POD["metadata"], "annotations": {"a": "{{ x }}"}}, "spec": {"args": ["${HOME}"]}}
    workload = {"apiVersion": API, "kind": "Workload", "metadata": POD["metadata"], "spec": {"args": ["{{ x }}"]}}
    assert objects(yaml_text.dump(pod) + "---\n" + yaml_text.dump(workload)) == [pod, workload]


@pytest.mark.parametrize("start", ["", "%YAML 1.1\r\n"])
def test_a_long_comment_with_windows_line_ends_takes_no_time(start: str) -> None:
    text = start + "# Copyright\r\n" * 1000
    assert objects(f"{text}---\r\n{json.dumps(POD)}\r\n") == [POD]
    if not start:
        assert objects(text + yaml_text.dump(POD)) == [POD]


def test_lists_of_kubectl_are_taken_apart() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [FLAVOR, QUEUE]}
    bare: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "PodList",
        "metadata": {},
        "items": [{"metadata": {"name": "p"}}],
    }
    named = {"apiVersion": "example.com/v1", "kind": "AllowList", "metadata": {"name": "x"}, "items": ["a"]}
    nested = {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"name": "all"},
        "items": [listed, {"apiVersion": "v1", "kind": "List", "items": None}, named],
    }
    text = json.dumps(nested, indent=1) + json.dumps(bare) + "\n" + json.dumps(POD)
    assert objects(text) == [FLAVOR, QUEUE, named, {**bare["items"][0], "apiVersion": "v1", "kind": "Pod"}, POD]
    assert list(read_stream(text, "f"))[1].origin == "f, document 1, line 1, item 1, item 2"
    assert objects(yaml_text.dump(nested)) == [FLAVOR, QUEUE, named]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# a\n", "---\n---\n", "~", "--- # a\n...\n", "\ufeff", "%YAML 1.1\n---\n"]
)
def test_nothing_is_nothing(text: str) -> None:
    assert list(read_stream(text, "f")) == []


@pytest.mark.parametrize("text", ["[1, 2]", "a", "12", "true", '["a"]', '"x"'])
def test_what_is_no_object_is_told(text: str) -> None:
    assert "an object of Kubernetes wanted" in only(text).reason


def test_bytes_that_are_no_text_name_the_line() -> None:
    with pytest.raises(NotYamlError, match=r"f: line 2: not valid YAML: byte 6 is not UTF-8"):
        list(read_stream(b"a: 1\nb\xff: 2\n", "f"))


def test_quantities_stay_as_they_are() -> None:
    given = ["36", "0.25", '"100m"', "1500m", "0m", "1000000000Ti", "5k", "100000000000000000000", "0", "1e3", '"1e3"']
    text = f"apiVersion: {API}\nkind: ClusterQueue\nq:\n" + "".join(f"- {it}\n" for it in given)
    (queue,) = objects(text)
    assert queue["q"] == [36, 0.25, "100m", "1500m", "0m", "1000000000Ti", "5k", 10**20, 0, 1000, "1e3"]
    shown = yaml_text.dump(queue["q"]).removeprefix("- ").rstrip().split("\n- ")
    assert shown == ["1000" if it == "1e3" else "'1e3'" if it == '"1e3"' else it.strip('"') for it in given]


def test_times_and_other_words_are_plain_data() -> None:
    text = """apiVersion: v1
kind: ConfigMap
metadata:
  creationTimestamp: 2024-02-07T14:30:12Z
  annotations: {window: 12:30:45, mode: 0123, keep: on, day: 2024-02-07}
"""
    (found,) = objects(text)
    assert found["metadata"]["creationTimestamp"] == "2024-02-07T14:30:12Z"
    assert found["metadata"]["annotations"] == {"window": "12:30:45", "mode": 83, "keep": True, "day": "2024-02-07"}
    assert objects(yaml_text.dump(found)) == [found]


def test_null_and_empty_stay_apart() -> None:
    spec = "s: {}, z: null, l: [], e: "
    text = f"apiVersion: {API}\nkind: ClusterQueue\nmetadata: {{name: a, labels: null}}\nspec: {{{spec}}}\n"
    (found,) = objects(text)
    assert found["spec"] == {"s": {}, "z": None, "l": [], "e": None}
    assert found["metadata"]["labels"] is None


LINES = st.lists(
    st.sampled_from(
        [
            "---",
            "...",
            "%YAML 1.1",
            "a: 1",
            "a: |",
            "  b",
            "- x",
            "{",
            "}",
            '{"a": 1}',
            "{{ x }}",
            "",
            "# c",
            "\ufeff",
            "kind: A",
            '"',
            "\t",
        ]
    )
    | st.text(max_size=6)
).map("\n".join)


@given(LINES | st.binary(max_size=40))
def test_anything_ends_in_parts_or_one_sentence(text: str | bytes) -> None:
    told: list[Exception] = []
    try:
        told += [part.error for part in read_stream(text, "f") if isinstance(part, Broken)]
    except NotYamlError as error:
        told.append(error)
    assert all(str(error).startswith("f") and "\n" not in str(error) for error in told)


@given(
    st.lists(st.tuples(st.sampled_from([FLAVOR, QUEUE, POD]), st.booleans()), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
)
def test_as_many_come_out_as_went_in(given: list[tuple[Any, bool]], newline: str) -> None:
    text = "".join(f"---\n{json.dumps(obj) if flat else yaml_text.dump(obj)}\n" for obj, flat in given)
    assert objects(text.replace("\n", newline)) == [obj for obj, _ in given]
