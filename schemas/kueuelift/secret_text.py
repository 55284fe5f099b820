"""What in a text gives a secret away; knows nothing of Kubernetes' structure."""

import base64
import binascii
import re
from collections.abc import Callable
from functools import lru_cache

from kueuelift.redaction import MARK
from kueuelift.secret_names import is_secret, smells

Hide = Callable[[str], str]
"""Gives what stands in the place of a secret."""

# Up to the last @, since passwords are not always escaped; a port before a path, and a digest, are no password.
_USER_INFO = re.compile(
    r"(?<=://)(?:"
    r"[^\s\"'<>/:@]{0,300}:(?!\d{1,5}(?:[?#\"'\s,;)]|$))[^\s]{1,1000}(?=@(?!sha\d))(?<!/)"
    r"|(?<!ssh://)[^\s\"'<>/]{1,1000}(?=@))"
    r"|(?<=//)[^\s\"'<>/:@]{1,300}:(?!\d{1,5}(?:[?#\"'\s,;)]|$))[^\s/]{1,300}(?=@(?!sha\d))"
)
_LOGIN = re.compile(  # without a scheme: user:password@host.tld, root:password@tcp(host)
    r"(?<![\w/:.-])(?!(?:mailto|acct|user|group|domain|serviceAccount|principal):"
    r"(?![^\s@]{1,300}@(?:tcp|unix)\())[\w.%+-]{1,64}:[^\s:@/\"']{1,300}"
    r"(?=@(?:[\w-]{1,63}\.[\w.-]{2}|(?:tcp|unix)\(|localhost\b|[\w.-]{1,200}:\d))"
)
_QUERY = re.compile(
    r"(?i)(?<=[?&;])((?:[\w.-]{0,40}(?:token|password|passwd|pwd|secret|signature|credential|api[_-]?key)|sig|key|auth)=)"
    r"([^\s&;\"'<>]{1,2000})"
)
_SCHEME = r"(?:bearer|basic|token|apikey|digest|negotiate)"
_AUTHORIZATION = re.compile(
    rf"(?i)((?:authorization|cookie)[\"']?[ \t]{{0,3}}[=:][ \t]{{0,3}}[\"']?(?:{_SCHEME}[ \t]{{1,3}})?)"
    r"([^\s\"'][^\"'\r\n]{0,8000})"
)
_HEADERS = ("authorization", "cookie")  # what they hold may have blanks in it, and is hidden by its form

_BEARER = re.compile(
    r"(?i)(?<=bearer )(?:(?=\S{0,2000}\d)[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{20,})"
    r"|(?<=basic )(?:[A-Za-z0-9+/]{8,}={1,2}|(?=\S{0,2000}\d)[A-Za-z0-9+/]{12,})"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r".*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_WEB_TOKEN = re.compile(r"\beyJ[A-Za-z0-9_-]{5,2000}\.eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?")
_OF_VENDORS = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|rt|dt|ptt)-[\w-]{16,}|xox[abeprs]-[\w-]{10,}"
    r"|xapp-[\w-]{10,}|A(?:KI|SI)A[0-9A-Z]{16}\b|AIza[\w-]{35}|ya29\.[\w-]{20,}|hvs\.[\w-]{20,}|hf_[A-Za-z0-9]{30,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{50,}|dckr_pat_[\w-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|sk-(?:ant|proj|svcacct)-[\w-]{20,}|nvapi-[\w-]{20,}|dapi[0-9a-f]{32}|dop_v1_[0-9a-f]{40,}|sha256~[\w-]{40,}"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{50,})"
    r"|(?<=hooks\.slack\.com/services/)[\w/]{10,}|(?<=AccountKey=)[A-Za-z0-9+/=]{8,}|(?<=SharedAccessKey=)[A-Za-z0-9+/=]{8,}"
)
_WITHOUT_AT = (_PRIVATE_KEY, _BEARER, _WEB_TOKEN, _OF_VENDORS)
_SECRETS = (_PRIVATE_KEY, _USER_INFO, _LOGIN, *_WITHOUT_AT[1:])
_MARKS = re.compile(
    r"://|@|PRIVATE KEY|eyJ|[bB](?:earer|EARER|asic|ASIC) |[aA]uthorization|AUTHORIZATION|[cC]ookie|gh[pousr]_|github_"
    r"|gl\w\w\w?-|xox|xapp-|AKIA|ASIA|AIza|ya29|hvs\.|hf_|npm_|pypi-|dckr_|k_live_|k_test_|SG\.|sk-|nvapi-|dapi|dop_v1|sha256~|AGE-SEC|ccessKey=|ccountKey="
    r"|client-key-data|clusters"
)
SHORTEST = 9
"""Fewer characters hold no secret that its form gives away: `a://b:c@d` is one."""

SHORTEST_TOLD = 5
"""Fewer characters hold no secret with its name: `pw=ab` is one."""

_OF_KUBECONFIG = ("clusters", "contexts", "users")

_NAME = re.compile(
    r"(?<![\w.-])(-{0,2}[\w.][\w.-]{0,120})"
    r"(\\{0,3}[\"']?[ \t]{0,3}(?::=|=>|%3[dD]|[=:](?![=~>]))[ \t]{0,3}(?:\\{1,3}[\"'])?)"
)
_FLAG = re.compile(r"(?<!\S)(--?[\w.][\w.-]{0,120})[ \t]{1,3}(?=[^\s=-])")
_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|(?:[^\s\"'&;,]|,(?![\w.-]{1,60}=))+", re.DOTALL)
_USER = re.compile(r"(?<!\S)((?:-u|--user|--proxy-user)[ =]{1,3}[\"']?[^\s:\"']{1,200}:)([^\s\"']+)")
_PASS = re.compile(
    r"(\bsshpass[ \t]{1,3}-p[ \t]{0,3}|\b(?:mysql|mariadb)[\w-]{0,10}\b[^\n|;&]{0,300}[ \t]-p"
    r"|\blogin\b[^\n|;&]{0,300}[ \t]-p[ \t=]{1,3}|\bredis-cli\b[^\n|;&]{0,300}[ \t]-a[ \t]{1,3}"
    r"|\bldap\w{1,12}\b[^\n|;&]{0,300}[ \t]-w[ \t]{0,3})([^\s-][^\s]*)"
)
_ESCAPED = re.compile(r"[^\\\"']+")
_GLUED = re.compile(r"(?=[\w$'\"])[^\s&;,]+")  # what a shell appends to a quoted value

_WORDED = (  # a name, what is between, and a secret, in forms without = or :
    re.compile(r"(?m)^([ \t]{0,20}(?:ENV|ARG)[ \t]{1,9})([\w.-]{1,120})([ \t]{1,9})([^\s=].*)"),
    re.compile(r"(<)([\w.:-]{1,120})((?:[ \t][^<>]{0,200})?>)([^<]{1,2000})(?=</)"),
    re.compile(r"(\blogin\s{1,9}\S{1,200}\s{1,9})(password)(\s{1,9})(\S+)"),
    re.compile(
        r"(?i)()(\b\w{0,40}(?:password|passwd|passphrase))([ \t](?:(?:is|was)[ \t])?[\"'])([^\"'\n]{1,500})(?=[\"'])"
    ),
    re.compile(r"(?i)()(\b\w{0,40}(?:password|passwd|passphrase))([ \t](?:is|was)[ \t:]{1,3})((?=\S{0,200}\d)\S{4,})"),
    re.compile(
        r"()(?<![\w.-])([\w.-]{1,120})([\"']?:[ \t]{0,9}[|>][-+\d]{0,2}[ \t]{0,9}\n)((?:[ \t]+\S[^\n]*(?:\n|\Z))+)"
    ),
)
_SECRET_KIND = re.compile(r"\bkind\\{0,3}[\"']?[ \t]{0,9}:\s{0,9}\\{0,3}[\"']?Secret(?:List)?\b")
_NO_VALUE = frozenset({"true", "false", "null", "none", "{", "[", "{}", "[]", "|", ">", "|-", ">-", "|+", ">+", ""})
_PROSE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S{8,}")
"""What after `token: ` is a secret rather than the next word of a sentence."""

_LONGEST_WORD = 300  # no sentence has a longer one
_COMMENT = re.compile(r"(?m)(?:^|(?<=[ \t]))#.*$")
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_REPEATED = re.compile(r"(?<= alias \*)[^\s;]+|(?<= anchor &)[^\s;]+|'[^']*'(?=, where its tag)")
"""What readers of YAML repeat of it: an unquoted `password: *abc` is an alias to them."""

LONGEST_KEPT = 256
"""Longer texts are judged anew each time: thousands of them, kept, would be all the memory that a snapshot has."""

_HIDDEN = "(hidden)"
_GZIP = b"\x1f\x8b"


def is_suspect(text: str) -> bool:
    """Whether a text is worth the functions below: all but a few are passed by, much faster than those would."""
    return _suspect(text) if len(text) <= LONGEST_KEPT else _suspect.__wrapped__(text)


@lru_cache(maxsize=4096)
def _suspect(text: str) -> bool:
    return len(text) >= SHORTEST and (text[0] in "{[" or _MARKS.search(text) is not None)


def is_kubeconfig(text: str) -> bool:
    """Whether a text looks like the credentials of a cluster."""
    return "client-key-data" in text or all(part in text for part in _OF_KUBECONFIG)


def hide_secrets(text: str, hide: Hide) -> str:
    """The text without what its form gives away: passwords in URLs, private keys, web tokens, vendors' tokens."""
    text = _AUTHORIZATION.sub(lambda found: found[1] + hide(found[2]), text)
    for pattern in _SECRETS if "@" in text else _WITHOUT_AT:
        text = pattern.sub(lambda found: hide(found[0]), text)
    return _QUERY.sub(lambda found: found[1] + hide(found[2]), text)


def hide_assigned(text: str, hide: Hide, *, prose: bool = False) -> str:
    """The text with values of telling names replaced: `--password=…`, `export API_KEY=…`, `token: …`.

    In `prose` a colon is often no more than punctuation.
    """
    for form in _WORDED:
        text = form.sub(lambda found: _worded(found, hide), text)
    if "=" in text or ":" in text or "%3" in text:
        text = _hide_after(_NAME, text, hide, prose=prose)
    if "-" in text and not prose:
        text = _hide_after(_FLAG, text, hide, prose=False)
        for pattern in (_USER, _PASS):
            text = pattern.sub(lambda found: found[1] + hide(found[2]), text)
    return text


def _worded(found: re.Match[str], hide: Hide) -> str:
    before, name, between, value = found.groups()
    if not smells(name) or not value.strip() or value.strip().startswith((MARK, "{", "[")):
        return found[0]
    kept = value[: len(value) - len(value.lstrip())], value[len(value.rstrip()) :]
    return f"{before}{name}{between}{kept[0]}{hide(value.strip())}{kept[1]}"


def holds_secret_object(text: str) -> bool:
    """Whether a text looks like an object of kind Secret, which nobody should see where it cannot be read."""
    return "Secret" in text and _SECRET_KIND.search(text) is not None


def _hide_after(pattern: re.Pattern[str], text: str, hide: Hide, *, prose: bool) -> str:
    parts: list[str] = []
    done = at = 0
    whole = pattern is _NAME and text.startswith("-")
    while found := pattern.search(text, at):
        at = found.end()
        name = found[1].lstrip("-")
        if not smells(name) or name.lower().endswith(_HEADERS):
            continue
        value = _value_at(text, at, whole=whole and found.start() == 0)
        if value is None or not is_secret(name, text[value[0] : value[1]]):
            continue
        start, end = value
        if prose and "=" not in found[2] and not _telling(found[1], text[start:end]):
            continue
        parts += text[done:start], hide(text[start:end])
        done = at = end
    return "".join(parts) + text[done:] if parts else text


def _value_at(text: str, at: int, *, whole: bool) -> tuple[int, int] | None:
    """Where a value begins and ends, its quotes not counted; `whole`: all that is left, as of one argument."""
    if whole:
        return (at, len(text)) if text[at:].lower() not in _NO_VALUE else None
    if text[at : at + 1] in ("{", "["):
        return None
    if text[at - 1 : at] in ("'", '"') and text[at - 2 : at - 1] == "\\":
        found = _ESCAPED.match(text, at)
        return found.span() if found else None
    found = _VALUE.match(text, at)
    if found is None or found[0].lower() in _NO_VALUE:
        return None
    start, end = found.span()
    if found[0][0] in "\"'":
        if text[at - 1] == "=" and len(found[0]) > 1 and (glued := _GLUED.match(text, end)):
            return start, glued.end()
        start, end = start + 1, end - (len(found[0]) > 1 and found[0][-1] == found[0][0])
    return (start, end) if start < end else None


def _telling(name: str, value: str) -> bool:
    long = len(value) > _LONGEST_WORD
    return long or name.lower().endswith(("password", "passwd", "passphrase")) or _PROSE.fullmatch(value) is not None


def hide_in_comments(text: str, hide: Hide) -> str:
    """The text of a YAML document with the secrets of its comments replaced."""
    return _COMMENT.sub(lambda found: hide_assigned(found[0], hide), text)


def hide_encoded(text: str, hide: Hide, holds_secret: Callable[[str], bool]) -> str:
    """The text without base64 in which something holds a secret, or is packed so that nobody can tell."""

    def judged(found: re.Match[str]) -> str:
        run = found[0]
        if run.startswith(MARK):
            return run
        decoded = _decoded(run)
        if decoded is None:
            return run
        return hide(run) if decoded == "" or holds_secret(decoded) else run

    return _RUN.sub(judged, text)


def _decoded(run: str) -> str | None:
    """The text in base64; an empty one for something packed, None where there is none."""
    try:
        content = base64.b64decode(
            run.rstrip("=") + "=" * (-len(run.rstrip("=")) % 4), altchars=b"-_" if set("-_") & set(run) else None
        )
        if content.startswith(_GZIP):
            return ""
        text = content.decode()
    except (binascii.Error, ValueError):
        return None
    return text if text.isprintable() or "\n" in text else None


def without_secrets(text: str) -> str:
    """A sentence for the terminal or a header, with what could be secret left out."""
    text = _REPEATED.sub(lambda found: _left_out(found[0]), text)
    return hide_assigned(hide_secrets(text, _left_out), _left_out, prose=True)


def _left_out(text: str) -> str:
    return text if text.startswith(MARK) else _HIDDEN
