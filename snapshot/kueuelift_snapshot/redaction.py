"""What becomes a token at capture: foreign Helm values, Secrets, environment values, passwords in URLs, their copies.

Everything that is written to a snapshot has passed here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from kueuelift.model import KubernetesObject
from kueuelift.redaction import TokenKey, is_token
from kueuelift.release_profile import chart_value_keys
from kueuelift_snapshot import secret_text

SHORTEST_KNOWN = 6
"""Shorter secrets are not looked for elsewhere: they would be found inside innocent words."""

_IDENTITY = frozenset({"apiVersion", "kind", "name", "namespace"})
"""What an object is called is never hidden, whatever else has the same text."""

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_CONFIGURATION = re.compile(r"(?m)^\s*apiVersion:\s*[\"']?config\.kueue\.x-k8s\.io/")
"""The manager's Configuration: the one ConfigMap content that a plan needs in clear."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redacted:
    """A value that may be written, and how many tokens it holds that were not there before."""

    value: Any
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RedactedRelease:
    """A Helm release's values and objects, fit to be written."""

    values: Redacted
    manifest: Redacted


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides with one key."""

    key: TokenKey

    def of_object(self, obj: KubernetesObject) -> Redacted:
        """An object as a cluster has it."""
        pass_ = _Pass(self.key)
        return Redacted(value=pass_.structure(obj), tokens=pass_.tokens)

    def of_release(self, values: Any, manifest: list[KubernetesObject], *, kueue_chart: bool) -> RedactedRelease:
        """Values and rendered objects; a secret of the values is hidden wherever the objects repeat it.

        `kueue_chart`: the values are those of Kueue's own chart, not of one that bundles it.
        """
        of_values = _Pass(self.key)
        hidden = of_values.helm_values(values, kueue=kueue_chart)
        of_objects = _Pass(self.key, known=_any_of(of_values.seen))
        objects = [of_objects.structure(obj) for obj in manifest]
        return RedactedRelease(
            values=Redacted(value=hidden, tokens=of_values.tokens),
            manifest=Redacted(value=objects, tokens=of_objects.tokens),
        )


@dataclass(slots=True)
class _Pass:
    """One walk through one value, counting the tokens it makes."""

    key: TokenKey
    tokens: int = 0
    known: re.Pattern[str] | None = None
    """Secrets to be hidden wherever they stand."""
    seen: set[str] = field(default_factory=set)
    """Secrets found by their names."""

    def token(self, value: Any) -> Any:
        """The token of a value; what hides nothing stays as it is."""
        if value is None or isinstance(value, bool) or value == "" or is_token(value):
            return value
        self.tokens += 1
        return self.key.token(value)

    def structure(self, value: Any, *, named: bool = False) -> Any:
        """Anything found in an object; with `named`, names such as `password` decide too, as in free-form values."""
        if isinstance(value, dict):
            return self._mapping(value, named=named)
        if isinstance(value, list):
            return [self.structure(item, named=named) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def _mapping(self, value: dict[str, Any], *, named: bool) -> dict[str, Any]:
        kind = value.get("kind")
        if kind == "CustomResourceDefinition":
            # Its schema names fields, `env` and `data` among them, and holds none of their values.
            return {key: self.structure(item) if key == "metadata" else item for key, item in value.items()}
        special = _SPECIAL_OF_PAYLOAD if kind in ("Secret", "ConfigMap") else _SPECIAL
        return {
            key: special[key](self, item) if key in special else self._field(key, item, named=named)
            for key, item in value.items()
        }

    def _field(self, key: str, item: Any, *, named: bool) -> Any:
        if named:
            return self.secret(item) if secret_text.smells(key) else self.structure(item, named=True)
        if isinstance(item, str):
            return item if key in _IDENTITY else self.text(item)
        return self.structure(item) if isinstance(item, dict | list) else item

    def secret(self, value: Any) -> Any:
        """Everything below a telling name."""
        if isinstance(value, str) and len(value) >= SHORTEST_KNOWN:
            self.seen.add(value)
        return self._leaves(value, self.secret)

    def foreign(self, value: Any) -> Any:
        """Everything below a name of which nothing is known."""
        return self._leaves(value, self.foreign)

    def _leaves(self, value: Any, again: Any) -> Any:
        if isinstance(value, dict):
            return {key: again(item) for key, item in value.items()}
        if isinstance(value, list):
            return [again(item) for item in value]
        return self.token(value)

    def payload(self, data: Any) -> Any:
        """What a Secret or ConfigMap holds; the manager's Configuration stays."""
        if not isinstance(data, dict):
            return self.foreign(data)
        return {
            name: self.text(text) if isinstance(text, str) and _CONFIGURATION.search(text) else self.foreign(text)
            for name, text in data.items()
        }

    def environment(self, env: Any) -> Any:
        """Lists of name and value as containers have them, and the maps that charts make of them."""
        if not isinstance(env, list):
            return self.foreign(env)
        return [self._variable(entry) if isinstance(entry, dict) else self.foreign(entry) for entry in env]

    def _variable(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {key: self.foreign(item) if key == "value" else self.structure(item) for key, item in entry.items()}

    def arguments(self, arguments: Any) -> Any:
        """A command's words; a flag such as `--password` announces that the next one is a secret."""
        if not isinstance(arguments, list):
            return self.structure(arguments)
        result: list[Any] = []
        announced = False
        for argument in arguments:
            if not isinstance(argument, str):
                result.append(self.structure(argument))
            elif announced:
                result.append(self.secret(argument))
            else:
                result.append(secret_text.hide_assigned(self.text(argument), self.token))
            announced = isinstance(argument, str) and secret_text.is_telling_flag(argument)
        return result

    def annotations(self, annotations: Any) -> Any:
        """Free-form texts, told by their names and by what they look like."""
        if not isinstance(annotations, dict):
            return self.structure(annotations)
        return {name: self._annotation(name, text) for name, text in annotations.items()}

    def _annotation(self, name: str, text: Any) -> Any:
        if not isinstance(text, str):
            return self.structure(text)
        if secret_text.smells(name.rpartition("/")[2]):
            return self.secret(text)
        if name == _LAST_APPLIED and not _is_json(text):
            return self.token(text)
        return self.text(text)

    def text(self, text: str) -> str:
        """A text, which may be JSON, a kubeconfig, or hold an URL with a password."""
        if self.known:
            text = self.known.sub(lambda found: str(self.token(found[0])), text)
        if not secret_text.is_suspect(text):
            return text
        if secret_text.is_kubeconfig(text):
            return str(self.token(text))
        if text[:1] in {"{", "["} and _is_json(text):
            return self._nested(text)
        return secret_text.hide_secrets(text, self.token)

    def _nested(self, text: str) -> str:
        """JSON inside a text: the same text where it hides nothing."""
        parsed = orjson.loads(text)
        before = self.tokens
        cleaned = self.structure(parsed, named=not (isinstance(parsed, dict) and "kind" in parsed))
        if self.tokens == before:
            return text
        return orjson.dumps(cleaned).decode() + ("\n" if text.endswith("\n") else "")

    def helm_values(self, values: Any, *, kueue: bool) -> Any:
        """Values: Kueue's own keys keep what is not a secret by name, all others keep switches only."""
        if not isinstance(values, dict):
            return self.foreign(values)
        return {key: self._helm_value(key, item, kueue=kueue) for key, item in values.items()}

    def _helm_value(self, key: str, item: Any, *, kueue: bool) -> Any:
        if kueue and key in chart_value_keys():
            return self.structure(item, named=True)
        if secret_text.smells(key):
            return self.secret(item)
        return self.helm_values(item, kueue="kueue" in key.lower())


_SPECIAL: dict[str, Callable[[_Pass, Any], Any]] = {
    "annotations": _Pass.annotations,
    "args": _Pass.arguments,
    "command": _Pass.arguments,
    "env": _Pass.environment,
    "managedFields": lambda _, fields: fields,  # names fields, holds none of their values
}
"""Fields whose content is judged by more than its form."""

_SPECIAL_OF_PAYLOAD = _SPECIAL | dict.fromkeys(("data", "stringData", "binaryData"), _Pass.payload)


def _any_of(texts: set[str]) -> re.Pattern[str] | None:
    """A pattern that finds each of the texts, the longest first; None where there is none."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
