"""The JSON Schemas of the three formats, and the one function that holds a document against them."""

import functools
import json
from importlib import resources
from pathlib import Path
from typing import Any

from kueuelift.errors import UntrustedError


def check(name: str, document: Any, origin: Path | None = None) -> None:
    """Hold a header or journal line against `formats/<name>.v1.json`.

    With `origin`, a mismatch is an UntrustedError naming file and path; without, it is our own fault (ValueError).
    """
    problem = next(iter(_validator(name).iter_errors(document)), None)
    if problem is None:
        return
    path = problem.json_path.removeprefix("$.")
    if origin is None:
        raise ValueError(f"{name} at {path}: {problem.message}")
    raise UntrustedError(
        f"{origin}: {path} does not fit the format {name}/v1: {problem.message[:200]}; take it from its source again"
    )


@functools.cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - costs 60 ms, and `--help` needs none of it

    text = resources.files("kueuelift").joinpath("formats", f"{name}.v1.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))
