"""Whether the namespaces that the operator named are there: an empty snapshot of a misspelt one would look right."""

from collections.abc import Iterable, Sequence

from kueuelift.errors import RefusedError
from kueuelift.text_table import listed
from kueuelift_snapshot.api import AnswerError, Api
from kueuelift_snapshot.failure_text import FORBIDDEN
from kueuelift_snapshot.pages import parsed
from kueuelift_snapshot.surroundings import NAMESPACES


def untold(api: Api, names: Iterable[str]) -> list[str]:
    """Those of which this user may not know whether they exist; RefusedError where some do not."""
    found = {name: _exists(api, name) for name in names}
    if missing := [name for name, exists in found.items() if exists is False]:
        raise RefusedError(
            f"--namespaces {','.join(missing)}: the cluster has no such namespace; give names that"
            " `kubectl get namespaces` lists"
        )
    return [name for name, exists in found.items() if exists is None]


def in_words(names: Sequence[str]) -> str:
    """That the namespaces could not be looked up, as a clause; empty where there are none."""
    return f"{listed(names)}: not checked whether they exist, since this user could not look them up" if names else ""


def _exists(api: Api, name: str) -> bool | None:
    """Whether a namespace is there, by a list of it as the printed role allows, or by itself; None where neither is."""
    path = NAMESPACES.path()
    try:
        only = parsed(api.get(path, {"limit": "1", "fieldSelector": f"metadata.name={name}"}), path)
        return any((it.get("metadata") or {}).get("name") == name for it in only.get("items") or ())
    except AnswerError as error:
        if error.status != FORBIDDEN:
            return None
    try:
        api.get(f"{path}/{name}")
    except AnswerError as error:
        return False if error.status == 404 else None
    return True
