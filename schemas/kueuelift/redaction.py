"""Tokens: what stands on disk in the place of a value that could be secret.

A token is a keyed hash of the value, so that with the same key equal values stay equal and changed ones differ.
Which values become tokens is decided where they are captured; here is only what a token is.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kueuelift.errors import RefusedError

MARK = "kueuelift-token-"
"""What every token begins with."""

_TOKEN = re.compile(rf"{MARK}[0-9a-f]{{32}}")
_KEY_BYTES = 32
_LONGEST_KEY_FILE = 4096
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
"""Made once: making it takes longer than hashing what it writes."""
BLANK = f"{MARK}{'0' * 32}"
"""The token that says only that something is hidden."""

KEY_FILE = "kueuelift-token.key"
"""The key's name where none is given: beside the snapshot, never inside it."""


def is_token(value: Any) -> bool:
    """Whether a value is hidden behind a token."""
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


def has_token(value: Any) -> bool:
    """Whether a value is a text of which some or all is hidden."""
    return isinstance(value, str) and _TOKEN.search(value) is not None


def blanked(value: Any) -> Any:
    """Any value with all its tokens made one, so that what was hidden with different keys can be equal."""
    return _with_tokens_as(BLANK, value)


def told(value: Any) -> Any:
    """Any value as a person is told it: `(hidden)` in the place of its tokens."""
    return _with_tokens_as("(hidden)", value)


def _with_tokens_as(word: str, value: Any) -> Any:
    if isinstance(value, str):
        # A text without tokens stays the object that it is: it may know more than its characters.
        return _TOKEN.sub(word, value) if _TOKEN.search(value) else value
    if isinstance(value, list):
        return [_with_tokens_as(word, item) for item in value]
    if isinstance(value, dict):
        same = copy(value)
        same.update({key: _with_tokens_as(word, item) for key, item in value.items()})
        return same
    return value


@dataclass(frozen=True, slots=True)
class TokenKey:
    """The key of the tokens of one site; it never lies inside a snapshot."""

    secret: bytes

    @property
    def identity(self) -> str:
        """Tells two keys apart and says nothing about them."""
        return hashlib.sha256(b"kueuelift key identity\0" + self.secret).hexdigest()[:16]

    def token(self, value: Any) -> str:
        """The token of any JSON value."""
        content = _CANONICAL.encode(value).encode()
        return f"{MARK}{hmac.digest(self.secret, content, 'sha256').hex()[:32]}"

    @classmethod
    def throwaway(cls) -> Self:
        """A key that is kept nowhere."""
        return cls(secrets.token_bytes(_KEY_BYTES))

    @classmethod
    def at(cls, path: Path) -> Self:
        """The key in a file, made there, readable by its owner only, where there is none."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls._read(path)
        except OSError as error:
            raise RefusedError(
                f"{path}: the token key cannot be written ({error.strerror}); name another with --token-key"
            ) from None
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
        return cls._read(path)

    @classmethod
    def _read(cls, path: Path) -> Self:
        try:
            key = bytes.fromhex(_start_of(path).decode("ascii").strip())
        except (OSError, ValueError):
            key = b""
        if len(key) != _KEY_BYTES:
            raise RefusedError(
                f"{path}: no token key found, {_KEY_BYTES} bytes in hexadecimal wanted; name another with --token-key"
            )
        return cls(key)


def _start_of(path: Path) -> bytes:
    """No more of a file than a key needs; nothing of a pipe or device, which could go on for ever."""
    # Opened without waiting: a pipe that nobody writes to would never open.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LONGEST_KEY_FILE) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
