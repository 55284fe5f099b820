"""The snapshot, told from top to bottom: identify the cluster; take Kueue's objects and what surrounds them; seal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_PLURAL, GROUP, KINDS
from kueuelift.model import Failure, is_complete
from kueuelift.progress import Progress
from kueuelift.redaction import TokenKey
from kueuelift.secret_text import hide_secrets
from kueuelift.snapshot_dir import writing_snapshot
from kueuelift_snapshot.api import AnswerError, Api, Meter
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.dependents import capture_dependents
from kueuelift_snapshot.failure_text import refusal_of
from kueuelift_snapshot.gitops import capture_gitops
from kueuelift_snapshot.helm_capture import capture_releases
from kueuelift_snapshot.installation import capture_installation
from kueuelift_snapshot.listing import Listing
from kueuelift_snapshot.namespaces import in_words, untold
from kueuelift_snapshot.ownership import Ownership
from kueuelift_snapshot.pages import parsed
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.resource import NAMESPACE, VERSION, Readable
from kueuelift_snapshot.rights import rules, telling_all, whole_role
from kueuelift_snapshot.running import WorkloadOwners, capture_running
from kueuelift_snapshot.scope import Scope
from kueuelift_snapshot.surroundings import capture_surroundings

EVERYTHING = Scope()


@dataclass(frozen=True, kw_only=True, slots=True)
class Captured:
    """What a sealed snapshot holds, to be told."""

    path: Path
    digest: str
    cluster: Mapping[str, str]
    """uid and version."""
    installed: bool
    lists: Mapping[str, Listing]
    """By plural, in the order of the kinds."""
    unknown_crds: tuple[str, ...]
    """CRDs of the group whose objects this version does not read."""
    helm_records: tuple[HelmRecord, ...]
    """Without their content."""
    parts: Mapping[str, int]
    """By folder and resource: how many objects surround Kueue."""
    failures: tuple[Failure, ...]
    unseen: tuple[str, ...]
    """Resources that a snapshot can do without and that the server lists for nobody."""
    tokens: int
    narrowed: tuple[str, ...] = ()
    """Options that make it fit to look at, not to apply."""
    whole_role: str = ""
    """Says what prints the role with all rights, in the words of a sentence."""
    unchecked: tuple[str, ...] = ()
    """Namespaces that were asked for and perhaps are none."""
    inconsistent: tuple[str, ...] = ()
    """Lists that went on at a later moment than they began."""

    @property
    def complete(self) -> bool:
        """Whether nothing is missing that has to do with Kueue."""
        return is_complete(self.failures)


def collect(
    api: Api,
    out: Path,
    *,
    server: str,
    token_key: Path | None,
    progress: Progress,
    now: Callable[[], datetime],
    scope: Scope = EVERYTHING,
) -> Captured:
    """Read a cluster into a new sealed directory; what could not be read is in it as a failure.

    Without a file for the `token_key` nobody can compare the tokens with those of another snapshot.
    """
    began = now()
    meter = Meter(api)
    with writing_snapshot(out) as writer, telling_all(meter, scope):
        cluster = identify(meter)
        unchecked = [] if scope.again else untold(meter, scope.namespaces)
        if unchecked:
            progress.say(f"--namespaces {in_words(unchecked)}")
        key = TokenKey.at(token_key) if token_key else TokenKey.throwaway()
        capture = Capture(api=meter, writer=writer, redactor=Redactor(key), progress=progress, scope=scope)
        owners, job_owners = Ownership(), WorkloadOwners()
        capture.observers = [owners.see, job_owners.see]
        crds = capture.crds()
        for kind in KINDS:
            if kind.plural in crds and scope.takes(kind):
                capture.objects(kind, crds[kind.plural])
        helm_records, releases = capture_releases(capture)
        installation = capture_installation(capture, crds)
        capture_surroundings(capture, installation.namespaces)
        for unread in releases.failures(
            lambda namespace, name: namespace in installation.namespaces or owners.names_release(name)
        ):
            capture.fail(unread)
        capture_gitops(capture, owners, helm_records)
        capture.observers = []
        if scope.dependents:
            capture_dependents(capture)
        if scope.running:
            capture_running(capture, job_owners, installation.frameworks)
        volatile = {
            "server": hide_secrets(server, key.token),
            "takenAt": began.isoformat(timespec="seconds"),
            "seconds": round((now() - began).total_seconds(), 1),
            "lists": {place: reading.to_dict() for place, reading in capture.readings.items()},
            "requests": meter.requests,
            "bytes": meter.received,
        }
        digest = writer.seal(_header(capture, cluster, key), volatile)
    return Captured(
        path=out,
        digest=digest,
        cluster=cluster,
        installed=bool(crds),
        lists=capture.lists,
        unknown_crds=tuple(f"{plural}.{GROUP}" for plural in sorted(crds.keys() - BY_PLURAL.keys())),
        helm_records=tuple(helm_records),
        parts=capture.parts,
        failures=tuple(capture.failures),
        unseen=tuple(sorted(capture.unseen)),
        narrowed=tuple(scope.narrowed),
        whole_role=whole_role(scope),
        unchecked=tuple(unchecked),
        inconsistent=tuple(place for place, reading in capture.readings.items() if not reading.consistent),
        tokens=sum(sum(account.to_dict().values()) for account in capture.hidden.values()),
    )


def identify(api: Api) -> dict[str, str]:
    """The cluster's uid and version; RefusedError where it may not be asked for them."""
    return {
        "uid": _required(api, f"{NAMESPACE.path()}/kube-system", NAMESPACE, "metadata", "uid"),
        "version": _required(api, VERSION.name, VERSION, "gitVersion"),
    }


def _required(api: Api, path: str, what: Readable, *fields: str) -> str:
    """One text of an answer; RefusedError where there is none."""
    try:
        return _text_in(parsed(api.get(path), path), path, fields)
    except AnswerError as error:
        raise refusal_of(what, error) from None


def _text_in(found: Any, path: str, fields: Sequence[str]) -> str:
    for field in fields:
        found = found.get(field) if isinstance(found, dict) else None
    if not isinstance(found, str):
        raise AnswerError(path, status=200, message=f"no {'.'.join(fields)} in the answer")
    return found


def _header(capture: Capture, cluster: Mapping[str, str], key: TokenKey) -> dict[str, Any]:
    return {
        "tool": f"kueuelift {version('kueuelift')}",
        "origin": "cluster",
        "cluster": cluster,
        "lists": {plural: listing.to_dict() for plural, listing in capture.lists.items()},
        "parts": capture.parts,
        "failures": [failure.to_dict() for failure in capture.failures],
        "unseen": sorted(capture.unseen),
        "redaction": {"mode": "token", "keyId": key.identity, "paths": _paths(capture)},
        "narrowed": capture.scope.narrowed,
        "without": capture.scope.without,
        "rights": rules(capture.scope, capture.custom),
        "complete": is_complete(capture.failures),
    }


def _paths(capture: Capture) -> dict[str, dict[str, int]]:
    return {path: account.to_dict() for path, account in sorted(capture.hidden.items())}
