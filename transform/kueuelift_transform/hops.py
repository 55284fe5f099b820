"""The way from one release to another: which stops there are, and which ways are refused."""

from collections.abc import Mapping
from dataclasses import dataclass

from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.kinds import KINDS, TARGET_VERSION
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Evidence, Level, Release, known_releases, profile
from kueuelift_transform.source import Source

BRIDGE = "bridge"
ALPHA = "v1alpha1"
_RUN_BRIDGES = {("0.12", "0.17.0")}
"""Source minor and target of the bridges that the cluster tests cross."""
_WEIGHT: dict[Level, int] = {"derived": 0, "read": 1, "run": 2}


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """One stop of the way."""

    name: str
    """`bridge` or a release; also the folder below `crds/`."""
    evidence: Level
    """How well the way to it is known."""

    def to_dict(self) -> dict[str, str]:
        """The hop as plan.json has it."""
        return {"name": self.name, "evidence": self.evidence}


def check_target(target: Release, source: Source) -> None:
    """Refuse a target that does not store v1beta2, and a downgrade."""
    if profile(str(target)).kinds["clusterqueues"].stored != TARGET_VERSION:
        first = next(line for line in known_releases() if profile(line).kinds["clusterqueues"].stored == TARGET_VERSION)
        raise RefusedError(
            f"--to {target}: this release does not store {TARGET_VERSION}, which {first} is the first to do; "
            f"name {first} or a newer release"
        )
    if source.release and target < source.release:
        raise RefusedError(
            f"--to {target}: the cluster runs {source.release} already, and kueuelift does not downgrade "
            f"({source.evidence[0]}); name {source.release} or a newer release"
        )


def plan_hops(source: Source, target: Release, crds: Mapping[str, KubernetesObject]) -> tuple[Hop, ...]:
    """The stops: a bridge where a kind is stored at v1alpha1, then the target, even where it is reached already."""
    evidence = _evidence(target)
    hops = [Hop(name=str(target), evidence=evidence)]
    if alpha_kinds(crds):
        line = source.release.line if source.release else ""
        crossed = (line, str(target)) in _RUN_BRIDGES
        hops.insert(0, Hop(name=BRIDGE, evidence="run" if crossed else "derived"))
    return tuple(hops)


def alpha_kinds(crds: Mapping[str, KubernetesObject]) -> list[str]:
    """The plurals of the kinds that may have objects stored at v1alpha1."""
    return [kind.plural for kind in KINDS if kind.plural in crds and ALPHA in _old_versions(crds[kind.plural])]


def old_kinds(crds: Mapping[str, KubernetesObject]) -> list[str]:
    """The plurals of the kinds that may have objects stored at a version other than v1beta2, v1alpha1 left out."""
    return [
        kind.plural
        for kind in KINDS
        if kind.plural in crds and _old_versions(crds[kind.plural]) - {ALPHA, TARGET_VERSION}
    ]


def check_served(
    source: Source, captured: Mapping[str, KubernetesObject], target: Mapping[str, KubernetesObject]
) -> None:
    """Refuse target CRDs that no longer serve what the source stores; the bridge takes care of v1alpha1."""
    for plural in sorted(set(captured) & set(target)):
        lost = sorted(_old_versions(captured[plural]) - {ALPHA} - set(crd.served_versions(target[plural])))
        if lost:
            between = _last_serving(plural, lost[0])
            raise RefusedError(
                f"CRD {target[plural]['metadata']['name']}: the target no longer serves {lost[0]}, which {source} "
                f"stores; go to {between} first, then take a new snapshot and transform again"
            )


def _old_versions(found: KubernetesObject) -> set[str]:
    return {crd.storage_version(found), *crd.stored_versions(found)}


def _last_serving(plural: str, version: str) -> str:
    """The newest known minor that stores v1beta2 and still serves the version for certain."""
    serving = [
        line
        for line in known_releases()
        if not profile(line).crds_from_chart_only
        and version in profile(line).kinds[plural].served
        and profile(line).kinds[plural].stored == TARGET_VERSION
    ]
    return serving[-1] if serving else "a release that serves both"


def _evidence(target: Release) -> Level:
    """The weakest of what is known; a run counts only for the patch release that was run."""
    groups = profile(str(target)).evidence
    return min((_level(groups[name], target) for name in ("versions", "conversion", "chart")), key=_WEIGHT.__getitem__)


def _level(evidence: Evidence, target: Release) -> Level:
    return "read" if evidence.level == "run" and f"v{target}" not in evidence.source else evidence.level
