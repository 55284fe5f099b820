"""Tries again what may pass by itself: throttling, a server's own errors, dropped connections."""

from collections.abc import Callable, Mapping

from kueuelift_snapshot.api import NO_QUERY, AnswerError, Api, UnreachableError

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each further try, where the server does not say how long to wait."""

LONGEST_WAIT = 60.0
"""However long a server's Retry-After is."""


class PatientApi:
    """An Api that tries each request a few times.

    A server that has never answered is not waited for, nor a second time a conversion webhook that stayed away.
    """

    def __init__(self, api: Api, sleep: Callable[[float], None]) -> None:
        self._api = api
        self._sleep = sleep
        self._answered = False
        self._conversion_is_dead = False

    def get(self, path: str, query: Mapping[str, str] = NO_QUERY) -> bytes:
        """As Api.get; what is raised is the last try's error."""
        for pause in PAUSES:
            try:
                return self._once(path, query)
            except AnswerError as error:
                lasting = self._conversion_is_dead and (error.of_conversion or error.of_stuck_cache)
                if lasting or not error.passing:
                    raise
                wait = pause if error.retry_after is None else error.retry_after
            except UnreachableError:
                if not self._answered:
                    raise
                wait = pause
            self._sleep(min(wait, LONGEST_WAIT))
        try:
            return self._once(path, query)
        except AnswerError as error:
            self._conversion_is_dead |= error.of_conversion
            raise

    def _once(self, path: str, query: Mapping[str, str]) -> bytes:
        content = self._api.get(path, query)
        self._answered = True
        return content
