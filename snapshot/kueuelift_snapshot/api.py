"""What the snapshot asks of a cluster: one way to read, and what can come of it, as types."""

from collections.abc import Mapping
from typing import Protocol

from kueuelift.errors import RefusedError

NO_QUERY: Mapping[str, str] = {}


class Api(Protocol):
    """Reads from one API server; there is no way to write."""

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """The body of a successful answer; UnreachableError, UnauthorizedError or AnswerError otherwise."""


class Meter:
    """An Api that counts what it gives."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.requests = 0
        """Answered ones."""
        self.received = 0
        """Bytes of their bodies, unpacked."""

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """As Api.get."""
        content = self._api.get(path, query)
        self.requests += 1
        self.received += len(content)
        return content


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

    @property
    def of_conversion(self) -> bool:
        """Whether the objects could not be converted into the version asked for; in their own they can be read."""
        return self.status >= 500 and "conversion webhook" in self.message

    @property
    def of_stuck_cache(self) -> bool:
        """Whether the server's own cache of this version has stopped at an earlier moment than a continue token's.

        It does when it can no longer convert what is written in another version (seen on Kubernetes 1.35.4).
        """
        return self.status == 504 and "Too large resource version" in self.message
