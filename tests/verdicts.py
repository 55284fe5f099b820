"""Verdicts on valid and spoiled v1beta2 objects: ours, and those of a real API server that has Kueue's CRDs alone."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from bed.api import Api
from kueuelift import crd, structural
from kueuelift.kinds import BY_NAME, TARGET_VERSION, api_version
from kueuelift.model import KubernetesObject
from kueuelift.validation import Problem, Validator
from mutation import spoiled

RELEASE = "0.17.0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """What both say of one object."""

    obj: KubernetesObject
    ours: list[Problem]
    status: int
    message: str
    fields: tuple[str, ...]
    """Where the server found something, by its own words."""

    @property
    def agree(self) -> bool:
        """Whether both take it, or both do not."""
        return bool(self.ours) == (self.status != 201)

    @property
    def same_place(self) -> bool | None:
        """Whether a place that the server names is among ours; None where it names none."""
        return None if not self.fields else not {problem.path for problem in self.ours}.isdisjoint(self.fields)

    def __str__(self) -> str:
        """For a person who has to explain a difference."""
        told = "; ".join(map(str, self.ours)) or "nothing wrong"
        return f"{json.dumps(self.obj)}\n  ours: {told}\n  server: {self.status} {self.message[:600]}"


class Judges:
    """Our validators and a server whose CRDs are there already."""

    def __init__(self, api: Api) -> None:
        self._api = api
        bundled = crd.bundled(RELEASE, service=None)
        self._schemas = {kind: crd.schema(bundled[BY_NAME[kind].plural], TARGET_VERSION) for kind in BY_NAME}
        self._validators = {kind: Validator.for_crd(bundled[BY_NAME[kind].plural], TARGET_VERSION) for kind in BY_NAME}

    def verdicts(self, obj: KubernetesObject) -> Verdicts:
        """Ask both; the server by a dry run that stores nothing."""
        kind = BY_NAME[obj["kind"]]
        schema = self._schemas[kind.name]
        ours = self._validators[kind.name].problems(structural.default(structural.drop_nulls(obj, schema), schema))
        place = f"namespaces/{obj['metadata']['namespace']}/{kind.plural}" if kind.namespaced else kind.plural
        target = f"/apis/{api_version(TARGET_VERSION)}/{place}?dryRun=All&fieldValidation=Strict"
        status, body = self._api.raw("POST", target, json.dumps(obj).encode())
        answer = json.loads(body)
        causes: list[dict[str, Any]] = (answer.get("details") or {}).get("causes") or []
        return Verdicts(
            obj=obj,
            ours=ours,
            status=status,
            message=str(answer.get("message", "")) if status != 201 else "",
            fields=tuple(cause["field"] for cause in causes if cause.get("field")),
        )


def variants(obj: KubernetesObject, random: Random, count: int) -> Iterator[KubernetesObject]:
    """An object as it is and with one place spoiled, or a few; without status, which a create passes over."""
    own = {key: value for key, value in obj.items() if key != "status"}
    yield deepcopy(own)
    for number in range(count - 1):
        yield spoiled(own, random, times=1 + number % 3 // 2)
