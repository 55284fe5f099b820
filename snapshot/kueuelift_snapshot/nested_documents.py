"""Documents that stand inside a text, parsed to be judged."""

from typing import Any

import orjson

from kueuelift import yaml_text
from kueuelift.errors import RefusedError

_LONGEST_YAML = 1 << 20
"""Longer texts are not parsed to be judged; no object of etcd holds one."""


def json_in(text: str) -> Any:
    """What a text of JSON holds; None where it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def yaml_in(text: str) -> list[Any] | None:
    """The documents of a text, where each is a mapping or a list; None where it is something else."""
    if len(text) > _LONGEST_YAML:
        return None
    try:
        documents = list(yaml_text.load_all(text, "a text"))
    except RefusedError:
        return None
    return documents if documents and all(isinstance(document, dict | list) for document in documents) else None
