"""The command `kueuelift inspect`."""

import json
from pathlib import Path

import click

from kueuelift.cli_options import output_option
from kueuelift.errors import UntrustedError


@click.command()
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR-OR-ARCHIVE")
@output_option("Format of the page.")
def inspect(directory: Path, output: str) -> None:
    """Show what a snapshot, a plan or a journal holds, and verify every byte of it.

    Takes an archive of a snapshot or plan too. Exit code 4 where something is broken: the page shows what can still be
    believed.
    """
    from kueuelift import inspection, inspection_text, yaml_text  # noqa: PLC0415 - `--help` needs none of it

    page = inspection.inspect(directory)
    if output == "json":
        click.echo(json.dumps(page.content, indent=2))
    elif output == "yaml":
        click.echo(yaml_text.dump(page.content), nl=False)
    else:
        click.echo("\n".join(inspection_text.lines(page.content)))
    if page.problems:
        more = f" ({len(page.problems) - 1} more things are broken)" if len(page.problems) > 1 else ""
        raise UntrustedError(f"{page.problems[0]}{more}")
