"""Progress as an injected object: bars on a terminal, one line per step elsewhere; the library itself never prints."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Protocol


class Task(Protocol):
    """One piece of work under way."""

    def advance(self, count: int = 1) -> None:
        """Count some of it as done."""


class Progress(Protocol):
    """What a stage tells while it works."""

    def say(self, line: str) -> None:
        """Tell a fact."""

    def task(self, title: str, total: int | None = None) -> Any:
        """A context manager giving a Task; `total` where it is known."""


class Silence:
    """Progress that nobody hears."""

    def say(self, line: str) -> None:
        """Nothing."""

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:  # noqa: ARG002 - the Protocol's names
        """A task that counts for nobody."""
        yield _Count()


class _Count:
    """Counts what a task has done."""

    def __init__(self) -> None:
        self.done = 0

    def advance(self, count: int = 1) -> None:
        self.done += count


class Lines:
    """One line at the end of each task: for logs and pipes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def say(self, line: str) -> None:
        """Write the line."""
        print(line, file=self._stream, flush=True)

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """Say how many were done when it ends well."""
        count = _Count()
        yield count
        done = f"{count.done} of {total}" if total is not None and total != count.done else f"{count.done}"
        self.say(f"{title}: {done}" if count.done or total else title)


class Bars:
    """Bars for a terminal."""

    def __init__(self, stream: IO[str]) -> None:
        from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

        self._console = Console(file=stream, highlight=False, no_color="NO_COLOR" in os.environ)

    def say(self, line: str) -> None:
        """Write the line."""
        self._console.print(line, markup=False)

    @contextmanager
    def task(self, title: str, total: int | None = None) -> Iterator[Task]:
        """A bar that stays when it is full."""
        from rich import progress as rich_progress  # noqa: PLC0415 - as above

        columns = (
            rich_progress.TextColumn("{task.description}"),
            rich_progress.BarColumn(),
            rich_progress.MofNCompleteColumn(),
            rich_progress.TimeElapsedColumn(),
        )
        with rich_progress.Progress(*columns, console=self._console) as bars:
            yield _Bar(bars, bars.add_task(title, total=total))


class _Bar:
    """One bar of the terminal."""

    def __init__(self, bars: Any, task: Any) -> None:
        self._bars, self._task = bars, task

    def advance(self, count: int = 1) -> None:
        self._bars.advance(self._task, count)


def for_terminal(stream: IO[str] | None = None) -> Progress:
    """Bars where the stream (standard error unless told) is a terminal, lines elsewhere."""
    stream = stream or sys.stderr
    return Bars(stream) if stream.isatty() else Lines(stream)
