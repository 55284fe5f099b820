"""The head of the printed Job, which says how to use it."""

import io
from pathlib import Path

import pytest

from kueuelift import yaml_text
from kueuelift.armor import END, unarmored
from kueuelift.errors import UntrustedError
from kueuelift_snapshot.job import manifests
from kueuelift_snapshot.rights import role_text
from kueuelift_snapshot.scope import Scope


@pytest.mark.parametrize("secret", [None, "key"])
def test_what_to_do_about_a_cut_log_is_what_the_reader_of_the_log_says(secret: str | None) -> None:
    scope = Scope(namespaces=("a",), running=False)
    printed = manifests("mirror.example/kueuelift:1", scope, role_text(scope), token_key_secret=secret)
    head = printed.partition("---")[0]
    assert max(len(line) for line in head.splitlines() if not line.startswith("#   ")) <= 120
    with pytest.raises(UntrustedError) as caught:
        list(unarmored(io.BytesIO(END + b"\n"), Path("LOG")))
    cut, _, advice = str(caught.value).partition("so ")[2].partition("; ")
    said = " ".join(line.removeprefix("# ") for line in head.splitlines())
    assert f"Where inspect says that {cut}, {advice.partition(', as the head of the printed Job says')[0]}:" in said
    assert "snapshot --archive - --namespaces=a --no-running" in said
    assert len(list(yaml_text.load_all(printed, "printed"))) == 5
