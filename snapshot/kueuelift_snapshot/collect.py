"""The snapshot, told from top to bottom: identify the cluster, take its CRDs, every kind, Helm's records; seal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import BY_PLURAL, GROUP, KINDS
from kueuelift.model import Failure, KubernetesObject
from kueuelift.progress import Progress
from kueuelift.redaction import TokenKey
from kueuelift.snapshot_dir import writing_snapshot
from kueuelift_snapshot.api import AnswerError, Api
from kueuelift_snapshot.capture import Capture, Listing
from kueuelift_snapshot.failure_text import NAMESPACES, refusal_of
from kueuelift_snapshot.pages import parsed
from kueuelift_snapshot.redaction import Redactor
from kueuelift_snapshot.secret_text import hide_secrets


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
    failures: tuple[Failure, ...]
    tokens: int

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.failures


def collect(
    api: Api, out: Path, *, server: str, token_key: Path, progress: Progress, now: Callable[[], datetime]
) -> Captured:
    """Read a cluster into a new sealed directory; what could not be read is in it as a failure."""
    began = now()
    with writing_snapshot(out) as writer:
        cluster = identify(api)
        key = TokenKey.at(token_key)
        capture = Capture(api=api, writer=writer, redactor=Redactor(key), progress=progress)
        crds = capture.crds()
        for kind in KINDS:
            if kind.plural in crds:
                capture.objects(kind, crds[kind.plural])
        capture.helm_releases()
        digest = writer.seal(
            _header(capture, cluster, key), _volatile(capture, hide_secrets(server, key.token), began, now())
        )
    return Captured(
        path=out,
        digest=digest,
        cluster=cluster,
        installed=bool(crds),
        lists=capture.lists,
        unknown_crds=tuple(f"{plural}.{GROUP}" for plural in sorted(crds.keys() - BY_PLURAL.keys())),
        helm_records=tuple(capture.helm_records),
        failures=tuple(capture.failures),
        tokens=sum(capture.tokens.values()),
    )


def identify(api: Api) -> dict[str, str]:
    """The cluster's uid and version; RefusedError where it may not be asked for them."""
    return {
        "uid": str(_required(api, "/api/v1/namespaces/kube-system")["metadata"]["uid"]),
        "version": str(_required(api, "/version")["gitVersion"]),
    }


def _required(api: Api, path: str) -> KubernetesObject:
    try:
        return parsed(api.get(path), path)
    except AnswerError as error:
        raise refusal_of(NAMESPACES, error) from None


def _header(capture: Capture, cluster: Mapping[str, str], key: TokenKey) -> dict[str, Any]:
    return {
        "tool": f"kueuelift {version('kueuelift')}",
        "origin": "cluster",
        "cluster": cluster,
        "lists": {plural: {"version": it.version, "count": it.count} for plural, it in capture.lists.items()},
        "failures": [failure.to_dict() for failure in capture.failures],
        "redaction": {"mode": "token", "keyId": key.identity, "paths": capture.tokens},
        "narrowed": [],
        "complete": not capture.failures,
    }


def _volatile(capture: Capture, server: str, began: datetime, ended: datetime) -> dict[str, Any]:
    return {
        "server": server,
        "takenAt": began.isoformat(timespec="seconds"),
        "seconds": round((ended - began).total_seconds(), 1),
        "lists": {plural: listing.told for plural, listing in capture.lists.items()},
    }
