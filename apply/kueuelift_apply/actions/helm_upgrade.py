"""`helm`: installs or upgrades the release from the plan's own chart; a record left pending by a kill is recovered."""

import socket
from pathlib import Path
from typing import Any

from kueuelift import helm_payload, journal, yaml_text
from kueuelift.errors import PartlyDoneError, RefusedError
from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import helm_release
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.crd_change import covers
from kueuelift_apply.helm_program import Revision


def _done(run: Run, step: Step) -> Done:
    arguments, wanted = step.arguments, helm_release.wanted_chart(step)
    newest = helm_release.newest(run, step)
    if not helm_release.is_installed(step, newest):
        found = f"{newest.chart} {newest.status}" if newest else "no release"
        return Done(yes=False, why=f"{found}, {wanted} wanted")
    if not covers(run.helm.values(arguments["release"], arguments["namespace"]), _without_nulls(_overlay(run, step))):
        return Done(yes=False, why="the release lacks values of the plan")
    return Done(yes=True, why=f"{wanted} is deployed")


def _overlay(run: Run, step: Step) -> dict[str, Any]:
    path = step.arguments["values"]
    values: dict[str, Any] = yaml_text.load(run.plan.sealed.read(path), path) or {}
    return values


def _without_nulls(values: Any) -> Any:
    """helm drops keys that are written as null; they are not among a release's values."""
    if isinstance(values, dict):
        return {key: _without_nulls(value) for key, value in values.items() if value is not None}
    return values


def _do(run: Run, step: Step) -> Detail:
    arguments = step.arguments
    release, namespace = arguments["release"], arguments["namespace"]
    newest = helm_release.newest(run, step)
    recovered = _recover(run, step, newest) if newest and helm_release.is_pending(newest) else None
    seconds = max(60, int(run.deadline - run.clock()))
    run.lease.keep()
    with run.plan.file(arguments["chart"]) as chart, run.plan.file(arguments["values"]) as values:
        run.helm.upgrade(
            release,
            namespace,
            chart,
            values,
            seconds,
            lambda process: run.journal.append("intent", step.id, helmProcess=process, host=socket.gethostname()),
        )
    return {"recovered": recovered} if recovered else {}


def _recover(run: Run, step: Step, pending: Revision) -> str:
    """Mark a pending record of our own chart as failed, as helm does itself when it is not killed."""
    arguments = step.arguments
    helm_release.refuse_foreign_pending(step, pending)
    _refuse_living_helm(run, step)
    name = helm_payload.object_name(arguments["release"], pending.number)
    path = f"/api/v1/namespaces/{arguments['namespace']}/secrets/{name}"
    secret = run.live.get(path)
    if secret is None:
        raise RefusedError(f"Secret {name}: not found, though the release is {pending.status}; see helm history")
    run.live.put(path, _marked_failed(secret))
    return f"revision {pending.number} was {pending.status}"


def _refuse_living_helm(run: Run, step: Step) -> None:
    """An apply that was killed alone leaves its helm at work: two at a time would spoil the release."""
    for entry in journal.read(run.journal.folder):
        process = entry.detail.get("helmProcess")
        if entry.step == step.id and process and entry.detail.get("host") == socket.gethostname() and _is_helm(process):
            raise RefusedError(
                f"helm: process {process} of an earlier run is still at work; wait until it ends, then run again"
            )


def _is_helm(process: int) -> bool:
    try:
        return b"helm" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def _marked_failed(secret: KubernetesObject) -> KubernetesObject:
    record = helm_payload.decode(secret).record
    record["info"] |= {"status": "failed", "description": "interrupted, marked as failed by kueuelift"}
    marked = helm_payload.encode(secret, record)
    marked["metadata"]["labels"]["status"] = "failed"
    return marked


def _prove(run: Run, step: Step) -> Detail:
    arguments = step.arguments
    newest = helm_release.newest(run, step)
    if newest is None or not helm_release.is_installed(step, newest):
        found = f"revision {newest.number}: {newest.chart} {newest.status}" if newest else "nothing"
        raise PartlyDoneError(
            f"Helm release {arguments['release']}: {found} found after the upgrade; see helm history, then run again"
        )
    return {"revision": newest.number, "chart": newest.chart}


ACTION = Action(kind="helm", done=_done, do=_do, prove=_prove)
