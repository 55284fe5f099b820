"""The steps that every target shares: what happens to CRDs and objects, whoever owns the installation."""

from collections.abc import Iterable, Mapping
from typing import Any

from kueuelift import crd
from kueuelift.kinds import KINDS, TARGET_VERSION
from kueuelift.model import Phase, Step, Undo
from kueuelift_transform.hops import ALPHA, BRIDGE, alpha_kinds, old_kinds
from kueuelift_transform.moves import moves_for
from kueuelift_transform.view import View

GRACE_SECONDS = 5
"""Between a change of the stored version and the first rewrite: writes 3 s later were stored old (Kubernetes 1.35)."""

PREPARE = Phase(name="prepare", title="Look at the cluster and save it; changes nothing")
STOP = Phase(name="stop", title="Stop Kueue, so that nothing reads or writes its objects")
BRIDGE_PHASE = Phase(name="bridge", title="Carry the objects stored at v1alpha1 over to v1beta2")
INSTALL = Phase(name="install", title="Install the new release")
MIGRATE = Phase(name="migrate", title="Store every object at v1beta2")
VERIFY = Phase(name="verify", title="Check the result; changes nothing")
PHASES = (PREPARE, STOP, BRIDGE_PHASE, INSTALL, MIGRATE, VERIFY)
"""In the order of a plan; a phase's place gives its steps their tens."""

_NOTHING = Undo(possible=True, how="changes nothing, so there is nothing to take back")


def step(kind: str, phase: Phase, title: str, undo: Undo, arguments: Mapping[str, Any] | None = None) -> Step:
    """A step that has no number yet."""
    return Step(id=kind, kind=kind, phase=phase.name, title=title, undo=undo, arguments=arguments or {})


def numbered(steps: Iterable[Step]) -> tuple[tuple[Phase, ...], tuple[Step, ...]]:
    """Put steps in the order of their phases and number them; phases without steps are left out."""
    given = list(steps)
    ordered = []
    for place, phase in enumerate(PHASES, start=1):
        of_phase = [one for one in given if one.phase == phase.name]
        ordered += [_with_number(one, place * 10 + index) for index, one in enumerate(of_phase)]
    used = {one.phase for one in ordered}
    return tuple(phase for phase in PHASES if phase.name in used), tuple(ordered)


def preparing(without: list[str]) -> list[Step]:
    """Look and save; the backup leaves out what the snapshot was taken `without`."""
    return [
        step(
            "check",
            PREPARE,
            "Check that this is the plan's cluster, that it is as the snapshot says, and the rights",
            _NOTHING,
        ),
        step(
            "backup",
            PREPARE,
            "Take a fresh snapshot beside the journal and compare it with the plan's",
            _NOTHING,
            {"without": without},
        ),
    ]


def bridging(view: View) -> list[Step]:
    """Carry v1alpha1 over in place; none where nothing is stored at it."""
    kinds = alpha_kinds(view.captured.crds)
    if not kinds:
        return []
    crossing = {"kinds": kinds, "version": TARGET_VERSION, "bridged": True, "graceSeconds": GRACE_SECONDS}
    moves = moves_for(kinds, ALPHA)
    named = " and ".join(kinds)
    return [
        step(
            "bridge-crds",
            BRIDGE_PHASE,
            f"Let the CRDs of {named} serve v1alpha1 and v1beta2 side by side, without conversion",
            Undo(
                possible=True,
                how="until the next step: take v1beta2 out of the CRDs' status.storedVersions and put back their spec "
                "from the backup",
            ),
            {"crds": {plural: crd_path(BRIDGE, plural) for plural in kinds}, "owner": None},
        ),
        step(
            "rewrite-objects",
            BRIDGE_PHASE,
            f"Write every object of {named} once at v1beta2",
            Undo(
                possible=True,
                how="until Kueue is installed: make v1alpha1 the stored version of the bridge CRDs, then write each "
                "object at v1alpha1 with its spec from originals/",
            ),
            {**crossing, "moves": moves},
        ),
        step(
            "set-stored-versions",
            BRIDGE_PHASE,
            f"Declare that {named} are stored at v1beta2 only",
            Undo(possible=True, how="add v1alpha1 to the CRDs' status.storedVersions again"),
            {"kinds": kinds, "versions": [TARGET_VERSION]},
        ),
    ]


def replacing(view: View) -> Step:
    """Give all CRDs the shape of the release to install."""
    if view.captured.crds:
        undo = Undo(
            possible=False,
            how="not by itself: from here on objects are stored at v1beta2; the specs as they were lie in originals/",
        )
    else:
        undo = Undo(possible=True, how="delete the CRDs while they hold no object")
    owner = {"namespace": view.installation.namespace, "name": view.installation.release}
    paths = {kind.plural: crd_path(str(view.release), kind.plural) for kind in KINDS}
    title = f"Replace the spec of all {len(KINDS)} CRDs by release {view.release}'s, live CA bundles kept"
    return step("replace-crds", INSTALL, title, undo, {"crds": paths, "owner": owner})


def migrating(view: View) -> list[Step]:
    """Write once what is still stored at an older version; none where nothing is."""
    bridged = set(alpha_kinds(view.captured.crds))
    kinds = [plural for plural in old_kinds(view.captured.crds) if plural not in bridged]
    if not kinds:
        return restoring(view)
    older = next(name for name in crd.versions(view.crds.target[kinds[0]]) if name != TARGET_VERSION)
    return [
        *restoring(view),
        step(
            "rewrite-objects",
            MIGRATE,
            f"Write every object of {len(kinds)} kinds once, so that it is stored and owned at v1beta2",
            Undo(
                possible=True,
                how=f"nothing more is lost than the losses listed above, and {older} stays served",
            ),
            {
                "kinds": kinds,
                "version": TARGET_VERSION,
                "bridged": False,
                "graceSeconds": GRACE_SECONDS,
                "moves": moves_for(kinds, older),
            },
        ),
        step(
            "set-stored-versions",
            MIGRATE,
            "Declare that these kinds are stored at v1beta2 only",
            Undo(possible=True, how=f"add {older} to the CRDs' status.storedVersions again"),
            {"kinds": kinds, "versions": [TARGET_VERSION]},
        ),
    ]


def restoring(view: View) -> list[Step]:
    """Write the objects that were mended (`--fix`); none where nothing was."""
    fixed = view.ledger.fixed
    if not fixed:
        return []
    count = sum(len(objects) for objects in fixed.values())
    return [
        step(
            "restore-objects",
            MIGRATE,
            f"Write {count} {'object' if count == 1 else 'objects'} as mended: manifests/ has what KL102 says is done",
            Undo(possible=True, how="until the older version is served no more: write the specs from originals/ at it"),
            {"objects": fixed, "version": TARGET_VERSION},
        )
    ]


def verifying() -> list[Step]:
    """Check the result."""
    return [step("verify", VERIFY, "Check manager, CRDs, and every object of the snapshot against the plan", _NOTHING)]


def awaiting(deployment: Mapping[str, str], conversion: list[str]) -> Step:
    """Wait for the new manager."""
    title = f"Wait until Deployment {deployment['name']} is ready and its conversion webhook answers"
    return step("await", INSTALL, title, _NOTHING, {"deployment": dict(deployment), "conversion": conversion})


def crd_path(hop: str, plural: str) -> str:
    """Where a hop's CRD lies in a plan."""
    return f"crds/{hop}/{plural}.yaml"


def _with_number(one: Step, number: int) -> Step:
    return Step(
        id=f"{number}-{one.kind}",
        kind=one.kind,
        phase=one.phase,
        title=one.title,
        undo=one.undo,
        arguments=one.arguments,
    )
