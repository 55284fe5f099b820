"""Runs one command and tells what the operating system has counted for it, as JSON; for `bench.measured` only.

A process of its own, because a child is charged with at least the memory of whoever started it: this one is small.
Arguments: a file for the command's standard output, one for its standard error, the command's words.
"""

import json
import os
import subprocess
import sys
import time


def main(out: str, err: str, *command: str) -> None:
    """Run it to its end."""
    with open(out, "wb") as output, open(err, "wb") as errors:  # noqa: PTH123 - pathlib would double this process
        began = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - began
    told = {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": seconds,
        "processor": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
