"""The plain program that a transform is measured against: reads compressed JSON lines and writes them again.

Arguments: `orjson` or `json`, the folder with the lines, the file to write. It imports what it needs and no more.
"""

import gzip
import sys
from pathlib import Path
from typing import Any


def main(library: str, folder: str, out: str) -> None:
    """Go through every line once."""
    loads, dumps = _orjson() if library == "orjson" else _json()
    with gzip.GzipFile(out, mode="wb", compresslevel=4, mtime=0) as written:
        for path in sorted(Path(folder).glob("*.jsonl.gz")):
            with gzip.open(path) as lines:
                for line in lines:
                    written.write(dumps(loads(line)) + b"\n")


def _orjson() -> tuple[Any, Any]:
    import orjson  # noqa: PLC0415 - only one of the two is measured

    return orjson.loads, orjson.dumps


def _json() -> tuple[Any, Any]:
    import json  # noqa: PLC0415

    return json.loads, lambda value: json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    main(*sys.argv[1:])
