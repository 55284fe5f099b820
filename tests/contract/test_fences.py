"""Who may import what, and what a command line may cost."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGES = (
    "schemas/kueuelift",
    "snapshot/kueuelift_snapshot",
    "transform/kueuelift_transform",
    "apply/kueuelift_apply",
)
ALLOWED = {
    "kubernetes": {"snapshot/kueuelift_snapshot/cluster.py", "apply/kueuelift_apply/live.py"},
    "click": {
        "schemas/kueuelift/cli.py",
        "schemas/kueuelift/cli_options.py",
        "schemas/kueuelift/inspect_cli.py",
        "snapshot/kueuelift_snapshot/cli.py",
        "snapshot/kueuelift_snapshot/diff_cli.py",
        "transform/kueuelift_transform/cli.py",
        "apply/kueuelift_apply/cli.py",
    },
    "yaml": {
        "schemas/kueuelift/yaml_text.py",
        "schemas/kueuelift/yaml_comments.py",
        "schemas/kueuelift/yaml_source.py",
    },
    "deepdiff": {"schemas/kueuelift/difference.py"},
}


def imports() -> Iterator[tuple[str, str]]:
    """Each module of the four packages with each top-level name it imports, anywhere in it."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                else:
                    continue
                for name in names:
                    yield path.relative_to(ROOT).as_posix(), name.partition(".")[0]


@pytest.mark.parametrize("library", sorted(ALLOWED))
def test_a_library_is_imported_where_it_belongs_and_nowhere_else(library: str) -> None:
    assert {module for module, name in imports() if name == library} == ALLOWED[library]


def test_every_kept_library_of_the_base_is_used() -> None:
    used = {name for _, name in imports()}
    assert {"click", "yaml", "jsonschema", "deepdiff", "kubernetes", "orjson", "rich"} <= used


@pytest.mark.parametrize("heavy", ["kubernetes", "jsonschema", "deepdiff", "yaml", "orjson", "rich"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["snapshot", "--help"],
        ["transform", "--help"],
        ["apply", "--help"],
        ["verify", "--help"],
        ["diff", "--help"],
        ["inspect", "--help"],
    ],
)
def test_help_imports_nothing_heavy(arguments: list[str], heavy: str) -> None:
    script = f"import sys; from kueuelift.cli import run; run({arguments!r}); sys.exit({heavy!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{heavy} is imported"
