"""Replacing a CRD's `.spec` under its resourceVersion, without losing what the live one carries for its conversion.

Never by server-side apply, which merges conversion stanzas of different shapes into an invalid one.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from kueuelift import crd as crds
from kueuelift.errors import PartlyDoneError, RefusedError
from kueuelift.kinds import BY_PLURAL, Kind
from kueuelift.model import KubernetesObject
from kueuelift_apply.live import CRDS, ApiError, Live, crd_path

CA_INJECTION = (
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
)


def covers(live: Any, wanted: Any) -> bool:
    """Whether everything wanted stands in the live value; what the server added on top does not count."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(key in live and covers(live[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(live, list)
            and len(live) == len(wanted)
            and all(covers(mine, theirs) for mine, theirs in zip(live, wanted, strict=True))
        )
    return bool(live == wanted)


def is_in_place(live: KubernetesObject | None, wanted: KubernetesObject) -> bool:
    """Whether a live CRD has the wanted spec and the API server has accepted it."""
    return live is not None and covers(live["spec"], wanted["spec"]) and is_established(live)


def is_established(live: KubernetesObject) -> bool:
    """Whether the API server serves the CRD."""
    conditions = (live.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)


def refuse_unreadable(live: Mapping[str, KubernetesObject | None], wanted: Mapping[str, KubernetesObject]) -> None:
    """Before the first write: no CRD may drop a version in which objects are still stored."""
    for plural, crd in sorted(wanted.items()):
        current = live.get(plural)
        missing = sorted(set(crds.stored_versions(current)) - set(crds.versions(crd))) if current else []
        if missing:
            raise RefusedError(
                f"CustomResourceDefinition {crd['metadata']['name']}: status.storedVersions has {', '.join(missing)}, "
                f"which the new definition does not list ({', '.join(crds.versions(crd))}); "
                "nothing was changed, run the phases before this one first"
            )


def replace(live: Live, wanted: KubernetesObject, owner: Mapping[str, str] | None) -> str:
    """Bring one CRD to the wanted spec; returns `created`, `replaced` or `unchanged`."""
    kind = BY_PLURAL[crds.plural(wanted)]
    for _ in range(10):
        current = live.get(crd_path(kind))
        try:
            if current is None:
                live.create(CRDS, _owned(_clean(wanted), owner))
                return "created"
            renewed = _owned(_renewed(current, wanted, _ca_bundle(live, current, wanted)), owner)
            if renewed == current:
                return "unchanged"
            live.put(crd_path(kind), renewed)
        except ApiError as error:
            if error.status != 409:
                raise
        else:
            return "replaced"
    raise PartlyDoneError(
        f"CustomResourceDefinition {kind.crd_name}: another writer came between ten times; see who, then run again"
    )


def update(live: Live, kind: Kind, change: Any, subresource: str = "") -> KubernetesObject:
    """Read, change and put back one existing CRD until no other writer comes between."""
    for _ in range(10):
        current = live.get(crd_path(kind))
        if current is None:
            raise RefusedError(
                f"CustomResourceDefinition {kind.crd_name}: not found; see what removed it before going on"
            )
        changed = change(deepcopy(current))
        if changed == current:
            return current
        try:
            return live.put(crd_path(kind) + subresource, changed)
        except ApiError as error:
            if error.status != 409:
                raise
    raise PartlyDoneError(
        f"CustomResourceDefinition {kind.crd_name}: another writer came between ten times; see who, then run again"
    )


def _clean(wanted: KubernetesObject) -> KubernetesObject:
    return {key: deepcopy(value) for key, value in wanted.items() if key != "status"}


def _renewed(current: KubernetesObject, wanted: KubernetesObject, ca_bundle: str | None) -> KubernetesObject:
    """The live CRD with the wanted spec, labels and annotations; its own CA bundle and injection marks stay."""
    renewed = deepcopy(current)
    if not covers(current["spec"], wanted["spec"]):
        renewed["spec"] = deepcopy(wanted["spec"])
    client_config = ((renewed["spec"].get("conversion") or {}).get("webhook") or {}).get("clientConfig")
    if client_config is not None and ca_bundle:
        client_config["caBundle"] = ca_bundle
    for field in ("labels", "annotations"):
        added = {
            key: value
            for key, value in (wanted["metadata"].get(field) or {}).items()
            if key not in CA_INJECTION or key not in (current["metadata"].get(field) or {})
        }
        if added:
            renewed["metadata"][field] = {**(current["metadata"].get(field) or {}), **added}
    return renewed


def _ca_bundle(live: Live, current: KubernetesObject, wanted: KubernetesObject) -> str | None:
    """The live CA bundle; after a bridge the CRD has none, and another one of the same service lends its own."""
    service = _service(wanted)
    if service is None:
        return None
    own = _bundle_of(current)
    if own:
        return own
    others = (live.get(crd_path(kind)) for kind in BY_PLURAL.values())
    return next(
        (bundle for other in others if other and _service(other) == service and (bundle := _bundle_of(other))), None
    )


def _client_config(crd: KubernetesObject) -> dict[str, Any]:
    return ((crd["spec"].get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}


def _service(crd: KubernetesObject) -> tuple[str, str] | None:
    service = _client_config(crd).get("service")
    return (service["namespace"], service["name"]) if service else None


def _bundle_of(crd: KubernetesObject) -> str | None:
    bundle = _client_config(crd).get("caBundle")
    return bundle if bundle and bundle != "Cg==" else None


def _owned(crd: KubernetesObject, owner: Mapping[str, str] | None) -> KubernetesObject:
    """Marked as part of a Helm release where it belongs to none, so that helm takes it over instead of failing."""
    annotations = crd["metadata"].get("annotations") or {}
    if owner is None or annotations.get("meta.helm.sh/release-name"):
        return crd
    crd["metadata"]["annotations"] = {
        **annotations,
        "meta.helm.sh/release-name": owner["name"],
        "meta.helm.sh/release-namespace": owner["namespace"],
    }
    crd["metadata"]["labels"] = {**(crd["metadata"].get("labels") or {}), "app.kubernetes.io/managed-by": "Helm"}
    return crd
