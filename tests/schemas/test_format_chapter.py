"""The format chapter names everything that the writers make and the JSON Schemas allow."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from kueuelift import journal, snapshot_dir
from kueuelift.plan_dir import FORMAT as PLAN
from plan_maker import make_plan
from snapshot_maker import legacy_cluster

CHAPTER = (Path(__file__).parent.parent.parent / "schemas" / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", CHAPTER)
    assert found
    return found[1]


def schema(name: str) -> dict[str, Any]:
    text = resources.files("kueuelift").joinpath("formats", f"{name}.v1.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


def test_every_file_and_folder_of_a_snapshot_and_a_plan_is_named(tmp_path: Path) -> None:
    make_plan(tmp_path, legacy_cluster())
    for title, root in {"Snapshot": tmp_path / "snapshot", "Plan": tmp_path / "plan"}.items():
        tree = section(title).partition("```\n")[2].partition("```")[0].split()
        names = {entry.name + ("/" if entry.is_dir() else "") for entry in root.iterdir()}
        assert names
        assert {name for name in names if not any(word.startswith(name) for word in tree)} == set()


@pytest.mark.parametrize("name", ["snapshot", "plan"])
def test_every_header_field_has_its_row(name: str) -> None:
    rows = re.findall(r"(?m)^\| (`[^|]*) \|", section(name.capitalize()))
    fields = {field for row in rows for field in re.findall(r"`([A-Za-z]+)`", row)}
    assert set(schema(name)["properties"]) <= fields


def test_every_step_kind_has_its_row_with_its_arguments() -> None:
    steps = schema("plan")["properties"]["steps"]["items"]
    rows = dict(re.findall(r"(?m)^\| `([a-z-]+)` \| (.*) \|$", section("Plan")))
    assert set(steps["properties"]["kind"]["enum"]) <= set(rows)
    for rule in steps["allOf"]:
        condition = rule["if"]["properties"]["kind"]
        arguments = rule["then"]["properties"]["arguments"]
        wanted = (
            schema("plan")["$defs"][arguments["$ref"].rpartition("/")[2]]["properties"] if "$ref" in arguments else {}
        )
        for kind in condition.get("enum") or [condition["const"]]:
            assert set(re.findall(r"`(\w+)`", rows[kind].rpartition("|")[2])) == set(wanted), kind


def test_every_event_of_the_journal_and_its_files_are_named() -> None:
    text = section("Journal")
    assert {event for event in schema("journal")["properties"]["event"]["enum"] if f"`{event}`" not in text} == set()
    assert journal.FILE_NAME in text


def test_the_versions_are_those_that_are_written() -> None:
    rows = re.findall(r"(?m)^\| `([^`]+)` \|", section("Versions"))
    assert rows == [snapshot_dir.FORMAT.identifier, PLAN.identifier]
