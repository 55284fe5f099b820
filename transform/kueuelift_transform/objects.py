"""The objects' part of a transform: each is converted, validated, compared and put into its place, one at a time."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from kueuelift import crd, structural
from kueuelift.errors import RefusedError
from kueuelift.kinds import KINDS, TARGET_VERSION, Kind, api_version, version_of
from kueuelift.model import KubernetesObject, ObjectRef
from kueuelift.object_store import LineFiles
from kueuelift.plan_dir import PlanWriter
from kueuelift.progress import Progress
from kueuelift.release_profile import Release
from kueuelift.validation import Problem, Validator
from kueuelift_transform.captured import Captured
from kueuelift_transform.conversion import conversion_for
from kueuelift_transform.crds import CrdSet
from kueuelift_transform.difference_summary import DifferenceSummary
from kueuelift_transform.fixes import fix_for, mended
from kueuelift_transform.hops import ALPHA
from kueuelift_transform.inadmissible import Inadmissible, Webhooks
from kueuelift_transform.loss_ledger import LossLedger, carried
from kueuelift_transform.references import References
from kueuelift_transform.stored_form import losses, stored_form

_SERVER_METADATA = (
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generation", "managedFields",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why the target would not take one object."""

    ref: ObjectRef
    path: str
    found: str
    wanted: str
    inherited: bool
    """No step changes the field: a rewrite puts back what it read at v1beta2, so servers that ratchet let it be."""
    remedy: str = ""
    """What to do, where more than the rule's own words can be said."""
    fixable: bool = False
    """Whether `--fix` does it."""
    fixed: bool = False
    """The plan's manifest is without it, and a step writes that."""
    rule: str = ""
    """The number of the admission rule, such as `CQ-05`, where there is one."""


@dataclass(kw_only=True, slots=True)
class Ledger:
    """What became of the objects: grows with what is odd, not with how many there are."""

    counts: dict[str, int] = field(default_factory=dict)
    """By plural: objects converted."""
    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """By plural and version: objects captured."""
    refusals: list[Refusal] = field(default_factory=list)
    inadmissible: list[Inadmissible] = field(default_factory=list)
    """What the target's CRDs accept and its webhooks refuse."""
    references: References = field(default_factory=References)
    unknown_fields: dict[str, list[str]] = field(default_factory=dict)
    """By `<Kind> <path>`: the objects that have a field which their own CRD does not know."""
    fixed: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    """By plural: namespace and name of the objects whose manifests differ from what a mere conversion gives."""
    losses: LossLedger = field(default_factory=LossLedger)
    owners: set[tuple[str, str]] = field(default_factory=set)
    """apiVersion and kind of everything that owns a Workload."""
    differences: DifferenceSummary = field(default_factory=DifferenceSummary)


def convert_objects(
    captured: Captured,
    writer: PlanWriter,
    *,
    crds: CrdSet,
    release: Release,
    webhooks: Webhooks,
    fix: bool,
    progress: Progress,
) -> Ledger:
    """Convert every captured object and write it, with certain fixes where asked; Workloads are streamed through."""
    ledger = Ledger()
    with ExitStack() as stack:
        manifests = stack.enter_context(writer.workload_manifests())
        identities = stack.enter_context(writer.workload_identities())
        for kind in KINDS:
            total = captured.snapshot.count(kind)
            ledger.counts[kind.plural] = 0
            if not total:
                continue
            form = _Form(kind, captured, crds, release, webhooks, fix=fix and not kind.per_job)
            with progress.task(f"convert {kind.plural}", total) as task:
                for obj in captured.snapshot.objects(kind):
                    manifest = form.take(obj, ledger)
                    if kind.per_job:
                        _place_workload(obj, manifest, manifests, identities)
                    else:
                        _place(kind, obj, manifest, writer)
                    task.advance()
    ledger.refusals.sort(key=lambda refusal: (refusal.ref, refusal.path))
    ledger.inadmissible.sort(key=lambda one: (one.ref, one.broken.rule, one.broken.path))
    return ledger


class _Form:
    """Takes the objects of one kind from the captured form to the target's; what is compiled once is kept here."""

    def __init__(
        self, kind: Kind, captured: Captured, crds: CrdSet, release: Release, webhooks: Webhooks, *, fix: bool
    ) -> None:
        self._fix, self._webhooks = fix, webhooks
        self._kind, self._plural, self._release = kind, kind.plural, release
        self._target = crds.target[kind.plural]
        self._captured, self._sources = captured, dict[str, KubernetesObject]()
        self._validator = Validator.for_crd(self._target, TARGET_VERSION)

    def take(self, obj: KubernetesObject, ledger: Ledger) -> KubernetesObject | None:
        """The object's manifest, None where it cannot be converted; what is odd about it goes to the ledger."""
        version = version_of(obj["apiVersion"]) or obj["apiVersion"]
        ledger.versions[self._plural, version] = ledger.versions.get((self._plural, version), 0) + 1
        ref = ObjectRef.of(obj)
        source = self._source(version)
        for path in structural.pruned_paths(obj, crd.schema(source, version)):
            ledger.unknown_fields.setdefault(f"{ref.kind} {path}", []).append(str(ref))
        try:
            stored = stored_form(obj, crd=self._target, release=self._release)
            lost = losses(obj, source_crd=source, target_crd=self._target, release=self._release, stored=stored)
        except RefusedError as error:
            ledger.refusals.append(Refusal(ref=ref, path="", found=str(error), wanted="", inherited=False))
            return None
        ledger.counts[self._plural] += 1
        ledger.owners.update((own["apiVersion"], own["kind"]) for own in obj["metadata"].get("ownerReferences") or ())
        ledger.losses.add(lost)
        ledger.losses.add(carried(obj, stored))
        manifest = _owned_at_target(bare(self._judged(ref, version, stored, ledger)))
        ledger.differences.add(ref, bare(obj), manifest)
        return manifest

    def _source(self, version: str) -> KubernetesObject:
        """The CRD that objects of a version were kept by; the target's where no other is known."""
        if version not in self._sources:
            self._sources[version] = self._captured.crd_with(self._plural, version) or self._target
        return self._sources[version]

    def _judged(self, ref: ObjectRef, version: str, stored: KubernetesObject, ledger: Ledger) -> KubernetesObject:
        """The stored form, mended where that is wanted and certain; what the target refuses goes to the ledger."""
        problems = self._problems(stored)
        if problems and self._fix and (better := mended(stored, problems)):
            left = self._problems(better)
            gone = [problem for problem in problems if problem not in left]
            ledger.refusals.extend(self._refusals(ref, version, gone, fixed=True))
            ledger.fixed.setdefault(self._plural, []).append({"namespace": ref.namespace, "name": ref.name})
            stored, problems = better, left
        ledger.refusals.extend(self._refusals(ref, version, problems, fixable=self._fixable(stored, problems)))
        # The server asks the webhooks about what it would take itself.
        if not problems:
            ledger.inadmissible.extend(self._webhooks.inadmissible(ref, stored))
        if not self._kind.per_job:
            ledger.references.add(stored)
        return stored

    def _problems(self, stored: KubernetesObject) -> list[Problem]:
        return [problem for problem in self._validator.problems(stored) if problem.cause != "unknown-field"]

    def _fixable(self, stored: KubernetesObject, problems: list[Problem]) -> list[Problem]:
        """The problems that `--fix` would do away with."""
        better = mended(stored, problems) if problems and not self._kind.per_job else None
        left = self._problems(better) if better else problems
        return [problem for problem in problems if problem not in left]

    def _refusals(
        self,
        ref: ObjectRef,
        version: str,
        problems: list[Problem],
        *,
        fixable: Collection[Problem] = (),
        fixed: bool = False,
    ) -> Iterator[Refusal]:
        for problem in problems:
            fix = fix_for(ref.kind, problem)
            yield Refusal(
                ref=ref,
                path=problem.path,
                found=problem.found,
                wanted=problem.wanted,
                inherited=not (version == ALPHA and _is_moved(ref.kind, problem.path)),
                remedy=fix.remedy if fix else "",
                fixable=problem in fixable,
                fixed=fixed,
                rule=problem.rule,
            )


def _is_moved(kind: str, path: str) -> bool:
    """Whether the bridge's rewrite gives a field, or the object as a whole, another value than the server has."""
    conversion = conversion_for(kind, ALPHA)
    moved = [renamed.new for renamed in conversion.renamed] if conversion else []
    return any(new.startswith(path) or path.startswith(new) for new in moved)


def bare(obj: KubernetesObject) -> KubernetesObject:
    """An object without status and without what only a server writes; what is left is shared, not copied."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _SERVER_METADATA}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def _owned_at_target(manifest: KubernetesObject) -> KubernetesObject:
    """A manifest whose owners of Kueue's own kinds are named at v1beta2."""
    owners = manifest["metadata"].get("ownerReferences")
    if not owners:
        return manifest
    at_target = api_version(TARGET_VERSION)
    moved = [{**own, "apiVersion": at_target} if version_of(own["apiVersion"]) else own for own in owners]
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": moved}}


def _place(kind: Kind, obj: KubernetesObject, manifest: KubernetesObject | None, writer: PlanWriter) -> None:
    writer.add_original(kind, obj)
    if manifest is not None:
        writer.add_manifest(kind, manifest)


def _place_workload(
    obj: KubernetesObject, manifest: KubernetesObject | None, manifests: LineFiles, identities: LineFiles
) -> None:
    namespace = obj["metadata"]["namespace"]
    identities.add(namespace, identity(obj))
    if manifest is not None:
        manifests.add(namespace, manifest)


def identity(workload: KubernetesObject) -> dict[str, Any]:
    """What tells one Workload from every other, and whether it had ended when it was captured."""
    metadata = workload["metadata"]
    conditions = workload.get("status", {}).get("conditions") or []
    owners = metadata.get("ownerReferences") or []
    return {
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "generation": metadata.get("generation", 0),
        "finished": any(
            c.get("type") == "Finished" and c.get("status") == "True" for c in conditions if isinstance(c, dict)
        ),
        "owners": [{key: owner.get(key, "") for key in ("apiVersion", "kind", "name", "uid")} for owner in owners],
    }
