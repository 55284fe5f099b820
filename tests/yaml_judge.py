"""Asks the bed's yaml-judge, which reads YAML with the libraries of Kubernetes."""

import base64
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a reader made of a text."""

    value: Any
    error: str

    @classmethod
    def of(cls, told: dict[str, Any]) -> Self:
        return cls(value=told.get("json"), error=told.get("error", ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """A text read as one document, and as kubectl cuts it."""

    strict: Reading
    lenient: Reading
    """Takes the last of two equal keys."""
    documents: tuple[Reading, ...]
    error: str
    """Why kubectl stopped cutting."""


class Judge:
    """One running judge."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def read(self, text: str | bytes) -> Verdict:
        assert self._process.stdin
        assert self._process.stdout
        content = text.encode() if isinstance(text, str) else text
        self._process.stdin.write(base64.b64encode(content) + b"\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline(), parse_int=_integer)
        return Verdict(
            strict=Reading.of(told["strict"]),
            lenient=Reading.of(told["lenient"]),
            documents=tuple(Reading.of(document) for document in told["documents"] or ()),
            error=told.get("error", ""),
        )


def _integer(text: str) -> int | float:
    """As Kubernetes decodes JSON: beyond 64 bits it is a float."""
    found = int(text)
    return found if -(2**63) <= found < 2**64 else float(text)
