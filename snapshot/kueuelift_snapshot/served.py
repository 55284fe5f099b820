"""Which version of a kind to list: the stored one, so that the server converts nothing."""

import re

from kueuelift import crd as custom_resource
from kueuelift.model import KubernetesObject

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


def version_to_list(crd: KubernetesObject) -> str | None:
    """The storage version where it is served, else the newest served one; None where none is served."""
    served = custom_resource.served_versions(crd)
    stored = custom_resource.storage_version(crd)
    return stored if stored in served else max(served, key=_age, default=None)


def _age(version: str) -> tuple[int, int, int]:
    """Sorts as Kubernetes prefers versions: v1, v1beta2, v1beta1, v1alpha1, and what is no version last."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (-1, 0, 0)
    major, label, number = found.groups()
    return ({None: 2, "beta": 1, "alpha": 0}[label], int(major), int(number or 0))
