"""Changes values of a YAML document and leaves the rest of its text as it is: comments, order, spelling, folding.

Only the stretches of text whose value changes are replaced. The proof is made each time: what was written is read back
with `yaml_text` and has to be the wanted value.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from kueuelift import yaml_source, yaml_text
from kueuelift.errors import RefusedError
from kueuelift.yaml_edit import Editor
from kueuelift.yaml_layout import Layout, same
from kueuelift.yaml_source import Source


@dataclass(frozen=True, slots=True)
class LostComment:
    """A comment that stood inside of what is gone."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document with its new value."""

    text: str
    """Equal to the source, to the byte, wherever the value did not change."""
    lost_comments: tuple[LostComment, ...] = ()


def rewrite(text: str, wanted: Any, origin: str, *, first_line: int = 1) -> Rewritten:
    """Give the text of one document another value.

    A key that is gone while a new one has its value, holds it or stands in its place is renamed or replaced where it
    stands, with the comments around it; comments above a field that is gone stay. RefusedError where the text is not
    one YAML document, or the result would not read back as the wanted value.
    """
    documents = list(yaml_text.load_documents(text, origin, first_line=first_line))
    if len(documents) > 1:
        raise RefusedError(f"{origin}: {len(documents)} YAML documents found, one wanted; give one document at a time")
    if documents and same(documents[0].value, wanted):
        return Rewritten(text)
    try:
        source = yaml_source.read(text)
    except (yaml.YAMLError, ValueError) as error:
        raise _unwritable(origin) from error
    if source.root is None or not documents or not same(source.root.value, documents[0].value):
        raise _unwritable(origin)
    written = Editor(source).rewrite(wanted)
    if not _reads_back(written, wanted):
        raise _unwritable(origin)
    return Rewritten(written, _lost(source, yaml_source.read(written), first_line))


def plain(value: Mapping[str, Any]) -> str:
    """Write a mapping for people: in its order, texts of several lines as literal blocks where one can hold them."""
    written = "".join(f"{line}\n" for line in Layout(yaml_source.read("")).value(value)) if value else "{}\n"
    return written if _reads_back(written, value) else yaml_text.dump(dict(value))


def _reads_back(text: str, wanted: Any) -> bool:
    try:
        return same(yaml_text.load(text, "what was written"), wanted)
    except RefusedError:
        return False


def _lost(before: Source, after: Source, first_line: int) -> tuple[LostComment, ...]:
    left = Counter(comment.text.rstrip() for comment in after.comments)
    lost = []
    for comment in before.comments:
        text = comment.text.rstrip()
        if not left[text]:
            lost.append(LostComment(first_line + before.text.count("\n", 0, comment.start), text))
        left[text] -= 1
    return tuple(lost)


def _unwritable(origin: str) -> RefusedError:
    return RefusedError(
        f"{origin}: this YAML is written in a way in which its values cannot be changed with its comments kept;"
        " write it plainly, without explicit keys (?), tags and aliases as keys, or ask for canonical output"
    )
