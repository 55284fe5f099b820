"""Label keys and values and their relatives; tests/cluster/test_admission_against_webhook.py asks a server the same."""

from string import ascii_letters, ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelift.label_syntax import is_annotation_key, is_host, is_label_key, is_label_value, is_prefixed_path

odd = st.text("aZ9-_./ ä\n\t%~é", max_size=8)
names = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", fullmatch=True)
hosts = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]{1,5}){0,3}", fullmatch=True)


def by_the_book(key: str) -> bool:
    """The rule as it is written, part by part."""
    *host, name = key.split("/")

    def is_word(text: str, ends: str, within: str) -> bool:
        return bool(text) and text[0] in ends and text[-1] in ends and all(sign in ends + within for sign in text)

    labels = [label for part in host for label in part.split(".")]
    return (
        len(host) <= 1
        and len(name) <= 63
        and is_word(name, ascii_letters + digits, "-_.")
        and all(is_word(label, ascii_lowercase + digits, "-") for label in labels)
    )


@given(hosts, names)
def test_what_is_made_by_the_rules_passes(host: str, name: str) -> None:
    assert is_host(host)
    assert is_label_key(name)
    assert is_label_key(f"{host}/{name}")
    assert is_label_value(name)
    assert is_annotation_key(f"{host.upper()}/{name}")
    assert is_prefixed_path(f"{host}/{name}")


@given(hosts, names, odd)
def test_one_sign_too_many_is_noticed(host: str, name: str, extra: str) -> None:
    for wrong in (f"-{name}", f"{name}.", f"{host}//{name}", f"/{name}", f"{host}/{name}/", f"{host}/", ""):
        assert not is_label_key(wrong)
    assert is_label_key(extra) == by_the_book(extra)


@given(odd)
def test_a_value_is_empty_or_a_name(text: str) -> None:
    assert is_label_value(text) == (not text or (is_label_key(text) and "/" not in text))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a" * 63, True),
        ("a" * 64, False),
        ("x.io/" + "a" * 63, True),
        ("h" * 253 + "/a", True),
        ("h" * 254 + "/a", False),
        ("X.io/a", False),
        ("x_y.io/a", False),
        ("a..b/c", False),
        ("a-.b/c", False),
        ("a\n", False),
        ("ä", False),
    ],
)
def test_label_keys_at_the_edge(text: str, right: bool) -> None:
    assert is_label_key(text) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("X.IO/Name", True),
        ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}/a", True),
        ("\N{KELVIN SIGN}/a", True),
        ("\N{LATIN SMALL LETTER DOTLESS I}/a", False),
        ("a/b/c", False),
        ("", False),
    ],
)
def test_annotation_keys_are_lowered_first_as_go_lowers_them(text: str, right: bool) -> None:
    assert is_annotation_key(text) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("x.io/a/b", True),
        ("x.io/!$&'()*+,;=:%~", True),
        ("x.io/", False),
        ("x.io", False),
        ("X.io/a", False),
        ("x.io/a b", False),
        ("x.io/ä", False),
        ("/a", False),
    ],
)
def test_prefixed_paths(text: str, right: bool) -> None:
    assert is_prefixed_path(text) is right
