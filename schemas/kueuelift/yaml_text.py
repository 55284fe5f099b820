"""The only reader and writer of YAML, with the meaning that Kubernetes tools give it.

Scalars are read as sigs.k8s.io/yaml reads them (dates stay text, `1e3` is a number, duplicate keys are errors) and
written so that every such reader gets the same value back. Only plain data is ever constructed.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from kueuelift.errors import RefusedError

_FLOAT = re.compile(
    r"^(?:[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+)"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)
_ODD_TEXT = re.compile(
    r"^(?:[yYnN]|0o[0-7_]+|[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)$"
)
_MOST_VALUES = 10_000_000
"""Values in one document, aliases followed: far above any object that an API server takes."""
_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_FLOAT_TAG = "tag:yaml.org,2002:float"


class _Loader(yaml.CSafeLoader):
    """Safe loading with Kubernetes' scalars; duplicate keys are refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a mapping key that is not a plain value", key.start_mark)
            if key.value in seen:
                raise ConstructorError(
                    None, None, f"key {key.value!r} stands twice, in lines {seen[key.value]} and {line}", key.start_mark
                )
            seen[key.value] = line
        return {str(key): value for key, value in super().construct_mapping(node, deep=deep).items()}


class _Dumper(yaml.CSafeDumper):
    """Writes no anchors, and quotes what another reader would take for a number, date or boolean."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the parent's signature
        return True


def _without(loader: Any, *tags: str) -> None:
    loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in tags]
        for first, resolvers in loader.yaml_implicit_resolvers.items()
    }


_without(_Loader, _TIMESTAMP, _FLOAT_TAG)
_Loader.add_implicit_resolver(_FLOAT_TAG, _FLOAT, list("-+0123456789."))
_Dumper.add_implicit_resolver(_FLOAT_TAG, _FLOAT, list("-+0123456789."))
_Dumper.add_implicit_resolver("tag:yaml.org,2002:bool", _ODD_TEXT, list("yYnN-+0123456789"))


def load_all(text: str | bytes, origin: str) -> Iterator[Any]:
    """Yield the documents of a stream, empty ones left out; RefusedError names `origin` and the line."""
    loader = _Loader(text)
    try:
        while loader.check_data():  # type: ignore[no-untyped-call]
            document = loader.get_data()
            _refuse_endless(document, origin)
            if document is not None:
                yield document
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RefusedError(f"{origin}: {_where(error)}; mend the file and run again") from None
    finally:
        loader.dispose()


def load(text: str | bytes, origin: str) -> Any:
    """The one document of a text; None for an empty text, RefusedError where there is more than one."""
    documents = list(load_all(text, origin))
    if len(documents) > 1:
        raise RefusedError(f"{origin}: {len(documents)} YAML documents found, one wanted; give one document a file")
    return documents[0] if documents else None


def dump(value: Any) -> str:
    """Canonical text: sorted keys, block style, no anchors, no folding."""
    return str(
        yaml.dump(value, Dumper=_Dumper, sort_keys=True, default_flow_style=False, allow_unicode=True, width=1 << 20)
    )


def _refuse_endless(document: Any, origin: str) -> None:
    """Refuse aliases that contain themselves or multiply: a few lines that stand for billions of values."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(value: Any) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) in open_nodes:
            raise RefusedError(f"{origin}: not valid YAML: an alias contains itself; write the value out and run again")
        if id(value) not in sizes:
            open_nodes.add(id(value))
            sizes[id(value)] = 1 + sum(size(below) for below in (value.values() if isinstance(value, dict) else value))
            open_nodes.discard(id(value))
        return sizes[id(value)]

    try:
        whole = size(document)
    except RecursionError:
        raise RefusedError(f"{origin}: not valid YAML: nested too deeply; write it flatter and run again") from None
    if whole > _MOST_VALUES:
        raise RefusedError(
            f"{origin}: not valid YAML: {whole} values after its aliases are followed, {_MOST_VALUES} at most; "
            "write it without aliases and run again"
        )


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    return f"line {mark.line + 1}: not valid YAML: {problem}" if mark else f"not valid YAML: {problem}"
