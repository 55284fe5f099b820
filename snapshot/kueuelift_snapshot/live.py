"""A snapshot of the cluster that the operator's words name, as every command takes it."""

import time
from datetime import UTC, datetime
from pathlib import Path

from kueuelift.progress import for_terminal
from kueuelift_snapshot.cluster import open_cluster
from kueuelift_snapshot.collect import Captured, collect
from kueuelift_snapshot.discovery import ServedResource, custom_kinds
from kueuelift_snapshot.patience import PatientApi
from kueuelift_snapshot.scope import Scope


def take_live(
    out: Path,
    *,
    kubeconfig: Path | None,
    context: str | None,
    request_timeout: float,
    token_key: Path | None,
    scope: Scope,
) -> Captured:
    """Find the cluster, and read it into `out` with patience; `request_timeout` in seconds, 0 for no limit."""
    cluster = open_cluster(kubeconfig=kubeconfig, context=context, request_timeout=request_timeout or None)
    return collect(
        PatientApi(cluster, time.sleep),
        out,
        server=cluster.server,
        token_key=token_key,
        progress=for_terminal(),
        now=lambda: datetime.now(UTC),
        scope=scope,
    )


def served_kinds(*, kubeconfig: Path | None, context: str | None, request_timeout: float) -> list[ServedResource]:
    """The custom kinds of other groups than Kueue's that the cluster serves; words as above."""
    cluster = open_cluster(kubeconfig=kubeconfig, context=context, request_timeout=request_timeout or None)
    return custom_kinds(PatientApi(cluster, time.sleep))
