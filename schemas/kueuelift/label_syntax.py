"""The syntax of label keys and values, annotation keys, host names and prefixed paths, as k8s.io/apimachinery has it.

The rules are those of `pkg/api/validate/content` and `pkg/util/validation` at 0.35. Lengths there count bytes, and
what is allowed is ASCII, so a text that passes has as many bytes as characters.
"""

import re
from functools import lru_cache

KEY_WANTED = (
    "a label key: at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends, "
    "after a host name and '/' or without"
)
VALUE_WANTED = (
    "a label value: nothing, or at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
)

_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_HOST = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_PATH = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
_LONGEST_NAME = 63
_LONGEST_HOST = 253


def is_host(text: str) -> bool:
    """Tell whether a text is a DNS subdomain (RFC 1123): `example.com`."""
    return len(text) <= _LONGEST_HOST and _HOST.fullmatch(text) is not None


def is_host_label(text: str) -> bool:
    """Tell whether a text is one label of a host name (RFC 1123): `example`."""
    return len(text) <= _LONGEST_NAME and "." not in text and is_host(text)


def is_service_name(text: str) -> bool:
    """Tell whether a text may name a Service, which is a label of RFC 1035: it begins with a letter."""
    return is_host_label(text) and not text[0].isdigit()


@lru_cache(maxsize=4096)
def is_label_key(text: str) -> bool:
    """Tell whether a text is a label key, which Kubernetes also calls a qualified name: `app`, `example.com/app`."""
    host, slash, name = text.rpartition("/")
    return len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None and (not slash or is_host(host))


@lru_cache(maxsize=4096)
def is_label_value(text: str) -> bool:
    """Tell whether a text may be a label's value; an empty one may."""
    return not text or (len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None)


def is_annotation_key(text: str) -> bool:
    """Tell whether a text is an annotation key: a label key whose host name may have capitals."""
    # Go lowers letter by letter, where Python makes two of this one.
    return is_label_key(text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "i").lower())


def is_prefixed_path(text: str) -> bool:
    """Tell whether a text is a path of a host: `example.com/some/path`."""
    host, _, path = text.partition("/")
    return is_host(host) and _PATH.fullmatch(path) is not None
