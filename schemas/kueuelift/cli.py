"""The `kueuelift` command: finds the stages' commands by entry point and turns errors into exit codes."""

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any

import click

from kueuelift.errors import EXIT_CODES, ToolError

SUMMARIES = {
    "snapshot": "Read everything Kueue-related of a cluster into a sealed directory.",
    "transform": "Make a plan from a snapshot; needs no network.",
    "apply": "Carry a plan to the cluster, step by step, with a journal.",
    "verify": "Check that a cluster is as its plan says.",
}
"""One line a command, so that the list of commands needs none of them imported."""

EXIT_CODE_TEXT = "\b\nExit codes:\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items())
"""The table that stands at the end of every command's help."""


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
        command.epilog = EXIT_CODE_TEXT
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        ctx.obj = LISTING
        super().format_commands(ctx, formatter)


LISTING = object()
"""Set on a context while help is written."""


def _entry_points() -> metadata.EntryPoints:
    return metadata.entry_points(group="kueuelift.commands")


@click.group(cls=Commands, epilog=EXIT_CODE_TEXT, context_settings={"help_option_names": ["-h", "--help"]})
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
        return _fail(f"{error.filename or 'file'}: {error.strerror or error}; mend that and run again", 1)
    except Exception as error:  # noqa: BLE001 - the one place where the unexpected ends
        traceback.print_exc()
        return _fail(f"this is a fault of kueuelift ({type(error).__name__}); please report the lines above", 5)
    return result if isinstance(result, int) else 0


@contextmanager
def _polite_kills_as_interrupts() -> Iterator[None]:
    """SIGTERM and SIGHUP end a command as Ctrl-C does: with nothing half written left."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    heeded = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(sentence: str, code: int) -> int:
    click.echo(f"error: {sentence}", err=True)
    return code
