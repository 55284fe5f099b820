"""Compiles a JSON Schema into a quick question about Python values, of which a yes is certain and a no says nothing."""

from collections.abc import Callable, Mapping
from typing import Any

import jsonschema_rs

_DRAFT = "https://json-schema.org/draft/2020-12/schema"

DAY = r"(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31"
"""Month and day of a date, as a regular expression; leap days are denied."""


def compile_quick(schema: Mapping[str, Any], keywords: Mapping[str, type] | None = None) -> Callable[[Any], bool]:
    """Compile a schema of draft 2020-12; `keywords` are its own, as jsonschema-rs has them. Formats are passed over.

    Values that JSON does not have, such as a date, and those that are nested too deeply are denied.
    """
    validator = jsonschema_rs.validator_for(
        {"$schema": _DRAFT, **schema},
        keywords=dict(keywords or {}),
        pattern_options=jsonschema_rs.RegexOptions(),
        validate_formats=False,
        offline=True,
    )

    def passes(value: Any) -> bool:
        try:
            return validator.is_valid(value)
        except (ValueError, RecursionError):
            return False

    return passes
