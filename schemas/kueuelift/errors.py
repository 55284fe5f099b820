"""What can go wrong, as types: each carries the exit code that the command line answers with.

A message is one sentence: the object, the path, what was found, what was wanted, what to do next.
"""

from typing import ClassVar

EXIT_CODES: dict[int, str] = {
    0: "done",
    1: "refused, or checks failed",
    2: "usage",
    3: "done in part, run again to resume",
    4: "plan or snapshot stale, altered or not approved",
    5: "our own fault",
    130: "interrupted",
}
"""The published exit codes, as every command's help prints them."""

OWN_EXIT_CODES: dict[str, dict[int, str]] = {
    "diff": {
        0: "same",
        1: "different",
        2: "usage, or refused",
        3: "not all could be compared",
        4: "a snapshot is altered, or damaged",
        5: "our own fault",
        130: "interrupted",
    },
}
"""Those of commands whose code 1 is an answer, by the command's name."""

_LONGEST_SHOWN = 500


def printable(text: str, *, longest: int = _LONGEST_SHOWN) -> str:
    """A name that nobody vouches for, fit for a message: of one line, without a terminal's control characters."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in cut)


class ToolError(Exception):
    """Something the operator must be told; never raised as it stands."""

    exit_code: ClassVar[int] = 5


class RefusedError(ToolError):
    """The input or the cluster does not allow what was asked; nothing was changed."""

    exit_code = 1


class UsageError(ToolError):
    """The words of the command do not fit together."""

    exit_code = 2


class PartlyDoneError(ToolError):
    """Some of the work is done and recorded; the same command goes on from there."""

    exit_code = 3


class UntrustedError(ToolError):
    """A directory is stale, altered, of an unknown format, or not the approved one."""

    exit_code = 4


class UnansweredError(ToolError):
    """Refused, by a command whose code 1 is an answer."""

    exit_code = 2
