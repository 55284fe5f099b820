"""The `kueuelift` command: finds the stages' commands by entry point and turns errors into exit codes."""

import signal
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from typing import Any

import click

from kueuelift.errors import EXIT_CODES, OWN_EXIT_CODES, RefusedError, ToolError, UnansweredError, printable

SUMMARIES = {
    "snapshot": "Read everything Kueue-related of a cluster into a sealed directory.",
    "transform": "Make a plan from a snapshot; needs no network.",
    "apply": "Carry a plan to the cluster, step by step, with a journal.",
    "verify": "Check that a cluster is as its plan says.",
    "diff": "Compare two snapshots, or one with the live cluster, by meaning.",
    "inspect": "Show what a snapshot, plan or journal holds, and whether it is intact.",
}
"""One line a command, so that the list of commands needs none of them imported."""

_MOST_FRAMES = 40

_LONGEST_SENTENCE = 10_000
"""Of an error: the names in it come from clusters and files, and a terminal must not be filled by them."""


def exit_code_text(codes: Mapping[int, str]) -> str:
    """The table that stands at the end of every command's help."""
    return "\b\nExit codes:\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in codes.items())


class Commands(click.Group):
    """The commands that are installed; one is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order of the work, then by name."""
        found = {point.name for point in _entry_points()}
        return [name for name in SUMMARIES if name in found] + sorted(found - set(SUMMARIES))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; a stand-in with the summary while help is listed."""
        point = next((point for point in _entry_points() if point.name == cmd_name), None)
        if point is None:
            return None
        if ctx.obj is LISTING and cmd_name in SUMMARIES:
            return click.Command(cmd_name, short_help=SUMMARIES[cmd_name])
        command = point.load()
        if not isinstance(command, click.Command):
            raise TypeError(f"entry point {cmd_name} is no click command")
        command.epilog = exit_code_text(OWN_EXIT_CODES.get(cmd_name, EXIT_CODES))
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; where a command's code 1 is an answer, no refusal has it."""
        try:
            return super().invoke(ctx)
        except (RefusedError, OSError) as error:
            if ctx.invoked_subcommand not in OWN_EXIT_CODES:
                raise
            raise UnansweredError(_sentence(error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        ctx.obj = LISTING
        super().format_commands(ctx, formatter)


LISTING = object()
"""Set on a context while help is written."""


def _entry_points() -> metadata.EntryPoints:
    return metadata.entry_points(group="kueuelift.commands")


@click.group(cls=Commands, epilog=exit_code_text(EXIT_CODES), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kueuelift", prog_name="kueuelift")
def kueuelift() -> None:
    """Move a cluster's Kueue, and everything in it, to kueue.x-k8s.io/v1beta2: snapshot, transform, apply."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code; every failure becomes one sentence on standard error."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:  # noqa: PLR0911 - one line a kind of ending
    """Run a command and return its exit code."""
    try:
        with _polite_kills_as_interrupts():
            result: Any = kueuelift.main(args=arguments, standalone_mode=False)
    except ToolError as error:
        return _fail(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted; run the same command again", 130)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        return _fail(_sentence(error), 1)
    except Exception as error:  # noqa: BLE001 - the one place where the unexpected ends
        _tell_trace(error)
        return _fail(f"this is a fault of kueuelift ({type(error).__name__}); please report the lines above", 5)
    return result if isinstance(result, int) else 0


@contextmanager
def _polite_kills_as_interrupts() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command as Ctrl-C does: with nothing half written left.

    The first one counts; those that come while it is heeded are ignored, or they would break off the cleaning.
    """

    def interrupt(*_: object) -> None:
        for number in heeded:
            signal.signal(number, _heed_not)
        raise KeyboardInterrupt

    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heeded = [number for number in ending if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heed_not(*_: object) -> None:
    """Ignores a signal; unlike SIG_IGN it is not handed down to programs that are started meanwhile."""


def _tell_trace(error: BaseException) -> None:
    """Where it happened and of what type; texts and values are left out, which could hold a token or password."""
    at: BaseException | None = error
    while at is not None:
        click.echo(
            "".join(
                f"{it.filename}:{it.lineno} in {it.name}\n"
                for it in traceback.extract_tb(at.__traceback__, limit=-_MOST_FRAMES)
            ),
            err=True,
            nl=False,
        )
        click.echo(f"{type(at).__module__}.{type(at).__qualname__}", err=True)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
        if at is not None:
            click.echo("after", err=True)


def _sentence(error: Exception) -> str:
    if isinstance(error, BrokenPipeError):
        return "standard output was closed before all was told; read it to its end"
    if not isinstance(error, OSError):
        return str(error)
    return f"{error.filename or 'file'}: {error.strerror or error}; mend that and run again"


def _fail(sentence: str, code: int) -> int:
    click.echo(f"error: {printable(sentence, longest=_LONGEST_SENTENCE)}", err=True)
    return code
