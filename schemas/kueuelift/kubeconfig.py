"""Which kubeconfig files count, as kubectl decides it, and what their credential plugins may say; nothing is read."""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from kueuelift.errors import RefusedError, printable
from kueuelift.secret_text import without_secrets


def kubeconfig_files(given: Path | None, environment: Mapping[str, str]) -> Sequence[Path]:
    """The files to merge; none where the pod's own credentials are to be used; RefusedError where there is nothing."""
    if given is not None:
        if not given.is_file():
            raise RefusedError(f"{given}: no such kubeconfig; name another with --kubeconfig")
        return [given]
    named = [Path(part) for part in environment.get("KUBECONFIG", "").split(os.pathsep) if part]
    places = named or [Path("~/.kube/config").expanduser()]
    found = [place for place in places if place.is_file()]
    if found or environment.get("KUBERNETES_SERVICE_HOST"):
        return found
    looked = f"{' and '.join(map(str, places))} ({'KUBECONFIG' if named else 'the default place'})"
    raise RefusedError(
        f"no kubeconfig found: looked at {looked}, and this is no pod with a service account; give --kubeconfig"
    )


class _WithoutSecrets(logging.Filter):
    """Leaves out of a record what could be secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(without_secrets(record.getMessage())), None
        record.exc_info = record.exc_text = None
        return True


_FILTER = _WithoutSecrets()


def log_without_secrets() -> None:
    """From now on the Kubernetes client's log, which repeats what credential plugins print, holds no secrets.

    The client logs to the root logger, at the start and whenever a token is refreshed.
    """
    logging.getLogger().addFilter(_FILTER)
