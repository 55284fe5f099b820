"""What the words of a command give away as secrets by where they stand; each word is an argument of its own."""

import re

from kueuelift.secret_names import smells

USER_FLAGS = frozenset({"-u", "--user", "--proxy-user"})
"""curl's, which take user:password."""

_BARE_FLAG = re.compile(r"--?[\w.][\w.-]{0,120}")
_OF_MYSQL = re.compile(r"(?:mysql|mariadb)[\w-]{0,10}|sshpass")
_PROGRAMS = re.compile(r"mysql|mariadb|sshpass|login|redis-cli|ldap")
_SHORT_FLAGS = (
    ("-p", re.compile(r"login|sshpass"), False),
    ("-a", re.compile(r"redis-cli"), False),
    ("-w", re.compile(r"ldap\w{1,12}"), True),
)
_LONGEST_WORD = 300  # no program's name is longer


def is_telling_flag(word: str) -> bool:
    """Whether an argument announces a secret in the next one: `--password`."""
    return _BARE_FLAG.fullmatch(word) is not None and smells(word.lstrip("-"))


def has_short_flags(words: frozenset[str]) -> bool:
    """Whether a program that takes a password after a flag of one letter is among the words of a command."""
    return any(map(_PROGRAMS.search, words))


def short_flag_secret(words: frozenset[str], before: str, word: str) -> int | None:
    """Where a secret begins in an argument that has no telling name: `mysql -pX`; `words` are all of the command's."""
    programs = {name.rpartition("/")[2] for name in words if len(name) <= _LONGEST_WORD}
    if word.startswith("-p") and len(word) > len("-p") and any(map(_OF_MYSQL.fullmatch, programs)):
        return len("-p")
    for flag, pattern, glued in _SHORT_FLAGS:
        if (before == flag or (glued and word.startswith(flag) and word != flag)) and any(
            map(pattern.fullmatch, programs)
        ):
            return 0 if before == flag else len(flag)
    return None
