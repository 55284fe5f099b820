"""What the snapshot asks of a cluster: one way to read, and what can come of it, as types."""

from collections.abc import Mapping
from typing import Protocol

from kueuelift.errors import RefusedError

NO_QUERY: Mapping[str, str] = {}


class Api(Protocol):
    """Reads from one API server; there is no way to write."""

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """The body of a successful answer; UnreachableError, UnauthorizedError or AnswerError otherwise."""


class UnreachableError(RefusedError):
    """No connection to the server could be made."""


class UnauthorizedError(RefusedError):
    """The server does not accept the credentials (401), at the start or from some moment on."""


class AnswerError(RefusedError):
    """An answer that is no success, or that broke off; other paths may still be read."""

    def __init__(
        self, path: str, *, status: int, message: str, retry_after: float | None = None, continue_token: str = ""
    ) -> None:
        """`status` is 0 where the connection broke off; `continue_token` comes with 410 and goes on inconsistently."""
        super().__init__(f"GET {path} answered {status or 'nothing'}: {message}")
        self.path = path
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.continue_token = continue_token

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed in a moment."""
        return self.status in {0, 408, 429} or self.status >= 500
