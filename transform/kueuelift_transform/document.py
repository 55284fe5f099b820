"""The change's document, before it is Markdown or HTML: sections of paragraphs, lists and tables, all plain text."""

from collections.abc import Sequence
from dataclasses import dataclass

from kueuelift.kinds import KINDS
from kueuelift.model import Finding, State
from kueuelift_transform.loss_ledger import SummedLoss, summed_losses
from kueuelift_transform.view import View

_NAMES = 5


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list of points."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = Paragraph | Items | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: Sequence[Block]


def title(view: View) -> str:
    """The document's title."""
    return f"Kueue: {view.source} to {view.release}, target {view.target_name}"


def sections(view: View) -> list[Section]:
    """The whole document, in the order in which a reviewer asks."""
    return [
        Section("The change", _change(view)),
        Section("What happens", _what_happens(view)),
        Section("Time without Kueue", _window(view)),
        Section("Findings", _findings(view)),
        Section("Losses", _losses(view)),
        Section("Differences", _differences(view)),
        Section("Undo", _undo(view)),
        Section("Files of this plan", [Items(_FILES)]),
    ]


def window(view: View) -> str:
    """From which step to which no Kueue runs, or that one always does."""
    begin, end = view.first_step("hold"), view.first_step("await")
    if begin and end:
        return (
            f"No Kueue manager runs from step {begin} until step {end} is done. Running jobs go on and nothing is "
            "admitted. Without Kueue's webhooks a new Job is not suspended and starts outside its queue, so keep "
            "queue-labelled objects out of that time."
        )
    if view.first_step("helm") and view.captured.installed:
        return f"The old manager runs until step {view.first_step('helm')} replaces it by the new one."
    return "No running manager is stopped."


def _change(view: View) -> list[Block]:
    header = view.captured.snapshot.header
    state = "ready to be applied" if view.applicable else "NOT applicable, see the findings"
    hops = ", ".join(f"{hop.name} ({hop.evidence})" for hop in view.hops)
    rows = [
        ("cluster", header["cluster"]["uid"] or "(made from files)"),
        ("API server", view.captured.server_version or "unknown"),
        ("snapshot", f"{view.captured.snapshot.digest}{'' if view.captured.snapshot.whole else ', not whole'}"),
        ("from", str(view.source)),
        ("to", f"{view.release}, target {view.target_name}"),
        ("Helm release", f"{view.installation.namespace}/{view.installation.release}"),
        ("hops", f"{hops}; run: exercised on a real server, read: from source, derived: concluded"),
        ("CRDs", view.crds.origin),
        ("this plan is", state),
    ]
    counted: list[Block] = []
    counts = [(kind.name, str(view.ledger.counts[kind.plural])) for kind in KINDS if view.ledger.counts[kind.plural]]
    if counts:
        counted = [Paragraph("Objects converted:"), Table(("kind", "objects"), counts)]
    evidence: list[Block] = [Paragraph("What says which release runs:"), Items(view.source.evidence)]
    return [Table(("what", "value"), rows), *evidence, *counted]


def _what_happens(view: View) -> list[Block]:
    blocks: list[Block] = []
    for phase in view.phases:
        blocks.append(Paragraph(f"Phase {phase.name}: {phase.title}."))
        rows = [(step.id, step.title) for step in view.steps if step.phase == phase.name]
        blocks.append(Table(("step", "what it does"), rows))
    return blocks


def _window(view: View) -> list[Block]:
    return [Paragraph(window(view))]


def _findings(view: View) -> list[Block]:
    if not view.findings:
        return [Paragraph("None.")]
    rows = [
        (
            finding.id,
            str(finding.severity),
            state(finding),
            f"{finding.title}: {finding.detail}{_named(finding)}",
            finding.remedy,
        )
        for finding in view.findings
    ]
    return [Table(("id", "severity", "state", "what", "what to do"), rows)]


def state(finding: Finding) -> str:
    """A finding's state in words."""
    return f"handled by {finding.handled_by}" if finding.state is State.HANDLED else str(finding.state)


def _named(finding: Finding) -> str:
    if not finding.objects:
        return ""
    more = f" and {len(finding.objects) - _NAMES} more" if len(finding.objects) > _NAMES else ""
    return f" ({', '.join(finding.objects[:_NAMES])}{more})"


def _losses(view: View) -> list[Block]:
    summed = summed_losses(view.ledger.losses.entries())
    lost, kept = [one for one in summed if not one.meaning_kept], [one for one in summed if one.meaning_kept]
    first = "None: every field comes back when the objects are converted back, or says the same in another place."
    if lost:
        first = f"What does not come back: {view.ledger.losses.lost}; losses.json lists each with its value."
    blocks: list[Block] = [Paragraph(first)]
    if lost:
        blocks.append(_loss_table(lost))
    if kept:
        blocks += [Paragraph("Carried over with the same meaning:"), _loss_table(kept)]
    return blocks


def _loss_table(losses: Sequence[SummedLoss]) -> Table:
    headers = ("kind", "field", "becomes", "how", "objects", "why")
    return Table(headers, [(one.kind, one.path, one.to, str(one.change), str(one.count), one.reason) for one in losses])


def _differences(view: View) -> list[Block]:
    entries = view.ledger.differences.entries()
    if not entries:
        return [Paragraph("None.")]
    return [
        Paragraph("Status and what only a server writes are left out; one line a distinct edit."),
        Items([str(entry) for entry in entries]),
    ]


def _undo(view: View) -> list[Block]:
    rows = [
        (step.phase, step.id, "yes" if step.undo.possible else "no", step.undo.how)
        for step in view.steps
        if step.kind not in {"check", "backup", "await", "verify"}
    ]
    if not rows:
        return [Paragraph("This plan changes nothing.")]
    return [Table(("phase", "step", "can be taken back", "how"), rows)]


_FILES = (
    "plan.json: the steps, and the digest that --expect-digest names",
    "manifests/: every object as it will be; originals/: configuration objects as they were",
    "crds/: the CRDs of each hop; helm/: the chart and the values that this plan sets",
    "findings.json, losses.json, diff.txt, report.json: the sections above, whole",
    "images.txt: what the registry has to hold; rbac.yaml: the rights that apply needs",
)
