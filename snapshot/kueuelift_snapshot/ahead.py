"""A question that is asked while the answer is not needed yet."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Ahead(Generic[Answer]):
    """Asks at once, in a thread that nobody waits for when the program ends."""

    def __init__(self, ask: Callable[[], Answer]) -> None:
        self._ask = ask
        self._answers: list[Answer] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def answer(self) -> Answer:
        """What was answered, waited for where need be; what `ask` raises is raised here. To be called once."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._answers.pop()

    def _run(self) -> None:
        try:
            self._answers.append(self._ask())
        except BaseException as error:  # noqa: BLE001 - told in `answer`, to whoever asked
            self._error = error
