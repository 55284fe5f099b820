"""What in a text or a name gives a secret away; knows nothing of Kubernetes' structure."""

import re
from collections.abc import Callable
from itertools import pairwise

_SECRET_WORDS = frozenset(
    {
        "apikey",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "dsn",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "pwd",
        "secret",
        "secrets",
        "token",
        "tokens",
    }
)
_KEY_OWNERS = frozenset(
    {
        "access",
        "account",
        "api",
        "auth",
        "client",
        "encryption",
        "license",
        "master",
        "private",
        "secret",
        "session",
        "shared",
        "signing",
        "ssh",
        "storage",
        "tls",
    }
)
"""What a `key` belongs to that is a secret; a toleration's or a ConfigMap's key is none."""

_HARMLESS_ENDS = frozenset(
    {
        "audience",
        "audiences",
        "class",
        "dir",
        "enabled",
        "expiration",
        "file",
        "length",
        "location",
        "mode",
        "name",
        "names",
        "namespace",
        "path",
        "policy",
        "ref",
        "refs",
        "seconds",
        "size",
        "source",
        "ttl",
        "type",
        "version",
    }
)
_NAMES_OF_SECRETS = frozenset({"imagepullsecrets"})

_WORD = r"(?:pass(?:word|wd|phrase)|secret|token|credential|(?:api|access|private|auth)[_-]?key)"
_ASSIGNED = re.compile(
    rf"(?i)((?<![\w.-])[\w.-]{{0,60}}?{_WORD}[\w.-]{{0,60}}[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?)([^\s\"'&;,]+)"
)
_FLAG_AND_VALUE = re.compile(
    rf"(?i)((?<!\S)--?[\w.-]{{0,60}}?{_WORD}[\w.-]{{0,60}}\s{{1,3}}[\"']?)([^\s\"'=-][^\s\"']*)"
)
_BARE_FLAG = re.compile(rf"(?i)--?[\w.-]{{0,60}}?{_WORD}[\w.-]{{0,60}}")

# Up to the last @, since passwords are not always escaped; a port before a path is no password.
_USER_INFO = re.compile(r"(?<=://)(?:[^\s\"'<>/:@]{0,300}:(?!\d{1,5}/)[^\s\"'<>]{1,1000}|[^\s\"'<>/]{1,1000})(?=@)")
_BEARER = re.compile(r"(?i)(?<=bearer )\s{0,3}(?=\S{0,200}\d)[A-Za-z0-9._~+/=-]{8,}|(?<=basic )[A-Za-z0-9+/]{8,}={1,2}")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_WEB_TOKEN = re.compile(r"\beyJ[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?")
_KNOWN_SHAPES = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|A(?:KI|SI)A[0-9A-Z]{16}\b)"
)
_SECRETS = (_PRIVATE_KEY, _USER_INFO, _BEARER, _WEB_TOKEN, _KNOWN_SHAPES)
_MARKS = re.compile(
    r"://|PRIVATE KEY-----|eyJ|[bB](?:earer|EARER|asic|ASIC) |gh[pousr]_|github_|glpat-|xox|AKIA|ASIA"
    r"|client-key-data|clusters"
)
_SHORTEST = 9
"""Fewer characters hold no secret that its form gives away: `a://b:c@d` is one."""

_OF_KUBECONFIG = ("clusters", "contexts", "users")


def smells(name: str) -> bool:
    """Whether a name says that its value is a secret: `dbPassword`, `api_key`; not `tlsSecretName`, not `key`."""
    if name.lower() in _NAMES_OF_SECRETS:
        return False
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower()
    words = [word for word in re.split(r"[^a-z0-9]+", parts) if word]
    if not words or words[-1] in _HARMLESS_ENDS:
        return False
    if _SECRET_WORDS.intersection(words) or any(word.endswith("password") for word in words):
        return True
    return any(word == "key" and owner in _KEY_OWNERS for owner, word in pairwise(words))


def is_suspect(text: str) -> bool:
    """Whether a text is worth the functions below: all but a few are passed by, much faster than those would."""
    return len(text) >= _SHORTEST and (text[0] in "{[" or _MARKS.search(text) is not None)


def is_kubeconfig(text: str) -> bool:
    """Whether a text looks like the credentials of a cluster."""
    return "client-key-data" in text or all(part in text for part in _OF_KUBECONFIG)


def hide_secrets(text: str, token: Callable[[str], str]) -> str:
    """The text without what its form gives away: passwords in URLs, private keys, web tokens, vendors' tokens."""
    for pattern in _SECRETS:
        text = pattern.sub(lambda found: token(found[0]), text)
    return text


def hide_assigned(text: str, token: Callable[[str], str]) -> str:
    """The text of a command with values of telling names replaced: `--password=…`, `export API_KEY=…`."""
    for pattern in (_ASSIGNED, _FLAG_AND_VALUE):
        text = pattern.sub(lambda found: found[1] + token(found[2]), text)
    return text


def is_telling_flag(text: str) -> bool:
    """Whether an argument announces a secret in the next one: `--password`."""
    return _BARE_FLAG.fullmatch(text) is not None
