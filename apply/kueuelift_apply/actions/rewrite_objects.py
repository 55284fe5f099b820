"""`rewrite-objects`: one write per object at the new version, ownership records and owner references with it."""

from kueuelift import crd as crds
from kueuelift import journal
from kueuelift.errors import PartlyDoneError, RefusedError
from kueuelift.kinds import BY_PLURAL, Kind
from kueuelift.model import Step
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.actions.bridge_crds import refuse_unless_still
from kueuelift_apply.live import crd_path
from kueuelift_apply.rewriting import Rewriting, Tally, old_records


def _kinds(step: Step) -> list[Kind]:
    return [BY_PLURAL[plural] for plural in step.arguments["kinds"]]


def _done(run: Run, step: Step) -> Done:
    """Done where nothing but the new version was ever stored since it was last declared, and no record is old."""
    version = step.arguments["version"]
    for kind in _kinds(step):
        crd = run.live.get(crd_path(kind))
        if crd is None or crds.stored_versions(crd) != (version,):
            return Done(yes=False, why=f"{kind.plural} may be stored at an older version")
        old = old_records(run.live, kind, version)
        if old:
            return Done(yes=False, why=f"{old} {kind.plural} carry records of an older version")
    return Done(yes=True, why="every kind is stored at the new version only")


def _do(run: Run, step: Step) -> Detail:
    version, kinds = step.arguments["version"], _kinds(step)
    _refuse_wrong_storage(run, kinds, version)
    if step.arguments.get("bridged"):
        refuse_unless_still(run)
    _let_every_server_see_the_flip(run, step)
    tallies = {kind.plural: _rewrite(run, step, kind) for kind in kinds}
    refusals = [refusal for tally in tallies.values() for refusal in tally.refusals]
    if refusals:
        listed = "; ".join(f"{refusal.object}: {refusal.reason}" for refusal in refusals[:5])
        raise PartlyDoneError(
            f"{step.id}: {len(refusals)} objects were refused by the API server, the rest is rewritten ({listed}); "
            "mend them and run again"
        )
    return {
        plural: {"written": tally.written, "gone": tally.gone, "skipped": tally.skipped}
        for plural, tally in tallies.items()
    }


def _refuse_wrong_storage(run: Run, kinds: list[Kind], version: str) -> None:
    for kind in kinds:
        crd = run.live.get(crd_path(kind))
        storage = crds.storage_version(crd) if crd else "no CRD"
        if storage != version:
            raise RefusedError(
                f"CustomResourceDefinition {kind.crd_name}: its storage version is {storage}, {version} wanted before "
                "objects are rewritten; run the phase that replaces the CRDs first"
            )


def _let_every_server_see_the_flip(run: Run, step: Step) -> None:
    """For seconds after a storage flip writes are still stored at the old version (seen on Kubernetes 1.35)."""
    seconds = step.arguments["graceSeconds"]
    run.progress.say(f"    waiting {seconds} s, so that every API server stores {step.arguments['version']}")
    run.sleep(float(seconds))


def _rewrite(run: Run, step: Step, kind: Kind) -> Tally:
    generation = _generation(run, kind)
    with run.progress.task(f"    {kind.plural}") as task:

        def settled(uids: list[str]) -> None:
            run.journal.append("batch", step.id, kind=kind.plural, crdGeneration=generation, uids=uids)
            task.advance(len(uids))

        return Rewriting(
            live=run.live,
            kind=kind,
            version=step.arguments["version"],
            moves=step.arguments["moves"].get(kind.plural, {}),
            bridged=step.arguments.get("bridged", False),
            already=_written_before(run, step, kind, generation),
            before_batch=run.lease.keep,
            after_batch=settled,
        ).run()


def _generation(run: Run, kind: Kind) -> str:
    """Identity of the CRD's spec: a batch written under another one counts for nothing."""
    crd = run.live.get(crd_path(kind))
    return f"{crd['metadata']['uid']}/{crd['metadata']['generation']}" if crd else ""


def _written_before(run: Run, step: Step, kind: Kind, generation: str) -> frozenset[str]:
    return frozenset(
        uid
        for entry in journal.read(run.journal.folder)
        if entry.event == "batch"
        and entry.step == step.id
        and (entry.detail.get("kind"), entry.detail.get("crdGeneration")) == (kind.plural, generation)
        for uid in entry.detail["uids"]
    )


def _prove(run: Run, step: Step) -> Detail:
    version = step.arguments["version"]
    _refuse_wrong_storage(run, _kinds(step), version)
    for kind in _kinds(step):
        old = old_records(run.live, kind, version)
        if old:
            raise PartlyDoneError(
                f"{kind.plural}: {old} carry records of an older version again; see which client writes them, run again"
            )
    return {}


ACTION = Action(kind="rewrite-objects", done=_done, do=_do, prove=_prove)
