"""One walk through one value: what of it becomes a token, told by its shape, its names and its texts."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import is_
from typing import Any

import orjson

from kueuelift import secret_text, yaml_text
from kueuelift.redaction import TokenKey, is_token
from kueuelift.secret_names import is_pair, is_random, is_secret, smells
from kueuelift.secret_text import LONGEST_KEPT, SHORTEST, is_suspect
from kueuelift_snapshot.known_secrets import KnownSecrets
from kueuelift_snapshot.nested_documents import json_in, yaml_in

Steps = tuple[str | None, ...]
"""The names that lead to a value; None is a place in a list."""

Handler = Callable[["Walk", Any, Mapping[str, Any], "Shape"], Any]
"""Given the walk, what stands in the field, the mapping around it, and that one's shape."""

Form = Callable[["Walk", Mapping[str, Any], "Shape"], dict[str, Any] | None]
"""Judges a mapping of a form of its own; None where it has another."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a mapping and what is below it is judged."""

    fields: Mapping[str, Handler]
    named: bool
    """Whether names such as `password` decide; in what undo writes back they do not."""
    form: Form | None = None
    """Asked first of each mapping below, where names decide."""


ShapeOf = Callable[[Any], Shape]
"""The shape of an object by its kind, and of whatever is no object of a known kind."""

_IDENTITY = frozenset({"apiVersion", "kind", "name", "namespace"})
"""What an object is called is never hidden, whatever else has the same text."""

_DEEPEST = 150
"""What is nested deeper becomes one token; a CRD of Kueue has 34 levels."""


_NO_KEY = TokenKey(b"")
"""Of tokens that nobody sees."""


@dataclass(slots=True)
class Walk:
    """Counts the tokens it makes, and remembers the secrets it found by their names."""

    key: TokenKey
    shape_of: ShapeOf
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

    def each(self, items: Sequence[Any], judge: Callable[[Any], Any]) -> Sequence[Any]:
        """A list, item by item: itself where nothing in it is hidden."""
        self._at.append(None)
        judged = [judge(item) for item in items]
        self._at.pop()
        return items if all(map(is_, judged, items)) else judged

    def below(self, mapping: Mapping[str, Any], judge: Callable[[str, Any], Any]) -> dict[str, Any]:
        """A mapping of whose names nothing is known, value by value."""
        judged: dict[str, Any] = {}
        for key, item in mapping.items():
            name = self._name(key)
            self._at.append(name)
            judged[name] = judge(key, item)
            self._at.pop()
        return judged

    def structure(self, value: Any, shape: Shape) -> Any:
        """Anything found where a shape is expected."""
        if isinstance(value, str):
            return self.told(value) if shape.named else self.formed(value)
        if not isinstance(value, dict | list):
            return value
        if len(self._at) > _DEEPEST:
            return self.token(value)
        if isinstance(value, list):
            return self.each(value, lambda item: self.structure(item, shape))
        if not shape.named:
            return self._plain(value, shape)
        nested = self.shape_of(value) if "kind" in value else shape
        return (shape.form and shape.form(self, value, nested)) or self._named(value, nested)

    def _plain(self, mapping: dict[str, Any], shape: Shape) -> dict[str, Any]:
        """A mapping that is judged by its texts: itself where nothing in it is hidden.

        Nearly all of every Workload passes here, so it does little.
        """
        fields, at, looked_for = shape.fields, self._at, self.known is not None
        changed: dict[str, Any] = {}
        for key, item in mapping.items():
            if key in fields:
                at.append(key)
                judged = fields[key](self, item, mapping, shape)
            elif isinstance(item, str):
                if not looked_for and (len(item) < SHORTEST or not is_suspect(item)):
                    continue
                at.append(key)
                judged = self.formed(item, known=key not in _IDENTITY)
            elif isinstance(item, dict) and len(at) < _DEEPEST:
                at.append(key)
                judged = self._plain(item, shape)
            elif isinstance(item, dict | list):
                at.append(key)
                judged = self.structure(item, shape)
            else:
                continue
            at.pop()
            if judged is not item:
                changed[key] = judged
        return mapping | changed if changed else mapping

    def _named(self, mapping: dict[str, Any], shape: Shape) -> dict[str, Any]:
        """A mapping whose names count as well."""
        pair = is_pair(mapping)

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
                lambda key, item: (
                    self.structure(item, self.shape_of(None)) if key == "valueFrom" else self.secret(item)
                ),
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
        return self._unless_harmless(text, Walk._by_form) if is_suspect(text) else text

    def told(self, text: str, *, prose: bool = False) -> str:
        """A free-form text: names inside it count, base64 is looked into, YAML of more than one line is read."""
        return self._unless_harmless(text, Walk._as_prose if prose else Walk._as_text)

    def command(self, text: str) -> str:
        """One word of a command line, or a script of many."""
        return self._unless_harmless(text, Walk._as_command)

    def _unless_harmless(self, text: str, judge: "Judge") -> str:
        """The text as `judge` has it; one that was found harmless, without judging it again."""
        if self.known is None and len(text) <= LONGEST_KEPT and _is_harmless(text, judge, self.shape_of):
            return text
        return judge(self, text)

    def _by_form(self, text: str) -> str:
        if secret_text.is_kubeconfig(text):
            return str(self.token(text))
        if text[0] in "{[" and (parsed := json_in(text)) is not None:
            return self._nested(text, parsed)
        return secret_text.hide_secrets(text, self.token)

    def _as_text(self, text: str, *, prose: bool = False) -> str:
        before = self.made
        text = self.formed(text)
        if len(text) < secret_text.SHORTEST_TOLD or (self.made != before and is_token(text)):
            return text
        if text[0] in "{[" and json_in(text) is not None:
            return text
        if not prose and "\n" in text and ":" in text and (documents := yaml_in(text)):
            return secret_text.hide_in_comments(self._nested_yaml(text, documents), self.token)
        return self._judged(text, prose=prose)

    def _as_prose(self, text: str) -> str:
        return self._as_text(text, prose=True)

    def _as_command(self, text: str) -> str:
        return self._judged(self.formed(text), prose=False)

    def _judged(self, text: str, *, prose: bool) -> str:
        if secret_text.holds_secret_object(text):
            return str(self.token(text))
        text = secret_text.hide_assigned(text, self.token, prose=prose)
        return secret_text.hide_encoded(text, self.token, self._holds_secret)

    def _holds_secret(self, text: str) -> bool:
        trial = Walk(self.key, self.shape_of, self.known, _at=[*self._at, None])
        if len(self._at) < _DEEPEST:
            trial.told(text)
        return bool(trial.hidden) or len(self._at) >= _DEEPEST

    def copy(self, text: str) -> str:
        """JSON of an object; anything else is hidden whole."""
        return self.formed(text) if json_in(text) is not None else str(self.token(text))

    def free(self, value: Any) -> Any:
        """Settings of any shape, judged by names and texts."""
        return self.structure(value, self.shape_of(value))

    def yaml(self, text: Any, judge: Callable[[Any], Any]) -> Any:
        """A text of YAML whose shape is known; one that cannot be read is hidden whole."""
        if not isinstance(text, str):
            return judge(text)
        documents = yaml_in(text)
        if documents is None:
            return self.token(text)
        before = self.made
        judged = [judge(document) for document in documents]
        if self.made != before:
            return "---\n".join(map(yaml_text.dump, judged))
        return secret_text.hide_in_comments(secret_text.hide_secrets(text, self.token), self.token)

    def _nested_yaml(self, text: str, documents: list[Any]) -> str:
        before = self.made
        judged = [self.structure(document, self.shape_of(document)) for document in documents]
        return text if self.made == before else "---\n".join(map(yaml_text.dump, judged))

    def _nested(self, text: str, parsed: Any) -> str:
        """JSON inside a text: the same text where it hides nothing."""
        before = self.made
        judged = self.structure(parsed, self.shape_of(parsed))
        if self.made == before:
            return text
        return orjson.dumps(judged).decode() + ("\n" if text.endswith("\n") else "")


Judge = Callable[[Walk, str], str]


@lru_cache(maxsize=4096)
def _is_harmless(text: str, judge: Judge, shape_of: ShapeOf) -> bool:
    """Whether all of a text is kept: the same arguments, addresses and sentences stand in very many objects."""
    return judge(Walk(_NO_KEY, shape_of), text) == text
