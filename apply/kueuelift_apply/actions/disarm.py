"""`disarm`: removes the hooks and API services of the release being replaced, so that they refuse nothing meanwhile.

Removes only objects that the plan names and that carry the mark of that very release; each is saved first.
"""

import os

from kueuelift import yaml_text
from kueuelift.errors import RefusedError
from kueuelift.model import KubernetesObject, Step
from kueuelift.sealed import file_name
from kueuelift_apply import milestone
from kueuelift_apply.action import Action, Detail, Done, Run

_PLURALS = {
    "ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "APIService": "apiservices",
}


def _standing(run: Run, step: Step) -> list[tuple[str, KubernetesObject]]:
    paths = [
        f"/apis/{item['apiVersion']}/{_PLURALS[item['kind']]}/{item['name']}" for item in step.arguments["objects"]
    ]
    return [(path, found) for path in paths if (found := run.live.get(path)) is not None]


def _done(run: Run, step: Step) -> Done:
    if milestone.crds_are_replaced(run):
        return Done(yes=True, why="the target's CRDs are in place, the bridge is crossed")
    standing = _standing(run, step)
    return Done(yes=not standing, why=f"{len(standing)} hooks stand" if standing else "none stands")


def _do(run: Run, step: Step) -> Detail:
    standing = _standing(run, step)
    for path, found in standing:
        _refuse_foreign(run, path, found)
    for path, found in standing:
        run.lease.keep()
        _save(run, found)
        run.live.delete(path, uid=found["metadata"]["uid"])
    return {"removed": [path.rpartition("/")[2] for path, _ in standing]}


def _refuse_foreign(run: Run, path: str, found: KubernetesObject) -> None:
    annotations = found["metadata"].get("annotations") or {}
    parts = (annotations.get("meta.helm.sh/release-namespace"), annotations.get("meta.helm.sh/release-name"))
    owner = "/".join(part for part in parts if part)
    installs = [step.arguments for step in run.steps_of_kind("helm")]
    releases = {f"{install['namespace']}/{install['release']}" for install in installs}
    if owner not in releases:
        raise RefusedError(
            f"{found['kind']} {path.rpartition('/')[2]}: its Helm release is {owner or 'not marked'}, "
            f"release {', '.join(sorted(releases))} wanted; nothing was removed, make a new snapshot and plan"
        )


def _save(run: Run, found: KubernetesObject) -> None:
    run.backups.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = run.backups / file_name(f"{found['kind']}-{found['metadata']['name']}", ".yaml")
    if place.exists():
        return  # the first save is the one from before the change
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(yaml_text.dump(found))


def _prove(run: Run, step: Step) -> Detail:
    standing = _standing(run, step)
    if standing:
        raise RefusedError(f"{standing[0][0]}: came back after it was removed; see who puts it there, then run again")
    return {}


ACTION = Action(kind="disarm", done=_done, do=_do, prove=_prove)
