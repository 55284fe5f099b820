"""Options that several commands share, with kubectl's names and meaning."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Duration(click.ParamType[float]):
    """A length of time as kubectl takes it: `30s`, `1h30m`, plain seconds; in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """`1h30m` -> 5400.0."""
        text = str(value)
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            self.fail(f"{text!r} is no length of time; give it as 30s, 2m or 1h30m", param, ctx)
        return sum(float(number) * _UNITS[unit] for number, unit in parts)


def cluster_options(command: Command) -> Command:
    """`--kubeconfig`, `--context` and `--request-timeout`, handed on under these names."""
    for option in (
        click.option(
            "--request-timeout",
            type=Duration(),
            default="60s",
            show_default=True,
            metavar="DURATION",
            help="Longest silence of the server; 0 for no limit.",
        ),
        click.option("--context", metavar="NAME", help="Context of the kubeconfig; else its current one."),
        click.option(
            "--kubeconfig",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Credentials; else KUBECONFIG, ~/.kube/config or the pod's own.",
        ),
    ):
        command = option(command)
    return command


def output_option(told: str) -> Callable[[Command], Command]:
    """`-o/--output` text, json or yaml, handed on as `output`."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(["text", "json", "yaml"]),
        default="text",
        show_default=True,
        help=told,
    )
