"""Validates JSON lines as a transform does, for `bench.validate`: prints how many lines there were and how many failed.

Arguments: `now`, or `plainly` for jsonschema and every rule on the whole of its value; the file.
"""

import sys
from pathlib import Path

import orjson

from kueuelift import crd, structural
from kueuelift.validation import Validator


def main(way: str, path: str) -> None:
    """Go through the file once."""
    definition = crd.bundled("0.17.0", service=None)["workloads"]
    validator, schema = Validator.for_crd(definition, "v1beta2"), crd.schema(definition, "v1beta2")
    if way == "plainly":
        validator._keeps_schema = lambda _: False
    lines = bad = 0
    with Path(path).open("rb") as file:
        for line in file:
            lines += 1
            bad += bool(validator.problems(structural.coerce(orjson.loads(line), schema)))
    print(lines, bad)  # noqa: T201 - a program's answer


if __name__ == "__main__":
    main(*sys.argv[1:])
