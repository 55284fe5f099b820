"""Lists read in pages that shrink when they are heavy, parsed from raw bytes."""

import base64
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import with_metadata
from kueuelift_snapshot.ahead import Ahead
from kueuelift_snapshot.api import NO_QUERY, AnswerError, Api

OBJECTS = 500
"""Objects asked for in the first page of a list."""

MOST_BYTES = 32 << 20
"""A page heavier than this halves the size of the next one."""

GONE = 410

Shape = Callable[[Any, str], KubernetesObject]
"""An object as it is to be, or a RefusedError that says what it is called (`item 3`) and lacks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some of a list's objects, in the server's order."""

    items: list[KubernetesObject]
    resource_version: str
    consistent: bool
    """False from where a list goes on at another moment than it began."""


def read_pages(
    api: Api,
    path: str,
    *,
    limit: int = OBJECTS,
    query: Mapping[str, str] = NO_QUERY,
    tolerant: bool = False,
    otherwise: Sequence[str] = (),
    shape: Shape = with_metadata,
) -> Iterator[Page]:
    """Every page of a list; while one is worked on, the next is asked for.

    A continue token that has expired ends the list with an AnswerError of status 410; `tolerant`, it goes on from the
    same place at the present moment. `otherwise` are paths of the same list in other versions: a page that nobody can
    convert is asked for there, with fewer and fewer objects, since each of them lies in one version and needs no
    converting in that. A server whose own cache stays behind a token is asked for the present moment instead. A page
    that ends where it began, or holds what `shape` refuses, ends the list with an AnswerError of status 200.
    """
    token, consistent, fresh, most = "", True, True, limit
    behind = False
    paths: Sequence[str] = (path, *otherwise)

    def ask() -> Ahead[tuple[bytes, Sequence[str]]]:
        asked = {**query, "limit": str(limit)} | ({"continue": token} if token else {})
        return Ahead(partial(_first_answer, api, paths, asked))

    ahead = ask()
    while True:
        try:
            content, paths = ahead.answer()
        except AnswerError as error:
            if error.of_conversion and otherwise and limit > 1:
                limit //= 2
            elif tolerant and fresh and error.status == GONE and error.continue_token:
                token, consistent, fresh = error.continue_token, False, False
            elif error.of_stuck_cache and token != (now := _at_present(token)):
                token, consistent, behind = now, False, True
            else:
                raise
            ahead = ask()
            continue
        fresh = True
        before = token
        page, token = _page(path, parsed(content, path), shape, consistent=consistent)
        if token and token == before:
            raise AnswerError(path, status=200, message="the list goes on where it began, with the same continue token")
        heavy = len(content) > MOST_BYTES
        del content
        if not token:
            yield page
            return
        if behind:
            token = _at_present(token)
        if heavy:
            limit = most = max(1, limit // 2)
        else:
            limit = min(most, limit * 2)
        ahead = ask()
        yield page


def _page(path: str, listed: KubernetesObject, shape: Shape, *, consistent: bool) -> tuple[Page, str]:
    """A page and the token of the next one, empty where there is none."""
    metadata = listed.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise AnswerError(path, status=200, message="a list whose metadata is no object")
    version = str(metadata.get("resourceVersion", ""))
    page = Page(items=_items(path, listed, shape), resource_version=version, consistent=consistent)
    return page, str(metadata.get("continue") or "")


def _at_present(token: str) -> str:
    """The continue token of the same place at the present moment, which the server then reads from etcd.

    It is what a server offers with 410, made here where it cannot be asked for (Kubernetes 1.35, apiserver
    pkg/storage/continue.go: revision -1); a token of any other form stays as it is.
    """
    try:
        content = orjson.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError:
        return token
    if not isinstance(content, dict) or content.get("v") != "meta.k8s.io/v1" or "start" not in content:
        return token
    return base64.urlsafe_b64encode(orjson.dumps(content | {"rv": -1})).decode().rstrip("=")


def _first_answer(api: Api, paths: Sequence[str], asked: Mapping[str, str]) -> tuple[bytes, Sequence[str]]:
    """The answer of the first path whose objects can be read, and the paths with that one in front."""
    for index, path in enumerate(paths):
        try:
            return api.get(path, asked), (path, *paths[:index], *paths[index + 1 :])
        except AnswerError as error:
            if not (error.of_conversion or error.of_stuck_cache) or index == len(paths) - 1:
                raise
    raise AssertionError("a list has at least one path")


def parsed(content: bytes, path: str) -> KubernetesObject:
    """The object of an answer; AnswerError where something that is no API server answered."""
    try:
        found = _loaded(content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise AnswerError(path, status=200, message="no Kubernetes object; is this the URL of an API server?")
    return found


def _loaded(content: bytes) -> Any:
    """Parsed, and set aside from the garbage collector, which would go through all of a page time and again.

    JSON has no cycles: it is freed as soon as it is let go.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(content)
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def _items(path: str, listed: KubernetesObject, shape: Shape) -> list[KubernetesObject]:
    """The objects with the type that built-in lists state once, for all of them."""
    items = listed.get("items") or []
    if not isinstance(items, list):
        raise AnswerError(path, status=200, message="a list whose items are no list")
    kind = str(listed.get("kind", "")).removesuffix("List")
    stated = {"apiVersion": listed.get("apiVersion"), "kind": kind}
    try:
        return [
            shape(stated | item if isinstance(item, dict) else item, f"item {n}") for n, item in enumerate(items, 1)
        ]
    except RefusedError as error:
        raise AnswerError(path, status=200, message=str(error).rpartition(";")[0]) from None
