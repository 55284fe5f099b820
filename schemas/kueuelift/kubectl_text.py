"""What kubectl prints for people to read, which is so often given in the place of manifests."""

import re

REMEDY = "give the same with -o yaml or -o json"

_FIRST = re.compile(r"^(?!---(?:[ \t\r\n]|\Z)|%|[ \t]*(?:#|\r?\n|\Z)).*", re.MULTILINE)
_GAP = re.compile(r"[ \t]{2,}")
_COLUMN = re.compile(r"[A-Z][A-Z0-9 %()/_.-]*")
_DESCRIBED = re.compile(r"^API Version:[ \t]", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]+(?:\.[a-z0-9.-]+)?/[A-Za-z0-9.:_-]+[ \t\r]*")


def printed_for_people(document: str) -> str:
    """What the text of one document is: `a table of kubectl get`; empty for anything that is not kubectl's."""
    first = _FIRST.search(document)
    if first is None:
        return ""
    line = first[0].strip()
    columns = _GAP.split(line)
    if ("NAME" in columns or columns[0] == "LAST SEEN") and all(map(_COLUMN.fullmatch, columns)):
        return "a table of kubectl get"
    if line.startswith("Name:") and _DESCRIBED.search(document, first.end()):
        return "what kubectl describe prints"
    if _NAME.fullmatch(line) and all(map(_NAME.fullmatch, filter(None, document[first.start() :].split("\n")))):
        return "names of kubectl get -o name"
    return ""
