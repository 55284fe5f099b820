"""What a rule is: one thing that an operator may have to know, and the question whether it holds for a plan."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kueuelift.catalogue import discover
from kueuelift.model import Finding, Severity, State
from kueuelift_transform import rules
from kueuelift_transform.view import View


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One hit of a rule; what it does not say is as the rule says."""

    detail: str
    objects: Sequence[str] = ()
    severity: Severity | None = None
    state: State = State.OPEN
    handled_by: str = ""
    remedy: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One item of the catalogue `rules/`."""

    id: str
    """`KL101`; a number is never used again."""
    severity: Severity
    """The heaviest that its findings have."""
    title: str
    why: str
    """What happens to an operator who does not know."""
    remedy: str
    source: str
    """Where the fact was read or seen."""
    check: Callable[[View], Iterable[Verdict]]

    def findings(self, view: View) -> list[Finding]:
        """What the rule has to say of a plan."""
        return [
            Finding(
                id=self.id,
                severity=verdict.severity or self.severity,
                title=self.title,
                detail=verdict.detail,
                objects=tuple(verdict.objects),
                state=verdict.state,
                handled_by=verdict.handled_by,
                remedy=self.remedy if verdict.remedy is None else verdict.remedy,
            )
            for verdict in self.check(view)
        ]


def all_rules() -> list[Rule]:
    """Every rule, by number."""
    return sorted(discover(rules, "RULE", Rule), key=lambda rule: rule.id)


def all_findings(view: View) -> tuple[Finding, ...]:
    """What all rules have to say, the heaviest first."""
    weights = list(Severity)
    found = [finding for rule in all_rules() for finding in rule.findings(view)]
    return tuple(sorted(found, key=lambda finding: (weights.index(finding.severity), finding.id, finding.detail)))


def table() -> str:
    """All rules as a Markdown table, for the stage's README."""
    rows = [f"| {rule.id} | {rule.severity} | {rule.title} | {rule.why} | {rule.source} |" for rule in all_rules()]
    return "\n".join(["| id | severity | finding | why it matters | source |", "|---|---|---|---|---|", *rows]) + "\n"
