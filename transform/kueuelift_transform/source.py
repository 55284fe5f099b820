"""Which release of Kueue the snapshot was taken of, and what says so."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.helm_record import HelmRecord
from kueuelift.kinds import TARGET_VERSION
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release, known_releases, profile
from kueuelift_transform.captured import Captured, image_of, manager_deployments


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The release to start from."""

    release: Release | None
    """None where the cluster has no Kueue; of a release known by its CRDs only, the minor counts."""
    evidence: tuple[str, ...]
    """What was seen, a sentence each, the most telling first."""

    def __str__(self) -> str:
        """`0.12.2`, or what stands in a report for no Kueue."""
        return str(self.release) if self.release else "no Kueue"


def find_source(captured: Captured) -> Source:
    """Pick the source's release: what runs before what was installed before what the CRDs allow."""
    if not captured.installed:
        return Source(release=None, evidence=("the snapshot has no CustomResourceDefinition and no object of Kueue",))
    told = [*_told_by_records(captured.kueue_records)]
    evidence = [sentence for _, sentence in told]
    if captured.crds:
        lines = lines_of(captured.crds)
        evidence.append(_crd_sentence(captured.crds, lines))
    else:
        lines = _lines_that_serve(captured.object_versions)
        evidence.append(_object_sentence(captured.object_versions, lines))
    if told:
        return Source(release=told[0][0], evidence=tuple(evidence))
    if not lines:
        raise RefusedError(
            f"the snapshot's Kueue cannot be told: no Helm record names a release, and {evidence[-1]}; releases "
            f"{known_releases()[0]} to {known_releases()[-1]} are known, take the snapshot with the right to read "
            "Helm's Secrets"
        )
    return Source(release=Release.parse(lines[0]), evidence=tuple(evidence))


def lines_of(crds: Mapping[str, KubernetesObject]) -> list[str]:
    """The minors whose profile serves and stores what these CRDs serve and store, oldest first."""
    return [line for line in known_releases() if crds and _fits(crds, line)]


def _lines_that_serve(versions: Mapping[str, frozenset[str]]) -> list[str]:
    """The minors that serve the objects' versions, oldest first; where none serves all, v1beta2 is taken as the aim."""
    for wanted in (versions, {plural: found - {TARGET_VERSION} for plural, found in versions.items()}):
        lines = [
            line
            for line in known_releases()
            if all(found <= set(profile(line).kinds[plural].served) for plural, found in wanted.items())
        ]
        if lines:
            return lines
    return []


def _fits(crds: Mapping[str, KubernetesObject], line: str) -> bool:
    kinds = profile(line).kinds
    return all(
        crd.storage_version(found) == kinds[plural].stored
        and set(crd.served_versions(found)) == set(kinds[plural].served)
        for plural, found in crds.items()
    )


def _told_by_records(records: tuple[HelmRecord, ...]) -> Iterator[tuple[Release, str]]:
    """What a Helm record says: first the image that runs, then the chart's own word."""
    for record in records:
        where = f"Helm release {record.namespace}/{record.release} revision {record.revision}"
        for deployment in manager_deployments(record.manifest, ""):
            image = image_of(deployment)
            release = _release_in(image.partition("@")[0].rpartition(":")[2])
            if release:
                yield release, f"{where}: Deployment {deployment['metadata']['name']} runs image {image}"
        if release := _release_in(record.app_version):
            yield release, f"{where}: chart {record.chart_name} says appVersion {record.app_version}"


def _release_in(text: str) -> Release | None:
    """The known release that a tag or appVersion begins with: `v0.12.2-site3` is 0.12.2."""
    found = re.match(r"v?(\d+\.\d+\.\d+)(?:-(?:devel|rc|alpha|beta)[0-9A-Za-z.-]*)?", text)
    release = Release.parse(found[0]) if found else None
    return release if release and release.line in known_releases() else None


def _object_sentence(versions: Mapping[str, frozenset[str]], lines: list[str]) -> str:
    found = sorted({version for versions in versions.values() for version in versions})
    serving = f"the first release to serve them is {lines[0]}" if lines else "no known release serves them together"
    return f"no CustomResourceDefinition, but objects at {', '.join(found)}; {serving}"


def _crd_sentence(crds: Mapping[str, KubernetesObject], lines: list[str]) -> str:
    stored: dict[str, list[str]] = {}
    for plural, found in sorted(crds.items()):
        stored.setdefault(crd.storage_version(found), []).append(plural)
    shown = "; ".join(
        f"{version} stored for {', '.join(plurals) if len(plurals) < 5 else f'{len(plurals)} kinds'}"
        for version, plurals in sorted(stored.items())
    )
    return f"CRDs: {shown or 'none'}, as in {'release ' + ', '.join(lines) if lines else 'no known release'}"
