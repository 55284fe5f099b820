"""report.json: the same content for programs."""

from kueuelift.sealed import canonical_json
from kueuelift_transform import document
from kueuelift_transform.loss_ledger import summed_losses
from kueuelift_transform.report import Report
from kueuelift_transform.view import View


def _render(view: View) -> str:
    report = {
        "title": document.title(view),
        "snapshot": {"digest": view.captured.snapshot.digest, "whole": view.captured.snapshot.whole},
        "source": {"release": str(view.source.release or ""), "evidence": list(view.source.evidence)},
        "target": {"name": view.target_name, "release": str(view.release), "crds": view.crds.origin},
        "hops": [hop.to_dict() for hop in view.hops],
        "applicable": view.applicable,
        "counts": dict(view.ledger.counts),
        "phases": [phase.to_dict() for phase in view.phases],
        "steps": [step.to_dict() for step in view.steps],
        "window": document.window(view),
        "findings": [finding.to_dict() for finding in view.findings],
        "losses": [loss.to_dict() for loss in summed_losses(view.ledger.losses.entries())],
        "differences": [entry.to_dict() for entry in view.ledger.differences.entries()],
    }
    return canonical_json(report).decode()


REPORT = Report(file="report.json", title="The change, for programs", render=_render)
