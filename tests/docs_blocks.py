"""The generated parts of README.md: the help of every command, and the exit codes.

`python -m docs_blocks --write` rewrites them; a test holds them against the program.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from kueuelift.errors import EXIT_CODES

README = Path(__file__).parent.parent / "README.md"
_BLOCK = re.compile(r"(<!-- generated: (?P<what>[^>]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def generated(what: str) -> str:
    """The text of one block: `help`, `help snapshot`, `exit codes`."""
    if what == "exit codes":
        rows = "".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items())
        return f"| code | meaning |\n|---|---|\n{rows}"
    command = what.removeprefix("help").split()
    shown = subprocess.run(
        [sys.executable, "-m", "kueuelift", *command, "--help"],
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    usage = shown.replace("python -m kueuelift", "kueuelift")
    return f"```text\n{usage.partition('Exit codes:')[0].rstrip()}\n```\n"


def rewritten(text: str) -> str:
    """The document with every block made anew."""
    return _BLOCK.sub(lambda block: f"{block[1]}{generated(block['what'])}{block[3]}", text)


def main() -> None:
    """Rewrite the README in place."""
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m docs_blocks --write")
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
