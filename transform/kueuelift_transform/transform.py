"""Transform, told top to bottom: a snapshot and a wanted release go in, a sealed plan comes out.

Nothing here reads a clock, a cluster or a network: the same snapshot, chart and words give the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kueuelift import yaml_comments
from kueuelift.crd import ServiceReference
from kueuelift.errors import UsageError
from kueuelift.kinds import KINDS
from kueuelift.model import KubernetesObject
from kueuelift.plan_dir import PlanWriter, writing_plan
from kueuelift.progress import Progress
from kueuelift.release_profile import Release, profile
from kueuelift.snapshot_dir import Snapshot
from kueuelift_transform.captured import Captured
from kueuelift_transform.charts import VALUES_PATH, Chart, chart_for, read_chart, render
from kueuelift_transform.crds import CrdSet, bridge_crd, bundled_crds, rendered_crds
from kueuelift_transform.gates import gates_set
from kueuelift_transform.hops import BRIDGE, alpha_kinds, check_served, check_target, plan_hops
from kueuelift_transform.inadmissible import Webhooks
from kueuelift_transform.installation import Installation, merged, without_tokens
from kueuelift_transform.manager_settings import manager_settings
from kueuelift_transform.objects import convert_objects
from kueuelift_transform.report import all_reports
from kueuelift_transform.rule import all_findings
from kueuelift_transform.source import find_source
from kueuelift_transform.target import Target, target_named
from kueuelift_transform.view import View


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What the operator asked for."""

    snapshot: Path
    out: Path
    release: str
    target: str
    charts: tuple[Path, ...] = ()
    fix: bool = False
    """Whether to mend what the target refuses, where the mending is certain."""
    helm: Path | None = None
    """Renders charts; None where helm is not there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """A sealed plan and what it was made of."""

    digest: str
    view: View


def transform(request: Request, progress: Progress) -> Outcome:
    """Make a plan; a refusal leaves nothing behind."""
    release = Release.parse(request.release)
    target = target_named(request.target)
    if target.needs_chart and not request.charts:
        raise UsageError(f"--target {target.id}: needs the chart of release {release}; give it with --chart FILE.tgz")

    captured = Captured(snapshot=Snapshot.open(request.snapshot))
    source = find_source(captured)
    check_target(release, source)
    progress.say(f"source: {source} ({source.evidence[0]})")

    chart = chart_for([read_chart(path) for path in request.charts], release)
    installation = target.installation(captured)
    settings = manager_settings(captured, installation, source=source.release, release=release, chart=chart)
    values = target.values(installation, release, settings)
    manifest = _rendered(chart, request, installation, values, captured, progress)
    crds = _crds(captured, release, installation, manifest, chart)
    check_served(source, captured.crds, crds.target)

    with writing_plan(request.out) as writer:
        webhooks = Webhooks(release, source.release, _gates(installation, release))
        ledger = convert_objects(
            captured, writer, crds=crds, release=release, webhooks=webhooks, fix=request.fix, progress=progress
        )
        view = View(
            captured=captured,
            source=source,
            target_name=target.id,
            release=release,
            hops=plan_hops(source, release, captured.crds),
            installation=installation,
            chart=chart,
            manifest=manifest,
            values=values,
            settings=settings,
            crds=crds,
            ledger=ledger,
        )
        view = _judged(view, target)
        digest = _write(view, writer)
    return Outcome(digest=digest, view=view)


def _rendered(
    chart: Chart | None,
    request: Request,
    installation: Installation,
    values: Mapping[str, Any],
    captured: Captured,
    progress: Progress,
) -> tuple[KubernetesObject, ...]:
    """The new manifest as helm will make it, as far as hidden values let it be known; empty without helm."""
    if chart is None or request.helm is None:
        progress.say(
            "helm is not on PATH: CRDs are the bundled ones, images.txt and rbac.yaml lack what the chart says"
        )
        return ()
    return render(
        chart,
        helm=request.helm,
        release=installation.release,
        namespace=installation.namespace,
        values=merged(without_tokens(installation.values), values),
        kube_version=captured.server_version,
    )


def _gates(installation: Installation, release: Release) -> dict[str, bool]:
    """The feature gates that the installation sets; where one is set twice, the manager does not start anyway."""
    return {setting.name: setting.enabled for setting in gates_set(installation, profile(str(release)).chart)}


def _crds(
    captured: Captured,
    release: Release,
    installation: Installation,
    manifest: tuple[KubernetesObject, ...],
    chart: Chart | None,
) -> CrdSet:
    """The target's CRDs, the chart's own before the bundled ones, and a bridge for each kind stored at v1alpha1."""
    origin = f"chart {chart.path.name}" if chart else ""
    target = rendered_crds(manifest, origin)
    if not target:
        name = installation.named(profile(str(release)).chart, "webhook_service")
        target = bundled_crds(release, ServiceReference(namespace=installation.namespace, name=name))
        origin = f"bundled schemas of release {release.line}"
    bridge = {plural: bridge_crd(captured.crds[plural], target[plural]) for plural in alpha_kinds(captured.crds)}
    return CrdSet(target=target, origin=origin, bridge=bridge)


def _judged(view: View, target: Target) -> View:
    """The view with its steps, then with the findings, which may name steps."""
    phases, steps = target.steps(view)
    view = replace(view, phases=phases, steps=steps)
    return replace(view, findings=all_findings(view))


def _write(view: View, writer: PlanWriter) -> str:
    """Put everything but the objects, which are there already, into the plan and seal it."""
    for plural, crd in view.crds.bridge.items():
        writer.add_crd(BRIDGE, plural, crd)
    for plural, crd in view.crds.target.items():
        writer.add_crd(str(view.release), plural, crd)
    if view.chart and view.steps_of("helm"):
        view.ledger.losses.add(view.settings.losses)
        writer.add_text(view.chart.plan_path, view.chart.content)
        writer.add_text(VALUES_PATH, yaml_comments.plain(view.values))
    writer.add_findings(list(view.findings))
    writer.add_losses(view.ledger.losses.entries())
    for report in all_reports():
        writer.add_text(report.file, report.render(view))
    return writer.seal(_header(view), list(view.phases), list(view.steps))


def _header(view: View) -> dict[str, Any]:
    snapshot = view.captured.snapshot
    return {
        "tool": f"kueuelift {version('kueuelift')}",
        "snapshot": {"digest": snapshot.digest, "complete": bool(snapshot.header["complete"])},
        "cluster": dict(snapshot.header["cluster"]),
        "source": {"release": str(view.source.release or ""), "evidence": list(view.source.evidence)},
        "target": {"name": view.target_name, "release": str(view.release)},
        "hops": [hop.to_dict() for hop in view.hops],
        "settings": {"crds": view.crds.origin},
        "applicable": view.applicable,
        "counts": {kind.plural: view.ledger.counts[kind.plural] for kind in KINDS},
    }
