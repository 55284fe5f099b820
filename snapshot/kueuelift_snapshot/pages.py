"""Lists read in pages that shrink when they are heavy, parsed from raw bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from kueuelift.model import KubernetesObject
from kueuelift_snapshot.api import NO_QUERY, AnswerError, Api

OBJECTS = 500
"""Objects asked for in the first page of a list."""

MOST_BYTES = 32 << 20
"""A page heavier than this halves the size of the next one."""

GONE = 410


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some of a list's objects, in the server's order."""

    items: list[KubernetesObject]
    resource_version: str
    consistent: bool
    """False from where a list goes on at another moment than it began."""


def read_pages(
    api: Api, path: str, *, limit: int = OBJECTS, query: Mapping[str, str] = NO_QUERY, tolerant: bool = False
) -> Iterator[Page]:
    """Every page of a list.

    A continue token that has expired ends the list with an AnswerError of status 410; `tolerant`, it goes on from the
    same place at the present moment.
    """
    token, consistent, fresh = "", True, True
    while True:
        asked = {**query, "limit": str(limit)} | ({"continue": token} if token else {})
        try:
            content = api.get(path, asked)
        except AnswerError as error:
            if not (tolerant and fresh and error.status == GONE and error.continue_token):
                raise
            token, consistent, fresh = error.continue_token, False, False
            continue
        fresh = True
        listed = parsed(content, path)
        metadata = listed.get("metadata") or {}
        yield Page(
            items=_items(listed), resource_version=str(metadata.get("resourceVersion", "")), consistent=consistent
        )
        token = str(metadata.get("continue") or "")
        if not token:
            return
        if len(content) > MOST_BYTES:
            limit = max(1, limit // 2)


def parsed(content: bytes, path: str) -> KubernetesObject:
    """The object of an answer; AnswerError where something that is no API server answered."""
    try:
        found: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise AnswerError(path, status=200, message="no Kubernetes object; is this the URL of an API server?")
    return found


def _items(listed: KubernetesObject) -> list[KubernetesObject]:
    """The objects with the type that built-in lists state once, for all of them."""
    kind = str(listed.get("kind", "")).removesuffix("List")
    return [{"apiVersion": listed.get("apiVersion"), "kind": kind} | item for item in listed.get("items") or []]
