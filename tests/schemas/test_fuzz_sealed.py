"""Whatever is done to a directory or an archive, its readers answer with one sentence or with the content."""

import contextlib
import gzip
import hashlib
import io
import json
import tarfile
import tempfile
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from archive_maker import Member, members, packed, tar
from kueuelift import yaml_text
from kueuelift.cli import run
from kueuelift.errors import ToolError, UntrustedError
from kueuelift.sealed import canonical_json, digest_of
from make_damaged import FOLDER, read_all, write_plan, write_snapshot

FUZZ = settings(
    max_examples=60,
    deadline=timedelta(seconds=20),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
Files = dict[str, bytes]
Mutation = Callable[[Files], None]

WHOLE_ARCHIVE = (FOLDER / "archive-whole" / "snapshot.tar.gz").read_bytes()
WHOLE_LOG = (FOLDER / "log-whole" / "snapshot.log").read_bytes()
WHOLE_TAR = gzip.decompress(WHOLE_ARCHIVE)


def files_of(write: Callable[[Path], None], name: str) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / name
        write(root)
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
        }


WHOLE: dict[str, Files] = {"snapshot": files_of(write_snapshot, "snapshot"), "plan": files_of(write_plan, "plan")}

UNREADABLE = (ToolError, ValueError, LookupError, StopIteration, OSError, EOFError, RecursionError, zlib.error)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=10), below, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    [
        "objects/clusterqueues/x.yaml",
        "notes",
        "helm/a/b/v1/release.json",
        "crds/x.yaml",
        "workloads/x.jsonl.gz",
        "\x1b[2J",
        "ü",
    ]
) | st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda name: name not in {".", ".."} and len(name.encode()) < 200
)
contents = st.one_of(
    st.binary(max_size=200),
    json_values.map(lambda value: json.dumps(value).encode()),
    st.lists(json_values, max_size=3).map(
        lambda values: gzip.compress(b"".join(json.dumps(value).encode() + b"\n" for value in values))
    ),
    st.binary(max_size=50).map(gzip.compress),
    st.sampled_from(
        [b"a: *b\n", b"---\n" * 50, b"[" * 3000, b"{" * 3000, b"a: &a [*a]\n", b"\xff\xfe", b"1e400", b"\x00"]
    ),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield from places(below, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one at a place; None takes a key away."""
    if not path:
        return new
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    if new is None and isinstance(holder, dict):
        del holder[path[-1]]
    else:
        holder[path[-1]] = new
    return value


@st.composite
def header_mutations(draw: st.DrawFn, header: str) -> Mutation:
    number, new = draw(st.integers(0, 1 << 20)), draw(json_values)

    def mutate(files: Files) -> None:
        with contextlib.suppress(ValueError, LookupError, RecursionError):
            content = json.loads(files[header])
            there = list(places(content))
            files[header] = json.dumps(put(content, there[number % len(there)], new)).encode()

    return mutate


def decoded(path: str, content: bytes) -> Any:
    """The document, or the first of them, in a file of any of our kinds."""
    if path.endswith(".yaml"):
        return next(yaml_text.load_all(content, path))
    if path.endswith(".gz"):
        return json.loads(gzip.decompress(content).splitlines()[0])
    return json.loads(content)


def encoded(path: str, value: Any) -> bytes:
    """JSON is YAML too."""
    text = json.dumps(value).encode()
    return gzip.compress(text + b"\n") if path.endswith(".gz") else text


@st.composite
def value_mutations(draw: st.DrawFn) -> Mutation:
    """Something else somewhere within the document of one file."""
    which, number, new = draw(st.integers(0, 100)), draw(st.integers(0, 1 << 20)), draw(json_values)

    def mutate(files: Files) -> None:
        path = sorted(files)[which % len(files)] if files else ""
        with contextlib.suppress(
            ToolError, ValueError, LookupError, StopIteration, OSError, EOFError, RecursionError, zlib.error
        ):
            content = decoded(path, files[path])
            there = list(places(content))
            files[path] = encoded(path, put(content, there[number % len(there)], new))

    return mutate


@st.composite
def file_mutations(draw: st.DrawFn) -> Mutation:
    number, at = draw(st.integers(0, 100)), draw(st.integers(0, 1 << 20))
    how = draw(st.sampled_from(["flip", "cut", "insert", "remove", "rename", "replace", "add"]))
    name, content = draw(names), draw(contents)

    def mutate(files: Files) -> None:
        if not files:
            return
        path = sorted(files)[number % len(files)]
        there = files[path]
        point = at % (len(there) + 1)
        if how == "flip" and there:
            point %= len(there)
            files[path] = there[:point] + bytes([there[point] ^ 1 << at % 8]) + there[point + 1 :]
        elif how == "cut":
            files[path] = there[:point]
        elif how == "insert":
            files[path] = there[:point] + content + there[point:]
        elif how == "remove":
            del files[path]
        elif how == "rename":
            files[name] = files.pop(path)
        else:
            files[path if how == "replace" else name] = content

    return mutate


def resealed(files: Files, header: str) -> None:
    """Make hashes and digest fit again, as only who means to deceive would do."""
    with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
        content = orjson.loads(files[header])
        content["files"] = {path: hashlib.sha256(data).hexdigest() for path, data in files.items() if path != header}
        content["digest"] = digest_of(content)
        files[header] = canonical_json(content)


def write(root: Path, files: Files) -> None:
    for path, content in files.items():
        with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)


def judge(root: Path) -> None:
    """All readers of a directory or archive: a ToolError of exit code 1 or 4, or its content."""
    refusal: ToolError | None = None
    try:
        read_all(root.parent)
    except ToolError as error:
        refusal = error
    assert refusal is None or refusal.exit_code in {1, 4}
    judge_page(root)


def judge_page(root: Path) -> None:
    """`inspect` in every format: a page, or one sentence that a terminal can show."""
    for how in ("text", "json", "yaml"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as told:
            code = run(["inspect", str(root), "-o", how])
        assert code in {0, 1, 4}, told.getvalue()
        assert told.getvalue() == "" or (told.getvalue().count("\n") == 1 and told.getvalue()[:-1].isprintable())
        if how == "json" and out.getvalue():
            json.loads(out.getvalue())
        if how == "text":
            assert out.getvalue().replace("\n", "").isprintable()


@pytest.mark.parametrize("what", ["snapshot", "plan"])
@FUZZ
@given(data=st.data(), reseal=st.booleans())
def test_a_mutated_directory(what: str, data: st.DataObject, reseal: bool) -> None:
    header = f"{what}.json"
    mutations = data.draw(
        st.lists(header_mutations(header) | value_mutations() | file_mutations(), min_size=1, max_size=3),
        label="mutations",
    )
    files = dict(WHOLE[what])
    for mutate in mutations:
        mutate(files)
    if reseal:
        resealed(files, header)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / what).mkdir()
        write(Path(folder) / what, files)
        judge(Path(folder) / what)


def judge_archive(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / name
        place.write_bytes(content)
        judge(place)


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes with some flipped, cut out, put in or doubled."""
    content = whole
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, max(0, len(content) - 1)))
        length = draw(st.integers(0, 600))
        how = draw(st.sampled_from(["flip", "cut", "truncate", "insert", "double"]))
        if how == "flip" and content:
            content = content[:start] + bytes([content[start] ^ 1 << length % 8]) + content[start + 1 :]
        elif how == "cut":
            content = content[:start] + content[start + length :]
        elif how == "truncate":
            content = content[:start]
        elif how == "insert":
            content = content[:start] + draw(st.binary(max_size=40)) + content[start:]
        else:
            content = content[: start + length] + content[start:]
    return content


@FUZZ
@given(mutated(WHOLE_ARCHIVE))
@example(b"\x1f\x8b")
def test_a_mutated_archive(content: bytes) -> None:
    judge_archive("snapshot.tar.gz", content)


@FUZZ
@given(mutated(WHOLE_TAR))
def test_a_mutated_tar(content: bytes) -> None:
    judge_archive("snapshot.tar.gz", gzip.compress(content, 1))


@FUZZ
@given(mutated(WHOLE_LOG))
def test_a_mutated_log(content: bytes) -> None:
    judge_archive("snapshot.log", content)


@st.composite
def odd_members(draw: st.DrawFn) -> Member:
    described = tarfile.TarInfo("snapshot/" * draw(st.integers(0, 2)) + draw(names))
    content = draw(contents)
    described.size = len(content)
    described.type = draw(
        st.sampled_from([b"0", b"\0", b"1", b"2", b"3", b"5", b"6", b"7", b"K", b"L", b"S", b"g", b"x", b"Z"])
    )
    described.linkname = draw(names)
    described.pax_headers = draw(
        st.dictionaries(st.sampled_from(["path", "size", "linkpath", "GNU.sparse.size", "comment"]), names, max_size=2)
    )
    return described, content


@FUZZ
@given(
    st.lists(odd_members(), max_size=4), st.integers(0, 10), st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
)
def test_odd_members(odd: list[Member], where: int, how: int) -> None:
    whole = members(WHOLE_ARCHIVE)
    whole[where % len(whole) : where % len(whole)] = odd
    judge_archive("snapshot.tar.gz", packed(whole, how))


@FUZZ
@given(
    st.binary(max_size=2000)
    | st.binary(max_size=2000).map(gzip.compress)
    | st.lists(odd_members()).map(tar).map(gzip.compress)
)
def test_anything(content: bytes) -> None:
    judge_archive("snapshot.tar.gz", content)


WHOLE_JOURNAL = b"".join(
    b'{"at":"2026-01-01T00:00:00Z",%s}\n' % line
    for line in (
        b'"event":"run-started","detail":{"plan":"sha256:1","server":"https://a"}',
        b'"event":"intent","step":"10-check"',
        b'"event":"failed","step":"10-check","detail":{"reason":"no route"}',
        b'"event":"run-ended","detail":{"how":"failed"}',
    )
)


@FUZZ
@given(mutated(WHOLE_JOURNAL) | st.binary(max_size=200) | json_values.map(lambda it: json.dumps(it).encode() + b"\n"))
def test_a_mutated_journal(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "journal.jsonl").write_bytes(content)
        judge_page(Path(folder))


def test_a_line_without_end_is_given_up(tmp_path: Path) -> None:
    files = WHOLE["snapshot"] | {"workloads/team-a.jsonl.gz": gzip.compress(bytes(200 << 20), 1)}
    resealed(files, "snapshot.json")
    write(tmp_path / "snapshot", files)
    tracemalloc.start()
    try:
        with pytest.raises(UntrustedError, match="not readable as compressed JSON lines"):
            read_all(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 150 << 20
    finally:
        tracemalloc.stop()
