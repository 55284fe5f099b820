"""Secrets that were found by their names, to be hidden wherever else they stand, encoded or not."""

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote

SHORTEST_KNOWN = 6
"""Shorter secrets are not looked for elsewhere: they would be found inside innocent words."""

_LINE = re.compile(r"[^\s:]{20,}")
"""A line of a secret of many lines that can be found by itself, as of a private key that was indented."""
_RUN = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")


@dataclass(frozen=True, slots=True)
class KnownSecrets:
    """A set of secrets, as patterns."""

    _plain: re.Pattern[str]
    _encoded: re.Pattern[str]

    @classmethod
    def of(cls, secrets: Iterable[str]) -> Self | None:
        """Those of the secrets that are long enough; None where there is none."""
        found = {line for secret in secrets for line in (secret, *_lines(secret)) if len(line) >= SHORTEST_KNOWN}
        if not found:
            return None
        plain = found | {quote(secret, safe="") for secret in found}
        return cls(_any_of(plain), _any_of({piece for secret in found for piece in _pieces(secret)}))

    def hide(self, text: str, hide: Callable[[str], str]) -> str:
        """The text without them."""
        text = self._plain.sub(lambda found: hide(found[0]), text)
        return _RUN.sub(lambda run: hide(run[0]) if self._encoded.search(run[0]) else run[0], text)

    def has(self, text: str) -> bool:
        """Whether a text is one of them."""
        return self._plain.fullmatch(text) is not None


def _lines(secret: str) -> list[str]:
    return [line for line in secret.splitlines() if _LINE.fullmatch(line)] if "\n" in secret else []


def _pieces(secret: str) -> Iterable[str]:
    """What the base64 of any text with the secret in it contains: it may begin at each of three places."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret.encode()).rstrip(b"=").decode()
        piece = encoded[(shift * 8 + 5) // 6 : -1]
        yield piece
        yield piece.translate(str.maketrans("+/", "-_"))


def _any_of(texts: set[str]) -> re.Pattern[str]:
    """A pattern that finds each of the texts, the longest first."""
    return re.compile("|".join(re.escape(text) for text in sorted(texts, key=lambda text: (-len(text), text))))
