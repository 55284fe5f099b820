"""Target helm: Kueue is a Helm release of its own chart, and `helm upgrade` changes it."""

from collections.abc import Mapping
from typing import Any

from kueuelift.errors import RefusedError
from kueuelift.helm_payload import CONFIG_MAPS, SECRET_TYPE
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import KINDS
from kueuelift.model import Phase, Step, Undo
from kueuelift.release_profile import Release, profile
from kueuelift_transform import steps
from kueuelift_transform.captured import Captured, manager_deployments
from kueuelift_transform.charts import VALUES_PATH
from kueuelift_transform.hops import BRIDGE
from kueuelift_transform.installation import Installation, merged, value_at
from kueuelift_transform.manager_settings import ManagerSettings
from kueuelift_transform.target import Detection, Target
from kueuelift_transform.view import View

_DEFAULT_RELEASE, _DEFAULT_NAMESPACE = "kueue", "kueue-system"


def _detect(captured: Captured) -> Detection:
    names = [record.full_name for record in captured.kueue_records]
    if names:
        return Detection(found=True, why=f"Helm release {' and '.join(names)} of chart kueue is deployed")
    others = sorted({f"{record.namespace}/{record.release} ({record.chart_name})" for record in captured.helm_records})
    return Detection(
        found=False, why=f"no deployed Helm release of a chart named kueue, only {', '.join(others) or 'none at all'}"
    )


def _installation(captured: Captured) -> Installation:
    records = captured.kueue_records
    if len(records) > 1:
        raise RefusedError(
            f"--target helm: {_detect(captured).why}, where one release owns the CRDs; uninstall none of them, "
            "move what is not needed out of the way by hand and take a new snapshot"
        )
    if records:
        record = records[0]
        if hindrance := _hindrance(record):
            raise RefusedError(f"--target helm: Helm release {record.full_name}: {hindrance}")
        return Installation(release=record.release, namespace=record.namespace, values=record.values, record=record)
    if captured.installed and not captured.from_files:
        raise RefusedError(
            f"--target helm: the snapshot has Kueue, but {_detect(captured).why}; name the target that owns it"
        )
    return Installation(release=_DEFAULT_RELEASE, namespace=_DEFAULT_NAMESPACE, values={})


def _hindrance(record: HelmRecord) -> str:
    """Why a plan's helm would not find a release where it is kept, and what to do; empty where it would."""
    if record.storage_namespace != record.namespace:
        return (
            f"helm looks for it in {record.namespace} alone and would install it a second time; name the target that "
            "owns it, probably flux"
        )
    if record.driver == CONFIG_MAPS:
        return (
            f"a plan has helm look for it in Secrets alone; move its records into Secrets of type {SECRET_TYPE} (same "
            "names, labels and text, as stringData), remove the ConfigMaps and take a new snapshot"
        )
    return ""


def _values(installation: Installation, release: Release, settings: ManagerSettings) -> Mapping[str, Any]:
    """The manager's settings, and the image tag where the user pinned the old one, which would run the old manager."""
    path = profile(str(release)).chart.values["image_tag"]
    pinned = value_at(installation.values, path)
    tag = _nested(path, f"v{release}") if pinned and pinned != f"v{release}" else {}
    return merged(settings.values, tag)


def _steps(view: View) -> tuple[tuple[Phase, ...], tuple[Step, ...]]:
    bridge = steps.bridging(view)
    stop = _stopping(view) if bridge else []
    install = [] if _is_there(view) else _installing(view, keep=not bridge)
    return steps.numbered(
        [
            *steps.preparing(list(view.captured.snapshot.header["without"])),
            *stop,
            *bridge,
            *install,
            *steps.migrating(view),
            *steps.verifying(),
        ]
    )


def _is_there(view: View) -> bool:
    """Whether the release to install runs already, on CRDs that serve and store what its own do."""
    live, wanted = view.captured.crds, view.crds.target
    return view.source.release == view.release and all(
        plural in live and _shape(live[plural]) == _shape(wanted[plural]) for plural in wanted
    )


def _shape(crd: Mapping[str, Any]) -> list[tuple[str, bool, bool]]:
    return sorted((version["name"], version["served"], version["storage"]) for version in crd["spec"]["versions"])


def _stopping(view: View) -> list[Step]:
    installation = view.installation
    managers = installation.managers(view.profile.chart)
    if not managers and view.captured.from_files:
        # Such a plan is read and never applied: what the chart calls its manager stands for the one that is not known.
        name = installation.named(view.profile.chart, "deployment")
        managers = [{"namespace": installation.namespace, "name": name}]
    if not managers:
        raise RefusedError(
            f"Helm release {installation.namespace}/{installation.release}: its manifest has no Deployment of a Kueue "
            "manager, which has to stand still while v1alpha1 is bridged; name the target that owns the manager"
        )
    revision = installation.record.revision if installation.record else 0
    back = f"until the bridge: helm rollback {installation.release} {revision} -n {installation.namespace}"
    keep = [_keep_crds(steps.STOP)] if installation.holds_crds else []
    hooks = installation.hooks()
    disarm = [
        steps.step(
            "disarm",
            steps.STOP,
            "Remove the old release's webhook configurations and APIServices, which would block Jobs and discovery",
            Undo(possible=True, how=f"{back} puts them back"),
            {"objects": hooks},
        )
    ]
    names = ", ".join(f"{manager['namespace']}/{manager['name']}" for manager in managers)
    hold = steps.step(
        "hold",
        steps.STOP,
        f"Scale the Kueue manager {names} to zero; running jobs go on",
        Undo(possible=True, how="until the bridge: scale it back to the replicas that the journal notes"),
        {"deployments": managers},
    )
    return [hold, *keep, *(disarm if hooks else [])]


def _installing(view: View, *, keep: bool) -> list[Step]:
    chart, installation = view.chart, view.installation
    if chart is None:
        raise RefusedError(f"--target helm: no chart of release {view.release}; give it with --chart")
    kept = [_keep_crds(steps.INSTALL)] if keep and installation.holds_crds and not _renders_crds(view) else []
    arguments = {
        "release": installation.release,
        "namespace": installation.namespace,
        "chart": chart.plan_path,
        "chartName": chart.name,
        "chartVersion": chart.version,
        "values": VALUES_PATH,
    }
    verb = "Upgrade" if installation.record else "Install"
    title = (
        f"{verb} Helm release {installation.namespace}/{installation.release} with chart {chart.name} {chart.version}"
    )
    helm = steps.step("helm", steps.INSTALL, title, _undo_of_helm(view), arguments)
    return [steps.replacing(view), *kept, helm, steps.awaiting(_new_manager(view), view.crds.hooked)]


def _undo_of_helm(view: View) -> Undo:
    installation, record = view.installation, view.installation.record
    if record is None:
        command = f"helm uninstall {installation.release} -n {installation.namespace}"
        return Undo(possible=True, how=f"{command}, which also deletes the CRDs and every object made in them since")
    stored_old = any(hop.name == BRIDGE for hop in view.hops) or bool(steps.migrating(view))
    if stored_old:
        how = "not by helm rollback, which ends half applied across this change of CRDs; the way is forward"
        return Undo(possible=False, how=how)
    return Undo(
        possible=True, how=f"helm rollback {installation.release} {record.revision} -n {installation.namespace}"
    )


def _keep_crds(phase: Phase) -> Step:
    return steps.step(
        "keep-crds",
        phase,
        "Mark the live CRDs as kept, so that helm deletes none of them, nor the objects in them",
        Undo(
            possible=True,
            how="remove the annotation helm.sh/resource-policy from the CRDs; it does no harm to leave it",
        ),
        {"kinds": [kind.plural for kind in KINDS]},
    )


def _renders_crds(view: View) -> bool:
    return any(obj["kind"] == "CustomResourceDefinition" for obj in view.manifest)


def _new_manager(view: View) -> dict[str, str]:
    """The Deployment that the new chart makes; the profile's name for it where the chart could not be rendered."""
    name = view.installation.named(view.profile.chart, "deployment")
    found = manager_deployments(view.manifest, name)
    if view.manifest and len(found) != 1:
        raise RefusedError(
            f"chart of {view.release}: {len(found)} Deployments of a manager found, one wanted; give Kueue's own chart"
        )
    metadata = found[0]["metadata"] if found else {"name": name}
    return {"namespace": metadata.get("namespace") or view.installation.namespace, "name": metadata["name"]}


def _nested(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    nested: dict[str, Any] = value
    return nested


TARGET = Target(
    id="helm",
    title="Helm release of Kueue's own chart",
    needs_chart=True,
    detect=_detect,
    installation=_installation,
    values=_values,
    steps=_steps,
)
