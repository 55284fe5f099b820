r"""Go regular expressions (RE2 syntax), as the patterns of CRDs are, made into Python's.

They differ where it matters here: Go takes flags in the middle, its `$` never matches before a final newline, its
classes are ASCII.
"""

import re
from dataclasses import dataclass, field

from kueuelift.errors import ToolError

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_SPACE = r"\t\n\f\r "  # Go's \s, which unlike Python's has no \v
_SAME_ESCAPES = "AbBdDwWafnrtv"
_FLAGS = re.compile(r"\?([ims]*(?:-[ims]+)?)([:)])")
_NAMED = re.compile(r"\?P?<([A-Za-z_][A-Za-z0-9_]*)>")
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")


def compile_go(pattern: str) -> re.Pattern[str]:
    """Compile a Go pattern for `search`; one that cannot be said in Python raises ToolError."""
    try:
        return re.compile(_Translation(pattern).text(), re.ASCII)
    except re.error as error:
        raise _untranslatable(pattern, str(error)) from error


@dataclass(kw_only=True, slots=True)
class _Group:
    """An open group: the flags set inside it so far, each as an inner Python group, and whether `$` is per line."""

    multiline: bool
    flags: list[str] = field(default_factory=list)


class _Translation:
    """One pass over a pattern, left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = [_Group(multiline=False)]

    def text(self) -> str:
        steps = {"\\": self._escape, "[": self._class, "(": self._open, ")": self._close, "|": self._or, "$": self._end}
        while self._at < len(self._pattern):
            steps.get(self._pattern[self._at], self._literal)()
        self._out.append(")" * len(self._groups[0].flags))
        return "".join(self._out)

    def _emit(self, text: str, consumed: int) -> None:
        self._out.append(text)
        self._at += consumed

    def _literal(self) -> None:
        count = _COUNT.match(self._pattern, self._at)
        if count:
            self._emit(count[0], len(count[0]))
        elif self._pattern[self._at] == "{":
            self._emit(r"\{", 1)
        else:
            self._emit(self._pattern[self._at], 1)

    def _escape(self) -> None:
        following = self._pattern[self._at + 1 : self._at + 2]
        if following == "z":
            self._emit(r"\Z", 2)
        elif following == "Q":
            end = self._pattern.find(r"\E", self._at)
            quoted = self._pattern[self._at + 2 : end if end >= 0 else None]
            self._emit(re.escape(quoted), len(quoted) + (4 if end >= 0 else 2))
        elif following in ("s", "S"):
            self._emit(f"[{_SPACE}]" if following == "s" else f"[^{_SPACE}]", 2)
        else:
            self._plain_escape(following)

    def _plain_escape(self, following: str) -> None:
        code = _HEX.match(self._pattern, self._at)
        if code:
            self._emit(re.escape(chr(int(code[1] or code[2], 16))), len(code[0]))
        elif following and (following in _SAME_ESCAPES or not following.isalnum()):
            self._emit("\\" + following, 2)
        else:
            raise _untranslatable(self._pattern, f"it has \\{following}")

    def _class(self) -> None:
        self._emit("[", 1)
        if self._pattern.startswith("^", self._at):
            self._emit("^", 1)
        if self._pattern.startswith("]", self._at):
            self._emit(r"\]", 1)
        while not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                raise _untranslatable(self._pattern, "a [ is never closed")
            self._class_member()
        self._emit("]", 1)

    def _class_member(self) -> None:
        here = self._pattern[self._at]
        posix = re.compile(r"\[:([a-z]+):\]").match(self._pattern, self._at)
        if posix and posix[1] in _POSIX:
            self._emit(_POSIX[posix[1]], len(posix[0]))
        elif self._pattern.startswith(r"\s", self._at):
            self._emit(_SPACE, 2)
        elif here == "\\":
            self._plain_escape(self._pattern[self._at + 1 : self._at + 2])
        else:
            # Python keeps [[, &&, || and ~~ inside a class for later use.
            self._emit("\\" + here if here in "[&|~" else here, 1)

    def _open(self) -> None:
        inherited = self._groups[-1].multiline
        flags = _FLAGS.match(self._pattern, self._at + 1)
        named = _NAMED.match(self._pattern, self._at + 1)
        if flags:
            self._open_with_flags(flags, inherited=inherited)
        elif named:
            self._groups.append(_Group(multiline=inherited))
            self._emit(f"(?P<{named[1]}>", len(named[0]) + 1)
        elif self._pattern.startswith("(?", self._at):
            raise _untranslatable(self._pattern, f"it has {self._pattern[self._at : self._at + 4]}")
        else:
            self._groups.append(_Group(multiline=inherited))
            self._emit("(", 1)

    def _open_with_flags(self, flags: re.Match[str], *, inherited: bool) -> None:
        on, _, off = flags[1].partition("-")
        multiline = (inherited or "m" in on) and "m" not in off
        if flags[2] == ":":
            self._groups.append(_Group(multiline=multiline))
            self._emit(f"(?{flags[1]}:", len(flags[0]) + 1)
        else:
            # In Go a bare flag holds to the end of the group it stands in, over every | that follows.
            self._groups[-1].multiline = multiline
            self._groups[-1].flags.append(flags[1])
            self._emit(f"(?{flags[1]}:", len(flags[0]) + 1)

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise _untranslatable(self._pattern, "a ) has no (")
        self._emit(")" * (len(self._groups.pop().flags) + 1), 1)

    def _or(self) -> None:
        flags = self._groups[-1].flags
        self._emit(")" * len(flags) + "|" + "".join(f"(?{flag}:" for flag in flags), 1)

    def _end(self) -> None:
        self._emit("$" if self._groups[-1].multiline else r"\Z", 1)


def _untranslatable(pattern: str, why: str) -> ToolError:
    return ToolError(f"the Go pattern {pattern!r} cannot be said in Python ({why}): leave this check to the API server")
