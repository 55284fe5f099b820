"""What becomes a token at capture: foreign Helm values, Secrets, environment values, passwords in URLs, their copies.

Everything that is written to a snapshot has passed here.
"""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kueuelift.model import KubernetesObject
from kueuelift.redaction import TokenKey
from kueuelift.secret_names import smells
from kueuelift_snapshot.known_secrets import KnownSecrets
from kueuelift_snapshot.redaction_shapes import object_shape
from kueuelift_snapshot.redaction_values import helm_values, is_version_text
from kueuelift_snapshot.redaction_walk import Steps, Walk

MOST_PATHS = 500
"""Different paths that a file's account names; Helm values and annotations may have any number."""

OTHER_PATHS = "(other paths)"
_WITH_VALUES = ("Application", "HelmChart", "HelmRelease")
"""Kinds that hold values of charts, and may repeat them when they tell what went wrong."""

_PLAIN_STEP = re.compile(r"[\w-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    """A value that may be written, and where it holds tokens that were not there before."""

    value: Any
    hidden: Mapping[Steps, int]
    """How many tokens stand below the same names; None is a place in a list."""

    @property
    def tokens(self) -> int:
        """How many there are."""
        return sum(self.hidden.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class RedactedRelease:
    """A Helm release's values and objects, fit to be written."""

    values: Redacted
    manifest: Redacted
    others: tuple[Redacted, ...] = ()


@dataclass(slots=True)
class HiddenPaths:
    """An account of the tokens in one file: `{"spec.containers[*].env[*].value": 3}`."""

    _hidden: Counter[Steps] = field(default_factory=Counter)
    _others: int = 0

    def add(self, redacted: Redacted) -> None:
        """Count what one value more has hidden."""
        for steps, count in redacted.hidden.items():
            if steps in self._hidden or len(self._hidden) < MOST_PATHS:
                self._hidden[steps] += count
            else:
                self._others += count

    def to_dict(self) -> dict[str, int]:
        """By path, sorted; what is beyond MOST_PATHS stands under OTHER_PATHS."""
        others = {OTHER_PATHS: self._others} if self._others else {}
        return dict(sorted((path_text(steps), count) for steps, count in self._hidden.items())) | others


def path_text(steps: Steps) -> str:
    """A path as people write it: `spec.containers[*].env[*].value`, `metadata.annotations["example.com/a"]`."""
    text = "".join(
        "[*]" if step is None else f".{step}" if _PLAIN_STEP.fullmatch(step) else f"[{json.dumps(step)}]"
        for step in steps
    )
    return text.removeprefix(".") or "."


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides with one key."""

    key: TokenKey

    def of_object(self, obj: KubernetesObject) -> Redacted:
        """An object as a cluster has it, or what is left of one; without a `kind` it is judged as any foreign one."""
        walk = Walk(self.key, object_shape)
        value = walk.structure(obj, object_shape(obj))
        if walk.seen and isinstance(obj, dict) and obj.get("kind") in _WITH_VALUES and "status" in obj:
            return self._with_status(obj, value, walk)
        return Redacted(value=value, hidden=walk.hidden)

    def _with_status(self, obj: KubernetesObject, value: Any, walk: Walk) -> Redacted:
        """What was made of an object, its status without the secrets that the walk found in its values."""
        known = KnownSecrets.of(secret for secret in walk.seen if not is_version_text(secret))
        if known is None:
            return Redacted(value=value, hidden=walk.hidden)
        again = Walk(self.key, object_shape, known)
        status = again.below({"status": obj["status"]}, lambda _, item: again.structure(item, object_shape(obj)))
        others = Counter({steps: count for steps, count in walk.hidden.items() if steps[:1] != ("status",)})
        return Redacted(value=value | status, hidden=others + again.hidden)

    def of_release(
        self,
        values: Any,
        manifest: Sequence[KubernetesObject],
        *,
        kueue_chart: bool,
        others: Sequence[Sequence[KubernetesObject]] = (),
    ) -> RedactedRelease:
        """Values and rendered objects; a secret of the values is hidden wherever the objects repeat it.

        `kueue_chart`: the values are those of Kueue's own chart, not of one that bundles it. `others` are further
        files of the release, such as its hooks.
        """
        of_values = Walk(self.key, object_shape)
        hidden = helm_values(of_values, values, kueue=kueue_chart)
        known = KnownSecrets.of(
            of_values.seen.union(*(_telling_data(obj) for objs in (manifest, *others) for obj in objs))
        )

        def of_file(objects: Sequence[KubernetesObject]) -> Redacted:
            walk = Walk(self.key, object_shape, known)
            shown = walk.each(objects, lambda obj: walk.structure(obj, object_shape(obj)))
            return Redacted(value=shown, hidden=walk.hidden)

        return RedactedRelease(
            values=Redacted(value=hidden, hidden=of_values.hidden),
            manifest=of_file(manifest),
            others=tuple(map(of_file, others)),
        )


def _telling_data(obj: KubernetesObject) -> Iterator[str]:
    """What a rendered Secret holds below telling names: other objects may repeat it."""
    if not isinstance(obj, dict) or obj.get("kind") != "Secret":
        return
    for key, encoded in (("data", True), ("stringData", False)):
        data = obj.get(key)
        for name, text in data.items() if isinstance(data, dict) else ():
            if isinstance(text, str) and smells(name):
                try:
                    yield base64.b64decode(text, validate=True).decode() if encoded else text
                except (binascii.Error, ValueError):
                    continue
