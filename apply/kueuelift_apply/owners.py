"""Whether the owner of a Workload still exists: a Workload whose job is gone has ended, not been lost."""

from collections.abc import Mapping, Sequence

from kueuelift_apply.live import ApiError, Live


class Owners:
    """Asks the API server for owners of any kind, and remembers how each kind is reached."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._resources: dict[str, Mapping[str, str]] = {}

    def gone(self, namespace: str, owners: Sequence[Mapping[str, str]]) -> bool:
        """Whether there were owners and none of them is left with its uid."""
        return bool(owners) and not any(self._exists(namespace, owner) for owner in owners)

    def _exists(self, namespace: str, owner: Mapping[str, str]) -> bool:
        place = self._places(owner["apiVersion"]).get(owner["kind"])
        if place is None:
            return False
        try:
            found = self._live.get(f"{place.format(namespace=namespace)}/{owner['name']}")
        except ApiError as error:
            if error.status == 403:
                return True
            raise
        return found is not None and found["metadata"]["uid"] == owner["uid"]

    def _places(self, api_version: str) -> Mapping[str, str]:
        """Kind -> path of its objects, with `{namespace}` where it has one; by discovery."""
        if api_version not in self._resources:
            answer = self._live.get(_prefix(api_version)) or {}
            self._resources[api_version] = {
                resource["kind"]: _prefix(api_version)
                + ("/namespaces/{namespace}/" if resource["namespaced"] else "/")
                + resource["name"]
                for resource in answer.get("resources") or []
                if "/" not in resource["name"]
            }
        return self._resources[api_version]


def _prefix(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
