"""The numbers of the CEL rules that the CRDs of Kueue hold, found by the rule's text: `crd_rule_ids.json`.

Source: CRDs of kueue v0.12.2 to v0.20.0-devel. Rules that compare with the old object stand in `unjudged`.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any


def ids_by_demand(kind: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """By what a rule of the schema says for itself: its number, where it has one.

    A site's own CRDs may put the same rule into other words, so it is the rule that is looked up.
    """
    known = _table().get(kind, {})
    return {
        rule["message"]: known[rule["rule"]] for rule in _rules(schema) if rule.get("message") and rule["rule"] in known
    }


def _rules(schema: Any) -> Iterator[Mapping[str, str]]:
    if isinstance(schema, Mapping):
        yield from schema.get("x-kubernetes-validations", ())
        for below in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
            yield from _rules(below)


@cache
def _table() -> dict[str, dict[str, str]]:
    text = files("kueuelift").joinpath("admission", "crd_rule_ids.json").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, str]] = json.loads(text)
    return loaded
