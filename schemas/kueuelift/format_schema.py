"""The JSON Schemas of the three formats, and the one function that holds a document against them."""

import functools
import json
from importlib import resources
from pathlib import Path
from typing import Any

from kueuelift.errors import UntrustedError, printable


def check(name: str, document: Any, origin: Path | str | None = None) -> None:
    """Hold a header or journal line against `formats/<name>.v1.json`.

    With `origin`, a mismatch is an UntrustedError naming file and path; without, it is our own fault (ValueError).
    """
    problem = next(iter(_validator(name).iter_errors(document)), None)
    if problem is None:
        return
    path = printable(problem.json_path.removeprefix("$."))
    if origin is None:
        raise ValueError(f"{name} at {path}: {problem.message}")
    reason = printable(problem.message, longest=200)
    raise UntrustedError(f"{origin}: {path} does not fit the format {name}/v1: {reason}; take it from its source again")


@functools.cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - costs 60 ms, and `--help` needs none of it

    text = resources.files("kueuelift").joinpath("formats", f"{name}.v1.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))
