"""In which versions a kind is to be listed: the stored one first, so that the server converts nothing."""

import re

from kueuelift import crd as custom_resource
from kueuelift.model import KubernetesObject

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


def versions_to_list(crd: KubernetesObject, preferred: str = "") -> list[str]:
    """The storage version where it is served, then the other served ones, newest first; none where none is served.

    A `preferred` version comes before all others where it is served.
    """
    served = sorted(custom_resource.served_versions(crd), key=_age, reverse=True)
    stored = custom_resource.storage_version(crd)
    return sorted(served, key=lambda version: (version != preferred, version != stored))


def _age(version: str) -> tuple[int, int, int]:
    """Sorts as Kubernetes prefers versions: v1, v1beta2, v1beta1, v1alpha1, and what is no version last."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (-1, 0, 0)
    major, label, number = found.groups()
    return ({None: 2, "beta": 1, "alpha": 0}[label], int(major), int(number or 0))
