import pytest

from kueuelift.errors import ToolError
from kueuelift.go_regexp import compile_go


@pytest.mark.parametrize(
    ("pattern", "matching", "not_matching"),
    [
        (r"^(?i)[a-z]+$", ["ab", "AB"], ["a1", "ab\n"]),
        (r"a(?i)b|c", ["ab", "aB", "C"], ["Ab", "d"]),
        (r"(a(?i)b)c", ["aBc"], ["aBC"]),
        (r"(?i:a)b", ["Ab"], ["AB"]),
        (r"(?i)a(?-i)b", ["Ab"], ["AB"]),
        (r"(?m)^a$", ["b\na\nc"], ["ab"]),
        (r"(?s)a.b", ["a\nb"], ["ab"]),
        (r"a.b", ["axb"], ["a\nb"]),
        (r"^a\z", ["a"], ["a\n"]),
        (r"^\s$", [" ", "\t"], ["\v", "\u00a0"]),
        (r"^\S[\s]$", ["a "], [" a"]),
        (r"^\d\w$", ["1_"], ["\u0661a"]),
        (r"^[[:alpha:]-]+$", ["a-b"], ["1"]),
        (r"^[[:^x]$", ["[", "^"], ["y"]),
        (r"^[]a]+$", ["]a"], ["b"]),
        (r"^[^]]$", ["a"], ["]"]),
        (r"^[a&&b|~]$", ["&", "|", "~"], ["c"]),
        (r"^\Qa.b\E$", ["a.b"], ["axb"]),
        (r"^\x41\x{1F600}$", ["A\U0001f600"], ["a"]),
        (r"^a{,2}$", ["a{,2}"], ["aa"]),
        (r"^a{1,2}$", ["aa"], ["aaa"]),
        (r"^(?P<x>a)(?<y>b)$", ["ab"], ["a"]),
        (r"^\.\-$", [".-"], ["a-"]),
    ],
)
def test_meaning_is_that_of_go(pattern: str, matching: list[str], not_matching: list[str]) -> None:
    compiled = compile_go(pattern)
    assert [text for text in matching if not compiled.search(text)] == []
    assert [text for text in not_matching if compiled.search(text)] == []


@pytest.mark.parametrize("pattern", [r"\pL", r"[\pL]", r"(?U)a+", r"(?=a)", r"[a", r"a)", r"\C", r"[\S]", "a\\", r"(a"])
def test_what_cannot_be_said_is_our_own_fault(pattern: str) -> None:
    with pytest.raises(ToolError, match="cannot be said in Python") as caught:
        compile_go(pattern)
    assert caught.value.exit_code == 5
