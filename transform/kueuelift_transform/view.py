"""Everything that targets, rules and reports look at: one value, filled in the order of the story."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kueuelift.model import Finding, KubernetesObject, Phase, Step
from kueuelift.release_profile import Release, ReleaseProfile, profile
from kueuelift_transform.captured import Captured
from kueuelift_transform.charts import Chart
from kueuelift_transform.crds import CrdSet
from kueuelift_transform.hops import Hop
from kueuelift_transform.installation import Installation
from kueuelift_transform.manager_settings import ManagerSettings
from kueuelift_transform.objects import Ledger
from kueuelift_transform.source import Source


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """One transform: what was found, where it goes, and what was worked out so far."""

    captured: Captured
    source: Source
    target_name: str
    release: Release
    """The release to install."""
    hops: tuple[Hop, ...]
    installation: Installation
    chart: Chart | None
    manifest: tuple[KubernetesObject, ...]
    """What the target's chart renders to; empty where it could not be rendered."""
    values: Mapping[str, Any]
    """The chart's values that this plan sets."""
    settings: ManagerSettings
    """What the plan makes of the manager's Configuration and feature gates."""
    crds: CrdSet
    ledger: Ledger
    phases: tuple[Phase, ...] = ()
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def profile(self) -> ReleaseProfile:
        """What is known of the release to install."""
        return profile(str(self.release))

    @property
    def applicable(self) -> bool:
        """Whether the plan may be applied: the snapshot is whole and nothing blocks."""
        return self.captured.snapshot.whole and not any(finding.blocks for finding in self.findings)

    def steps_of(self, kind: str) -> list[Step]:
        """The steps of one kind, in order."""
        return [step for step in self.steps if step.kind == kind]

    def first_step(self, kind: str) -> str:
        """The id of the first step of a kind; empty where the plan has none."""
        return next((step.id for step in self.steps_of(kind)), "")
