"""Armor: an archive as lines of text, so that it survives a container's log and a clipboard."""

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kueuelift.errors import RefusedError, UntrustedError

BEGIN = b"-----BEGIN KUEUELIFT ARCHIVE-----"
END = b"-----END KUEUELIFT ARCHIVE-----"

_LINE_BYTES = 768
"""Of content in a line: a node's log adds some 40 bytes to each line, and cuts lines at 16 KiB."""
_LONGEST_LINE = 1 << 16
"""A longer line is none of ours; a file without line ends must not fill the memory."""


class ArmorWriter:
    """Writes what it is given as base64 lines; without `end` a reader takes it for cut off, as it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._rest = b""
        stream.write(BEGIN + b"\n")

    def write(self, content: bytes) -> int:
        """Write all whole lines, keep the rest; returns how many bytes were taken."""
        waiting = self._rest + content
        whole = len(waiting) - len(waiting) % _LINE_BYTES
        for start in range(0, whole, _LINE_BYTES):
            self._stream.write(base64.b64encode(waiting[start : start + _LINE_BYTES]) + b"\n")
        self._rest = waiting[whole:]
        return len(content)

    def flush(self) -> None:
        """Hand on what is written; what makes no line yet waits."""
        self._stream.flush()

    def end(self) -> None:
        """Write the last line and the END."""
        if self._rest:
            self._stream.write(base64.b64encode(self._rest) + b"\n")
        self._stream.write(END + b"\n")
        self._stream.flush()


NODE_CUT = "the node has cut the log (at 10 MiB unless it is set otherwise)"
INSTEAD_OF_LOG = (
    "let the Job's container only wait, by `command: [sleep, 1h]`, and take the archive through `kubectl exec`, as the "
    "head of the printed Job says"
)
"""What helps then: the one text of it."""


def unarmored(file: BinaryIO, origin: Path) -> Iterator[bytes]:
    """The content between BEGIN and END, in pieces; lines before and after are not looked at.

    RefusedError where there is no armor at all, UntrustedError where it was cut off or something is written into it.
    """
    number = _find_begin(file, origin)
    while line := file.readline(_LONGEST_LINE):
        number += 1
        text = line.strip()
        if text == END:
            _refuse_second(file, origin)
            return
        try:
            yield base64.b64decode(text, validate=True)
        except binascii.Error:
            if not line.endswith(b"\n"):
                raise _cut_off(origin) from None
            raise UntrustedError(
                f"{origin}: line {number} is no line of an archive ({_shown(text)}); take the log without other lines "
                "in between, and without --prefix and --timestamps"
            ) from None
    raise _cut_off(origin)


def _find_begin(file: BinaryIO, origin: Path) -> int:
    """Read on to behind BEGIN; returns its line number."""
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        text = line.strip()
        if text == BEGIN:
            return number
        if BEGIN in text:
            raise UntrustedError(
                f"{origin}: line {number} has something beside BEGIN ({_shown(text)}); "
                "take the log without --prefix and --timestamps"
            )
        if text == END:
            raise UntrustedError(f"{origin}: the archive has an END and no BEGIN line, so {NODE_CUT}; {INSTEAD_OF_LOG}")
        if number == 1 and text[:2] in {b"\xff\xfe", b"\xfe\xff"}:
            raise RefusedError(f"{origin}: is UTF-16, as PowerShell writes; save it as plain text (ASCII) again")
    raise RefusedError(
        f"{origin}: neither a directory nor an archive (a .tar.gz, or text with a line {BEGIN.decode()}); "
        "give a sealed directory or its archive"
    )


def _refuse_second(file: BinaryIO, origin: Path) -> None:
    while line := file.readline(_LONGEST_LINE):
        if line.strip() == BEGIN:
            raise UntrustedError(f"{origin}: holds a second archive; keep the one that is meant in a file of its own")


def _cut_off(origin: Path) -> UntrustedError:
    return UntrustedError(f"{origin}: the archive has no END line, so the log was cut off; take it again")


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("ascii", "replace"))
