"""YAML means to kueuelift what it means to Kubernetes: sigs.k8s.io/yaml is the judge."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bed.programs import Programs
from kueuelift import yaml_scalar, yaml_text
from kueuelift.yaml_text import NotYamlError
from yaml_judge import Judge

pytestmark = pytest.mark.cluster

# fmt: off
SCALARS = [
    "1e3", "0755", "0o17", "0O17", "08", "0_8", "0777777777777777777777777", "0xFF", "0XfF", "0b11", "-0b11", "0x",
    "0o8", "0_", "1_000", "1__0", "0x_1", "-_1", "_1", "1:30", "190:20:30.15", ".5", ".5e3", ".1_0", "._1", ".5p1",
    ".", "..", "5.", "+.5", "on", "yes", "y", "N", "off", "~", "null", "Null", ".inf", "-.INF", ".nan", "inf",
    "NaN", "=", "<<", "<<a", "2024-02-29", "2024-1-1T1:1:1Z", "2001-12-14t21:59:43.10-05:00", "1Gi", "100m", "1.5",
    "1.10", "1e6", "1234567.8", "3.4e38", "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "-9223372036854775809", "100000000000000000000", "123456789012345678901234567890", "0xFFFFFFFFFFFFFFFFFF",
    "1e999", "-0.0", "1e21", "1e20", "1e-7", "1e39", "ünïcode", "✅", "a:b", "a::b", "a#b", "@a", "`a", "%a", "a,b",
    "&a", "*a", "!a", "|a", ">a", "{a", "[a", "]a", "}a", "'a", '"a', "?a", "-a", ":a", "a'", 'a"', "--", "---",
    "...", "?", "-", ":", "a:", "#a",
]
TAGS = [
    "!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!set", "!own", "!", "!!python/name:os",
    "!<tag:x,1:y>",
]
# fmt: on
ODD = st.sampled_from(SCALARS) | st.text("01789_+-.eExXo:yn~<=", max_size=6) | st.text(max_size=8)


def quoted(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, text, json.dumps(text), "'" + text.replace("'", "''") + "'"])


def tagged(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(["", "", "", "", *(f"{tag} " for tag in TAGS)]).map(lambda tag: tag + text)


SCALAR = ODD.flatmap(quoted).flatmap(tagged)
KEY = st.sampled_from(["a", "b", "c", "a", "<<", "? a", "*x", "&y a", "1", "true"]) | ODD.flatmap(quoted)
ANCHOR = st.sampled_from(["", "", "", "&x ", "&y "])
LEAF = st.tuples(ANCHOR, SCALAR).map("".join) | st.sampled_from(["*x", "*y", "", "{<<: *x}", "[*x, *y]"])


def in_brackets(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def in_braces(pairs: list[tuple[str, str]]) -> str:
    return f"{{{', '.join(': '.join(pair) for pair in pairs)}}}"


def containers(below: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.lists(below, max_size=3).map(in_brackets)
    mappings = st.lists(st.tuples(KEY, below), max_size=3).map(in_braces)
    return st.tuples(ANCHOR, lists | mappings).map("".join)


FLOW = st.recursive(LEAF, containers, max_leaves=6)
BLOCK_TEXT = st.tuples(
    st.sampled_from(["|", ">", "|-", ">+", "|2", ">1-"]),
    st.lists(st.sampled_from(["  a", "   b ", "", "  ---", "\tc", " d"])).map("\n".join),
).map("\n".join)
LINE = st.tuples(KEY, FLOW | BLOCK_TEXT).map(": ".join)
DOCUMENT = (
    st.lists(LINE, min_size=1, max_size=5).map("\n".join)
    | FLOW
    | st.lists(FLOW, min_size=1).map(lambda items: "\n".join(f"- {item}" for item in items))
)
NOISE = st.lists(
    st.sampled_from(
        [*"{}[],:#&*!|>'\"%@`?-~\t \n\r\ufeff\x85\u2028\x7fa1", "\r\n", "\n  ", ": ", "- ", "---\n", "<<: "]
    ),
    max_size=14,
).map("".join)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).map(yaml_scalar.number)
    | ODD,
    lambda below: st.lists(below) | st.dictionaries(ODD, below),
    max_leaves=10,
)


REFUSED_HERE_ONLY = {
    "stands twice": "1 and '1' are two keys in Go and one in JSON, where either value may win",
    "comes again with the merge": "YAML lets the key win, Go what comes last",
    "!!binary": "bytes that are no text become U+FFFD in Go",
    "found unexpected ':'": "[a:] is a list of the text `a:` to Go, a broken mapping to libyaml",
    "a list as a key": "[]a: b ends after its brackets to Go, which reads no further",
    "a mapping as a key": "as above",
    "did not find expected whitespace": "![ is an empty text with a tag to Go, which reads no further",
    "did not find expected tag URI": "as above",
}
"""By what the refusal says: why the two differ."""


@pytest.fixture(scope="module")
def judge(programs: Programs) -> Iterator[Judge]:
    with Judge(programs.yaml_judge) as judge:
        yield judge


def read(text: str) -> Any:
    """The first document, as the judge's reader takes the first only; the error where there is one."""
    try:
        return next((document.value for document in yaml_text.load_documents(text, "text")), None)
    except NotYamlError as error:
        return error


def same(text: str, judge: Judge) -> None:
    assume("\ufeff" not in text[1:])  # inside a text it is nothing to libyaml, and a letter to its translation to Go
    verdict, found = judge.read(text), read(text)
    if isinstance(found, NotYamlError):
        assert verdict.strict.error or differs_knowingly(found), (text, found, verdict.strict)
    elif "?" in text and "did not find expected" in verdict.strict.error:
        pass  # [a?] and {a?: b} hold the text `a?`, which the older libyaml that Go's was made from did not know
    elif verdict.strict.error:
        # A key that stands after a merge which has it too: YAML lets it count, as do lenient readers of Kubernetes.
        assert "already set in map" in verdict.strict.error, (text, found, verdict.strict)
        assert found == verdict.lenient.value
    else:
        assert found == verdict.strict.value
        assert json.dumps(found, sort_keys=True) == json.dumps(verdict.strict.value, sort_keys=True)


def differs_knowingly(error: NotYamlError) -> bool:
    """What kueuelift refuses and Kubernetes takes: by its own will (see yaml_text), or since libyaml is stricter."""
    return any(why in str(error) for why in REFUSED_HERE_ONLY)


@given(DOCUMENT)
@settings(max_examples=1500)
def test_odd_documents(judge: Judge, text: str) -> None:
    same(text, judge)


@given(NOISE)
@settings(max_examples=1500)
def test_noise(judge: Judge, text: str) -> None:
    same(text, judge)


@given(JSON_VALUES)
@settings(max_examples=500)
def test_what_is_written_reads_the_same(judge: Judge, value: Any) -> None:
    text = yaml_text.dump({"v": value})
    verdict = judge.read(text)
    assert verdict.strict.error == ""
    assert verdict.strict.value == {"v": value}
    assert [document.value for document in verdict.documents] == [{"v": value}]
