"""A child process of the bed: its output goes to a file, it is stopped by its handle, it dies with the bed."""

import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class ChildProcess:
    """One running program and its log."""

    def __init__(self, command: Sequence[str | Path], *, log: Path, env: Mapping[str, str] | None = None) -> None:
        self.name = Path(command[0]).name
        self.log = log
        with log.open("ab") as out:
            # Its own process group: an interrupt at the terminal goes to the bed, which stops its children in order.
            self.handle = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(env) if env is not None else None,
                process_group=0,
            )

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self.handle.poll() is None

    def stop(self, *, grace: float = 10) -> None:
        """Asks the process to end, and ends it when it has not after `grace` seconds."""
        if not self.running:
            return
        self.handle.terminate()
        try:
            self.handle.wait(grace)
        except subprocess.TimeoutExpired:
            self.handle.kill()
            self.handle.wait()

    def tail(self, lines: int = 15) -> str:
        """The last lines that the process wrote."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def free_port() -> int:
    """A port on loopback that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
