"""`python -m bed build` builds what the cluster tests need; `python -m bed demo` makes the journey."""

from pathlib import Path

import click

from bed import demo as journey
from bed import programs
from bed.failure import BedError


@click.group()
def main() -> None:
    """The test cluster of kueuelift."""


@main.command()
def build() -> None:
    """Build the programs that are missing into the user's cache."""
    try:
        found = programs.ensure(lambda line: click.echo(line, err=True))
    except BedError as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(found.chart.parent.parent))


@main.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/demo"), help="Where the directories go.")
def demo(out: Path) -> None:
    """Make the whole journey on a cluster of its own."""
    try:
        journey.run(programs.locate(), out.absolute(), click.echo)
    except BedError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main(prog_name="python -m bed")
