"""`restore-objects`: gives single configuration objects the content that the plan's manifests have."""

from collections.abc import Iterator

from kueuelift.errors import PartlyDoneError
from kueuelift.kinds import BY_PLURAL
from kueuelift.model import KubernetesObject, ObjectRef, Step
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.drift import NO_CONTENT, content
from kueuelift_apply.live import ApiError, object_path

_CONFLICTS = 20


def _wanted(run: Run, step: Step) -> Iterator[tuple[ObjectRef, str, KubernetesObject]]:
    """Each object with its path and its manifest."""
    for plural, named in step.arguments["objects"].items():
        kind = BY_PLURAL[plural]
        names = {(one["namespace"], one["name"]) for one in named}
        for manifest in run.plan.manifests(kind):
            ref = ObjectRef.of(manifest)
            if (ref.namespace, ref.name) in names:
                yield ref, object_path(kind, step.arguments["version"], ref.namespace, ref.name), manifest


def _left(run: Run, step: Step) -> list[str]:
    """The objects that are there and are not as their manifests."""
    live = ((ref, run.live.get(path), manifest) for ref, path, manifest in _wanted(run, step))
    return [str(ref) for ref, found, manifest in live if found and content(found) != content(manifest)]


def _done(run: Run, step: Step) -> Done:
    left = _left(run, step)
    return Done(yes=not left, why=f"{', '.join(left[:5])} not as planned" if left else "all are as planned")


def _do(run: Run, step: Step) -> Detail:
    written, gone, refused = list[str](), list[str](), list[str]()
    for ref, path, manifest in _wanted(run, step):
        run.lease.keep()
        try:
            outcome = written if _write(run, path, manifest) else gone
        except ApiError as error:
            refused.append(f"{ref}: {error.message[:300]}")
        else:
            outcome.append(str(ref))
    if refused:
        raise PartlyDoneError(
            f"{step.id}: {len(refused)} objects were refused by the API server, the rest is written "
            f"({'; '.join(refused[:5])}); mend them and run again"
        )
    return {"written": written, "gone": gone}


def _write(run: Run, path: str, manifest: KubernetesObject) -> bool:
    """Replace the content under the resourceVersion; False where the object is gone, which is nobody's loss."""
    left = _CONFLICTS
    while (found := run.live.get(path)) is not None:
        left -= 1
        try:
            run.live.put(path, {**{key: found[key] for key in found.keys() & NO_CONTENT}, **content(manifest)})
        except ApiError as error:
            if error.status != 409 or not left:
                raise
        else:
            return True
    return False


def _prove(run: Run, step: Step) -> Detail:
    left = _left(run, step)
    if left:
        raise PartlyDoneError(f"{step.id}: {', '.join(left[:5])} not as planned again; see who writes them, run again")
    return {}


ACTION = Action(kind="restore-objects", done=_done, do=_do, prove=_prove)
"""The only step that writes what an object asks for; everything else carries it over."""
