"""One walk through one value: what of it becomes a token, told by its shape, its names and its texts."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from kueuelift import secret_text, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.redaction import TokenKey, is_token
from kueuelift.secret_names import is_pair, is_random, is_secret, smells
from kueuelift.secret_text import SHORTEST, is_suspect
from kueuelift_snapshot import redaction_shapes as shapes
from kueuelift_snapshot.known_secrets import KnownSecrets

Steps = tuple[str | None, ...]
"""The names that lead to a value; None is a place in a list."""

_IDENTITY = frozenset({"apiVersion", "kind", "name", "namespace"})
"""What an object is called is never hidden, whatever else has the same text."""

_DEEPEST = 150
"""What is nested deeper becomes one token; a CRD of Kueue has 34 levels."""

_LONGEST_YAML = 1 << 20
"""Longer texts are not parsed to be judged; no object of etcd holds one."""


@dataclass(slots=True)
class Walk:
    """Counts the tokens it makes, and remembers the secrets it found by their names."""

    key: TokenKey
    known: KnownSecrets | None = None
    """Secrets to be hidden wherever they stand."""
    hidden: Counter[Steps] = field(default_factory=Counter)
    """Where tokens were made, and how many."""
    made: int = 0
    """How many tokens that are."""
    seen: set[str] = field(default_factory=set)
    _at: list[str | None] = field(default_factory=list)

    def token(self, value: Any) -> Any:
        """The token of a value; what hides nothing stays as it is."""
        if value is None or isinstance(value, bool) or value == "" or is_token(value):
            return value
        self.hidden[tuple(self._at)] += 1
        self.made += 1
        try:
            return self.key.token(value)
        except (RecursionError, TypeError, ValueError):
            return self.key.token("too deep or too odd to be compared")

    def each(self, items: Iterable[Any], judge: Callable[[Any], Any]) -> list[Any]:
        """A list, item by item."""
        self._at.append(None)
        judged = [judge(item) for item in items]
        self._at.pop()
        return judged

    def below(self, mapping: Mapping[str, Any], judge: Callable[[str, Any], Any]) -> dict[str, Any]:
        """A mapping of whose names nothing is known, value by value."""
        judged: dict[str, Any] = {}
        for key, item in mapping.items():
            name = self._name(key)
            self._at.append(name)
            judged[name] = judge(key, item)
            self._at.pop()
        return judged

    def structure(self, value: Any, shape: "shapes.Shape") -> Any:
        """Anything found where a shape is expected."""
        if isinstance(value, str):
            return self.told(value) if shape.named else self.formed(value)
        if not isinstance(value, dict | list):
            return value
        if len(self._at) > _DEEPEST:
            return self.token(value)
        if isinstance(value, list):
            return self.each(value, lambda item: self.structure(item, shape))
        return self._named(value, shapes.nested_shape(value, shape)) if shape.named else self._plain(value, shape)

    def _plain(self, mapping: dict[str, Any], shape: "shapes.Shape") -> dict[str, Any]:
        """A mapping that is judged by its texts; nearly all of every Workload passes here, so it does little."""
        fields, at, looked_for = shape.fields, self._at, self.known is not None
        judged: dict[str, Any] = {}
        for key, item in mapping.items():
            if key in fields:
                at.append(key)
                judged[key] = fields[key](self, item, mapping, shape)
                at.pop()
            elif isinstance(item, str):
                if looked_for or (len(item) >= SHORTEST and is_suspect(item)):
                    at.append(key)
                    judged[key] = self.formed(item, known=key not in _IDENTITY)
                    at.pop()
                else:
                    judged[key] = item
            elif isinstance(item, dict) and len(at) < _DEEPEST:
                at.append(key)
                judged[key] = self._plain(item, shape)
                at.pop()
            elif isinstance(item, dict | list):
                at.append(key)
                judged[key] = self.structure(item, shape)
                at.pop()
            else:
                judged[key] = item
        return judged

    def _named(self, mapping: dict[str, Any], shape: "shapes.Shape") -> dict[str, Any]:
        """A mapping whose names count as well."""
        pair = is_pair(mapping)
        if "op" in mapping and (patched := shapes.json_patch(self, mapping, shape)):
            return patched

        def judge(key: str, item: Any) -> Any:
            if key in shape.fields:
                return shape.fields[key](self, item, mapping, shape)
            if key in _IDENTITY and isinstance(item, str):
                return self.formed(item, known=False)
            if (pair and key == "value") or is_secret(key, item):
                return self.secret(item)
            if self.known and isinstance(item, int | float) and self.known.has(str(item)):
                return self.token(item)
            return self.structure(item, shape)

        return self.below(mapping, judge)

    def secret(self, value: Any) -> Any:
        """Everything below a telling name."""
        if isinstance(value, dict):
            return self.below(
                {self._random(key): item for key, item in value.items()},
                lambda key, item: self.structure(item, shapes.FOREIGN) if key == "valueFrom" else self.secret(item),
            )
        if isinstance(value, list):
            return self.each(value, self.secret)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and not is_token(value):
            self.seen.add(str(value))
        return self.token(value)

    def foreign(self, value: Any) -> Any:
        """Everything below a name of which nothing is known."""
        if isinstance(value, dict):
            return self.below(value, lambda key, item: self.secret(item) if smells(key) else self.foreign(item))
        if isinstance(value, list):
            return self.each(value, self.foreign)
        return self.token(value)

    def _name(self, key: str) -> str:
        """A name, which may be a secret itself."""
        if self.known:
            key = self.known.hide(key, self.token)
        return secret_text.hide_secrets(key, self.token) if is_suspect(key) else key

    def _random(self, key: str) -> str:
        """A name below a telling one: `tokens: {8dGk2…: admin}`."""
        return str(self.token(key)) if is_random(key) else key

    def formed(self, text: str, *, known: bool = True) -> str:
        """A text that is judged by its form: it may be JSON, a kubeconfig, or hold an URL with a password."""
        if known and self.known:
            text = self.known.hide(text, self.token)
        if not is_suspect(text):
            return text
        if secret_text.is_kubeconfig(text):
            return str(self.token(text))
        if text[0] in "{[" and (parsed := _json(text)) is not None:
            return self._nested(text, parsed)
        return secret_text.hide_secrets(text, self.token)

    def told(self, text: str, *, prose: bool = False) -> str:
        """A free-form text: names inside it count, base64 is looked into, YAML of more than one line is read."""
        before = self.made
        text = self.formed(text)
        if len(text) < secret_text.SHORTEST_TOLD or (self.made != before and is_token(text)):
            return text
        if text[0] in "{[" and _json(text) is not None:
            return text
        if not prose and "\n" in text and ":" in text and (documents := _yaml(text)):
            return secret_text.hide_in_comments(self._nested_yaml(text, documents), self.token)
        return self._judged(text, prose=prose)

    def command(self, text: str) -> str:
        """One word of a command line, or a script of many."""
        return self._judged(self.formed(text), prose=False)

    def _judged(self, text: str, *, prose: bool) -> str:
        if secret_text.holds_secret_object(text):
            return str(self.token(text))
        if not secret_text.is_telling(text, prose=prose):
            return text
        text = secret_text.hide_assigned(text, self.token, prose=prose)
        return secret_text.hide_encoded(text, self.token, self._holds_secret)

    def _holds_secret(self, text: str) -> bool:
        trial = Walk(self.key, self.known, _at=[*self._at, None])
        if len(self._at) < _DEEPEST:
            trial.told(text)
        return bool(trial.hidden) or len(self._at) >= _DEEPEST

    def copy(self, text: str) -> str:
        """JSON of an object; anything else is hidden whole."""
        return self.formed(text) if _json(text) is not None else str(self.token(text))

    def free(self, value: Any) -> Any:
        """Settings of any shape, judged by names and texts."""
        return self.structure(value, shapes.object_shape(value))

    def yaml(self, text: Any, judge: Callable[[Any], Any]) -> Any:
        """A text of YAML whose shape is known; one that cannot be read is hidden whole."""
        if not isinstance(text, str):
            return judge(text)
        documents = _yaml(text)
        if documents is None:
            return self.token(text)
        before = self.made
        judged = [judge(document) for document in documents]
        if self.made != before:
            return "---\n".join(map(yaml_text.dump, judged))
        return secret_text.hide_in_comments(secret_text.hide_secrets(text, self.token), self.token)

    def _nested_yaml(self, text: str, documents: list[Any]) -> str:
        before = self.made
        judged = [self.structure(document, shapes.object_shape(document)) for document in documents]
        return text if self.made == before else "---\n".join(map(yaml_text.dump, judged))

    def _nested(self, text: str, parsed: Any) -> str:
        """JSON inside a text: the same text where it hides nothing."""
        before = self.made
        judged = self.structure(parsed, shapes.object_shape(parsed))
        if self.made == before:
            return text
        return orjson.dumps(judged).decode() + ("\n" if text.endswith("\n") else "")


def _json(text: str) -> Any:
    """What a text of JSON holds; None where it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _yaml(text: str) -> list[Any] | None:
    """The documents of a text, where each is a mapping or a list; None where it is something else."""
    if len(text) > _LONGEST_YAML:
        return None
    try:
        documents = list(yaml_text.load_all(text, "a text"))
    except RefusedError:
        return None
    return documents if documents and all(isinstance(document, dict | list) for document in documents) else None
