"""Waiting for something that another process does."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(ask: Callable[[], T], *, seconds: float) -> T:
    """Asks again and again; the first answer that is true, or the last one once the time is over."""
    deadline = time.monotonic() + seconds
    while not (answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return answer
