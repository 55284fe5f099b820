"""Which kubeconfig files count, as kubectl decides it; nothing is read here."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from kueuelift.errors import RefusedError


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
