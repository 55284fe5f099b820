"""What is a Configuration of Kueue's manager: the one content of ConfigMaps that a snapshot keeps, and in clear."""

import re
from typing import Any

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.kinds import GROUP, group_of

_GROUP = f"config.{GROUP}"
_SAYS_SO = re.compile(rf"\bapiVersion[\"']?\s*:\s*[\"']?{re.escape(_GROUP)}/")


def is_configuration(text: str) -> bool:
    """Whether a text is a Configuration, in block or flow style or JSON; one that cannot be read counts if it says so.

    A text that only mentions one, or that holds one inside a text of its own as a chart's values do, is none.
    """
    if f"{_GROUP}/" not in text:
        return False
    try:
        return bool(configurations(text))
    except RefusedError:
        return _SAYS_SO.search(text) is not None


def configurations(text: str) -> list[dict[str, Any]]:
    """The documents of a text that are Configurations; RefusedError where it mentions one and is no YAML."""
    if f"{_GROUP}/" not in text:
        return []
    documents = list(yaml_text.load_all(text, "the manager's Configuration"))
    return [it for it in documents if isinstance(it, dict) and group_of(str(it.get("apiVersion"))) == _GROUP]
