"""What is being written and has no final name yet: it is finished, or it is gone again."""

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What a write that finds no room fails with, which names no file."""


@contextmanager
def unfinished_folder(final: Path) -> Iterator[Path]:
    """A folder beside `final`, to be renamed to it; removed to its end where it was not, interrupted or not."""
    root = Path(tempfile.mkdtemp(prefix=f".{final.name}.", suffix=".partial", dir=final.absolute().parent))
    try:
        with naming(final):
            yield root
    finally:
        _remove(root)


@contextmanager
def naming(final: Path) -> Iterator[None]:
    """A write that finds no room says for what."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _FULL:
            error.filename = str(final)
        raise


def _remove(root: Path) -> None:
    try:
        if root.exists():
            shutil.rmtree(root)
    except BaseException:  # An interrupt is heeded when all is gone.
        shutil.rmtree(root, ignore_errors=True)
        raise
