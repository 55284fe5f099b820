"""Holds a cluster against its plan: controller, stored versions, every object with its uid and content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kueuelift import crd as crds
from kueuelift.difference import edits
from kueuelift.kinds import BY_NAME, KINDS, TARGET_VERSION, Kind
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.plan_dir import Plan
from kueuelift_apply import readiness
from kueuelift_apply.drift import content
from kueuelift_apply.live import Live, collection, crd_path
from kueuelift_apply.owners import Owners
from kueuelift_apply.renewal import has_old_records

WORKLOAD = BY_NAME["Workload"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    problems: tuple[str, ...]
    """Each names an object and what is wrong; none where all is well."""
    counted: str

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The check as record.json and `verify -o json` have it."""
        return {"name": self.name, "passed": self.passed, "counted": self.counted, "problems": list(self.problems)}


def checks(plan: Plan, live: Live) -> Iterator[Check]:
    """All checks, in the order in which a person would ask."""
    yield _controller(plan, live)
    yield _stored_versions(live)
    for kind in KINDS:
        yield _unserved(live, kind) or (_workloads(plan, live) if kind.per_job else _configuration(plan, live, kind))


def _controller(plan: Plan, live: Live) -> Check:
    problems = []
    for step in plan.steps:
        if step.kind == "await":
            deployment = step.arguments["deployment"]
            missing = readiness.missing_deployment(live, deployment["namespace"], deployment["name"])
            missing = missing or readiness.missing_conversion(live, step.arguments["conversion"])
            problems += [missing] if missing else []
    return Check(name="controller ready", problems=tuple(problems), counted="available, converts")


def _stored_versions(live: Live) -> Check:
    problems = []
    for kind in KINDS:
        crd = live.get(crd_path(kind))
        stored = crds.stored_versions(crd) if crd else ()
        if stored != (TARGET_VERSION,):
            found = ", ".join(stored) or "no CRD"
            problems.append(f"CustomResourceDefinition {kind.crd_name}: stores {found}, {TARGET_VERSION} wanted")
    return Check(
        name="stored versions", problems=tuple(problems), counted=f"{len(KINDS) - len(problems)} of {len(KINDS)} CRDs"
    )


def _unserved(live: Live, kind: Kind) -> Check | None:
    crd = live.get(crd_path(kind))
    if crd is not None and TARGET_VERSION in crds.served_versions(crd):
        return None
    problem = f"CustomResourceDefinition {kind.crd_name}: does not serve {TARGET_VERSION}, so nothing can be compared"
    return Check(name=kind.plural, problems=(problem,), counted="not readable")


def _configuration(plan: Plan, live: Live, kind: Kind) -> Check:
    found = {ObjectRef.of(obj): obj for obj in live.items(collection(kind, TARGET_VERSION))}
    uids = {ObjectRef.of(obj): obj["metadata"].get("uid") for obj in plan.originals(kind)}
    manifests = {ObjectRef.of(obj): obj for obj in plan.manifests(kind)}
    problems = []
    for ref, manifest in sorted(manifests.items()):
        problems += _problems(ref, found.get(ref), uids.get(ref), manifest)
    return Check(
        name=kind.plural,
        problems=tuple(problems),
        counted=f"{len(manifests.keys() & found.keys())} of {len(manifests)}",
    )


def _problems(ref: ObjectRef, found: KubernetesObject | None, uid: str | None, manifest: KubernetesObject) -> list[str]:
    if found is None:
        return [f"{ref}: missing"]
    problems = []
    if uid and found["metadata"]["uid"] != uid:
        problems.append(f"{ref}: uid {found['metadata']['uid']} found, {uid} wanted: it was deleted and made again")
    problems += [f"{ref}: {edit} (plan -> cluster)" for edit in edits(content(manifest), content(found))[:5]]
    if has_old_records(found, TARGET_VERSION):
        problems.append(f"{ref}: metadata has records of an older version")
    return problems


def _workloads(plan: Plan, live: Live) -> Check:
    """Streams both sides by namespace; only one namespace's Workloads are held at a time."""
    owners = Owners(live)
    tally: Counter[str] = Counter()
    problems: list[str] = []
    manifests = groupby(plan.manifests(WORKLOAD), key=_namespace)
    planned = next(manifests, None)
    for namespace, identities in groupby(plan.workload_identities(), key=lambda line: str(line["namespace"])):
        found = _live_workloads(live, namespace)
        wanted: dict[str, KubernetesObject] = {}
        if planned is not None and planned[0] == namespace:
            wanted = {obj["metadata"]["name"]: obj for obj in planned[1]}
            planned = next(manifests, None)
        for identity in identities:
            problem = _workload_problem(identity, wanted.get(identity["name"]), found, owners, tally)
            problems += [problem] if problem else []
    total = tally["kept"] + tally["ended"] + tally["lost"]
    counted = (
        f"{tally['kept']} of {total}, {tally['ended']} ended meanwhile, {tally['changed']} changed by their owners"
    )
    return Check(name=WORKLOAD.plural, problems=tuple(problems), counted=counted)


def _namespace(workload: KubernetesObject) -> str:
    return str(workload["metadata"]["namespace"])


def _live_workloads(live: Live, namespace: str) -> dict[str, KubernetesObject]:
    path = f"/apis/kueue.x-k8s.io/{TARGET_VERSION}/namespaces/{namespace}/{WORKLOAD.plural}"
    return {obj["metadata"]["name"]: obj for page in live.pages(path) for obj in page}


def _workload_problem(
    identity: Mapping[str, Any],
    manifest: KubernetesObject | None,
    found: Mapping[str, KubernetesObject],
    owners: Owners,
    tally: Counter[str],
) -> str | None:
    ref = ObjectRef(kind=WORKLOAD.name, namespace=identity["namespace"], name=identity["name"])
    obj = found.get(identity["name"])
    if obj is None or obj["metadata"]["uid"] != identity["uid"]:
        ended = identity["finished"] or owners.gone(identity["namespace"], identity["owners"])
        tally["ended" if ended else "lost"] += 1
        return None if ended else f"{ref}: missing, though it was not finished and its owner is still there"
    tally["kept"] += 1
    if has_old_records(obj, TARGET_VERSION):
        return f"{ref}: metadata has records of an older version"
    differing = edits(manifest.get("spec"), obj.get("spec")) if manifest else []
    if not differing:
        return None
    if obj["metadata"].get("generation") != identity["generation"]:
        tally["changed"] += 1
        return None
    return f"{ref}: {differing[0]} (plan -> cluster), though nobody changed it"


def problems(found: Iterable[Check]) -> list[str]:
    """Every problem of all checks."""
    return [problem for check in found for problem in check.problems]
