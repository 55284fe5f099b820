"""What in a name gives away that its value is a secret; knows nothing of Kubernetes' structure."""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from kueuelift.redaction import MARK


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_WORDS = _words(
    "apikey apikeys authorization bearer cookie cookies credential credentials creds dockercfg dockerconfigjson dsn"
    " htpasswd jwt kubeconfig mnemonic otp pass passphrase passwd password passwords pin psk pw pwd sas secret secrets"
    " signature token tokens totp"
)
_SECRET_ENDS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey")
"""Ends of words that were written together: `dbpassword`."""

_KEY_OWNERS = _words(
    "access account aes api app auth cipher client consumer deploy encryption hmac integration license master pgp"
    " private secret service session shared signing ssh storage tls webhook"
)
"""What a `key` belongs to that is a secret; a toleration's or a ConfigMap's key is none."""

_PAIRS = frozenset({("connection", "string"), ("conn", "string"), ("docker", "config"), ("basic", "auth")})
_LAST_WORDS = _words("auth auths salt")
"""Secrets only where nothing follows: `auth`, not `auth-type`."""

_HARMLESS_ENDS = _words(
    "algorithm audience audiences class count dir disabled enabled expiration expiry file format generator interval"
    " length lifetime limit location manager mode name names namespace path policy provider providers ref refs required"
    " review reviews rotation seconds size source store template ttl type version"
)
_HARMLESS_NAMES = frozenset({"imagepullsecrets"})
_COUNTED = _words("batched completion context input max min num output prefill prompt total")
"""What language models count in tokens."""

_REFERENCE = _words(
    "apiVersion audience defaultMode expirationSeconds group items key kind mode name namespace optional path"
    " secretName secretType"
)
_FILE = re.compile(r"/[\w./-]*")
_CALLED = _words("name path secretName")


@lru_cache(maxsize=8192)
def smells(name: str) -> bool:
    """Whether a name says that its value is a secret: `dbPassword`, `api_key`; not `tlsSecretName`, not `key`."""
    if name.lower() in _HARMLESS_NAMES or name.startswith(MARK):
        return False
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name[:1000]).lower().replace("token review", "review")
    words = [word for word in re.split(r"[^a-z0-9]+", parts) if word]
    if not words or words[-1] in _HARMLESS_ENDS:
        return False
    if words[-1] == "tokens" and _COUNTED.intersection(words):
        return False
    if words[-1] in _LAST_WORDS or any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words):
        return True
    return any(
        (word in {"key", "keys"} and owner in _KEY_OWNERS) or (owner, word) in _PAIRS for owner, word in pairwise(words)
    )


def is_secret(name: str, value: Any) -> bool:
    """Whether a field holds a secret: its name says so, and it neither refers to one nor groups settings."""
    if not smells(name) or is_reference(value):
        return False
    if isinstance(value, dict):
        return not name.lower().endswith(tuple(_LAST_WORDS))
    return not (isinstance(value, str) and name.lower().endswith("kubeconfig") and _FILE.fullmatch(value))


def is_reference(value: Any) -> bool:
    """Whether what stands below a telling name only says where the secret is: `secret: {secretName: a}`, or a list."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) and is_reference(item) for item in value)
    return isinstance(value, dict) and value.keys() <= _REFERENCE and not _CALLED.isdisjoint(value)


def is_pair(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is a setting with a telling name: `{name: password, value: …}`; a toleration is none."""
    if "value" not in value or "operator" in value or "effect" in value:
        return False
    name = value.get("name", value.get("key"))
    return isinstance(name, str) and smells(name)


_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9+/_=-]{12,}")


@lru_cache(maxsize=8192)
def is_random(name: str) -> bool:
    """Whether a name looks like no word: below a telling one it may be the secret itself."""
    return _RANDOM.fullmatch(name) is not None and not name.startswith(MARK)
