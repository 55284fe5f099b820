"""What one of the three directories is, as a page of plain data: only what can be believed, and what is broken."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from kueuelift import inspection_journal, inspection_plan, inspection_snapshot, plan_dir, snapshot_dir
from kueuelift.errors import ToolError, UntrustedError, printable
from kueuelift.journal import FILE_NAME
from kueuelift.sealed import Format, Sealed, read_header, tree_problems
from kueuelift.sealed_tree import ArchiveTree, Tree, open_tree

_LONGEST_SENTENCE = 2000
_PAGES = {
    snapshot_dir.FORMAT: inspection_snapshot.page,
    plan_dir.FORMAT: inspection_plan.page,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What `inspect` shows."""

    content: dict[str, Any]
    """`what` (snapshot, plan, journal, archive), `path`, `seal`, then what its kind of directory has to tell."""
    problems: tuple[str, ...]
    """A sentence for each thing that is broken; none where every byte is in order."""


def inspect(path: Path) -> Page:
    """Look at a snapshot, a plan, an archive of either, or a journal, and verify every byte of it.

    What is broken stands in the page. A ToolError is raised only where there is nothing to show.
    """
    try:
        tree = open_tree(path, "snapshot, plan or journal")
    except UntrustedError as error:
        return _page("archive", path, {"state": "broken"}, {}, [str(error)])
    found = next((known for known in _PAGES if tree.holds(known.header_name)), None)
    if found is not None:
        return _sealed_page(tree, found)
    if tree.holds(FILE_NAME) and not isinstance(tree, ArchiveTree):
        content, problems = inspection_journal.page(path)
        state = "broken" if problems else "not sealed"
        return _page("journal", path, {"state": state}, content, problems)
    raise UntrustedError(
        f"{path}: has neither snapshot.json nor plan.json nor {FILE_NAME}; give a snapshot, a plan or a journal"
    )


def _sealed_page(tree: Tree, known: Format) -> Page:
    archive = {"archive": isinstance(tree, ArchiveTree)}
    try:
        sealed = Sealed(tree=tree, header=read_header(tree, known), format=known)
    except UntrustedError as error:
        return _page(known.name, tree.root, {"state": "broken"}, archive, [str(error)])
    problems, files = _verified(sealed, known)
    content, unreadable = _PAGES[known](sealed, files)
    problems += [problem for problem in unreadable if problem not in problems]
    told = {**archive, "digest": sealed.digest, "tool": sealed.header["tool"], **content}
    seal = {"state": "broken" if problems else "intact", "files": len(files)}
    return _page(known.name, tree.root, seal, told, problems)


def _verified(sealed: Sealed, known: Format) -> tuple[list[str], set[str]]:
    """What is broken, and the paths of the files that are not."""
    problems: list[str] = []
    intact: set[str] = set()
    try:
        problems += tree_problems(sealed.tree, known.header_name, set(sealed.header["files"]))
    except UntrustedError as error:
        problems.append(str(error))
    for path in sorted(sealed.header["files"]):
        if not sealed.tree.holds(path):
            continue
        try:
            with sealed.stream(path):
                intact.add(path)
        except ToolError as error:
            problems.append(str(error))
    return problems, intact


def _page(what: str, path: Path, seal: dict[str, Any], told: dict[str, Any], problems: list[str]) -> Page:
    """The page as JSON has it, whatever a header may say."""
    sentences = [printable(problem, longest=_LONGEST_SENTENCE) for problem in problems]
    content = {"what": what, "path": printable(str(path)), "seal": {**seal, "problems": sentences}, **told}
    return Page(content=orjson.loads(orjson.dumps(content)), problems=tuple(sentences))
