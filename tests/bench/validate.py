"""Validation of Workloads beside kubeconform (no CEL) and kubectl-validate (the API server's own code), as ratios.

CPU is of whole processes, start-up included; the last column is by object, as a multiple of ours, with the CPU of an
empty run taken off. Each tool reads the form that it likes best.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import orjson

from bed.failure import BedError
from bed.programs import KUBECONFORM, KUBECTL_VALIDATE, ensure_one
from bench.measured import Figures, measure
from bench.table import table
from bench.valid_workloads import RELEASE, faulty, valid
from kueuelift import crd
from kueuelift.model import KubernetesObject

OURS, PLAINLY = "kueuelift", "kueuelift, jsonschema alone"
CONFORM, VALIDATE = "kubeconform -n 1", "kubectl-validate"
HEAD = ("OBJECTS", "TOOL", "COUNT", "CPU", "PEAK MB", "US EACH", "xOURS")
_FEW = 500
"""For the slow ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One tool on one set of objects."""

    objects: str
    tool: str
    count: int
    figures: Figures
    each: float
    """Microseconds of CPU by object."""


class Bench:
    """A folder with the objects in every form, and the tools."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._conform = ensure_one(KUBECONFORM, _tell)
        self._validate = ensure_one(KUBECTL_VALIDATE, _tell)
        definition = crd.bundled(RELEASE, service=None)["workloads"]
        (folder / "crds").mkdir()
        (folder / "crds" / "workloads.json").write_bytes(orjson.dumps(definition))
        closed = _closed(crd.schema(definition, "v1beta2"))
        closed["properties"]["metadata"] = {"type": "object"}
        (folder / "workload_v1beta2.json").write_bytes(orjson.dumps(closed))

    def rows(self, name: str, objects: Sequence[KubernetesObject]) -> Iterator[Row]:
        """Every tool on these objects; the slow ones on the first of them."""
        for tool in (OURS, PLAINLY, CONFORM, VALIDATE):
            few = objects if tool in {OURS, CONFORM} else objects[:_FEW]
            whole, none = self._run(tool, few), self._run(tool, few[:1])
            each = (whole.processor - none.processor) / (len(few) - 1) * 1e6
            yield Row(objects=name, tool=tool, count=len(few), figures=whole, each=each)

    def _run(self, tool: str, objects: Sequence[KubernetesObject]) -> Figures:
        lines = self._folder / "objects.jsonl"
        lines.write_bytes(b"".join(orjson.dumps(obj) + b"\n" for obj in objects))
        stream = self._folder / "objects.yaml"
        stream.write_bytes(b"\n---\n".join(orjson.dumps(obj) for obj in objects))
        ours: list[str | Path] = [sys.executable, Path(__file__).with_name("validate_lines.py")]
        schema = f"{self._folder}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
        words: Mapping[str, list[str | Path]] = {
            OURS: [*ours, "now", lines],
            PLAINLY: [*ours, "plainly", lines],
            CONFORM: [self._conform, "-n", "1", "-summary", "-schema-location", schema, stream],
            VALIDATE: [self._validate, "--local-crds", self._folder / "crds", "--version", "1.30", stream],
        }
        return measure(words[tool], environment=dict(os.environ), out=self._folder / "out", may_fail=True)


def _closed(schema: Any) -> Any:
    """A schema as kubeconform's users write it: what is not known is refused."""
    if isinstance(schema, list):
        return [_closed(below) for below in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: _closed(value) for key, value in schema.items()}
    if isinstance(own.get("properties"), dict) and own.get("type") == "object":
        own.setdefault("additionalProperties", False)
    return own


def _tell(line: str) -> None:
    click.echo(line, err=True)


@click.command()
@click.option("--objects", type=click.IntRange(min=1000), default=10_000, show_default=True, help="Valid Workloads.")
def main(*, objects: int) -> None:
    """Measure validation."""
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            bench = Bench(Path(folder))
            found = [*bench.rows("valid", list(valid(objects))), *bench.rows("one fault", list(faulty(1_000)))]
    except BedError as error:
        raise click.ClickException(str(error)) from error
    ours = {row.objects: row.each for row in found if row.tool == OURS}
    click.echo(table(HEAD, [_cells(row, ours[row.objects]) for row in found]))


def _cells(row: Row, ours: float) -> tuple[str, ...]:
    return (
        row.objects,
        row.tool,
        f"{row.count:,}",
        f"{row.figures.processor:.2f}",
        f"{row.figures.peak / 1e6:.0f}",
        f"{row.each:.0f}",
        f"{row.each / ours:.1f}",
    )


if __name__ == "__main__":
    main(prog_name="python -m bench.validate")
