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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kueuelift.errors import RefusedError

_TOKEN = re.compile(r"kueuelift-token-[0-9a-f]{32}")
_KEY_BYTES = 32

KEY_FILE = "kueuelift-token.key"
"""The key's name where none is given: beside the snapshot, never inside it."""


def is_token(value: Any) -> bool:
    """Whether a value is hidden behind a token."""
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


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
        content = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
        return f"kueuelift-token-{hmac.new(self.secret, content, hashlib.sha256).hexdigest()[:32]}"

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
            key = bytes.fromhex(path.read_text(encoding="ascii").strip())
        except (OSError, ValueError):
            key = b""
        if len(key) != _KEY_BYTES:
            raise RefusedError(
                f"{path}: no token key found, {_KEY_BYTES} bytes in hexadecimal wanted; name another with --token-key"
            )
        return cls(key)
