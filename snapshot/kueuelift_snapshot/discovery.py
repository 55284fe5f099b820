"""What an API server serves: asked group by group, when somebody wants to know."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import shaped_crd
from kueuelift_snapshot.api import AnswerError, Api
from kueuelift_snapshot.failure_text import refusal_of
from kueuelift_snapshot.pages import parsed, read_pages
from kueuelift_snapshot.resource import CRDS, Resource
from kueuelift_snapshot.served import versions_to_list

CRDS_A_PAGE = 50
"""A cluster may have hundreds of CRDs of some hundred kilobytes each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedResource(Resource):
    """A resource as discovery tells it."""

    kind: str
    namespaced: bool


@dataclass(kw_only=True, slots=True)
class Served:
    """The groups and resources of one server; each answer is asked for once."""

    api: Api
    _groups: dict[str, Any] | None = None
    _resources: dict[str, list[ServedResource]] = field(default_factory=dict)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The versions of each group but the core's, preferred first; AnswerError where the server does not tell."""
        if self._groups is None:
            listed = parsed(self.api.get("/apis"), "/apis")
            self._groups = {str(group["name"]): group for group in listed.get("groups") or []}
        return {name: _versions(group) for name, group in sorted(self._groups.items())}

    def of_group(self, group: str) -> list[ServedResource]:
        """What a group serves in its preferred version; AnswerError where the server does not tell."""
        if group not in self._resources:
            versions = self.groups().get(group, ()) if group else ("v1",)
            self._resources[group] = self._ask(group, versions[0]) if versions else []
        return self._resources[group]

    def find(self, group: str, plural: str) -> ServedResource | None:
        """A resource in its group's preferred version, None where it is not served; AnswerError as above."""
        return next((it for it in self.of_group(group) if it.plural == plural), None)

    def _ask(self, group: str, version: str) -> list[ServedResource]:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        try:
            listed = parsed(self.api.get(path), path)
        except AnswerError as error:
            if error.status == 404:
                return []
            raise
        return list(_listable(group, version, listed))


def _listable(group: str, version: str, listed: dict[str, Any]) -> Iterator[ServedResource]:
    for entry in listed.get("resources") or []:
        if "/" not in entry["name"] and "list" in (entry.get("verbs") or ()):
            yield ServedResource(
                group=group,
                version=version,
                plural=entry["name"],
                kind=entry["kind"],
                namespaced=bool(entry.get("namespaced")),
            )


def _versions(group: dict[str, Any]) -> tuple[str, ...]:
    preferred = (group.get("preferredVersion") or {}).get("version")
    named = [str(version["version"]) for version in group.get("versions") or []]
    return tuple(sorted(named, key=lambda version: version != preferred))


def all_crds(api: Api) -> Iterator[KubernetesObject]:
    """Every CRD, of whatever group, in its shape without schemas; RefusedError where they cannot be listed."""
    try:
        for page in read_pages(api, CRDS.path(), limit=CRDS_A_PAGE, tolerant=True, shape=shaped_crd):
            yield from page.items
    except AnswerError as error:
        raise refusal_of(CRDS, error) from None


def custom_kinds(api: Api) -> list[ServedResource]:
    """Every served kind of another group than Kueue's that a CRD defines; RefusedError as above."""
    return [kind for crd in all_crds(api) if crd["spec"].get("group") != GROUP and (kind := of_crd(crd))]


def of_crd(crd: KubernetesObject) -> ServedResource | None:
    """What a CRD defines, in the stored version where that is served; None where no version is."""
    spec = crd["spec"]
    versions = versions_to_list(crd)
    if not versions:
        return None
    return ServedResource(
        group=str(spec.get("group")),
        version=versions[0],
        plural=spec["names"]["plural"],
        kind=str(spec["names"].get("kind")),
        namespaced=spec.get("scope") == "Namespaced",
    )
