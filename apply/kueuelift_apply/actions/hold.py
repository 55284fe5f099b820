"""`hold`: stops the Kueue managers of the old release by scaling their Deployments to zero."""

from kueuelift.model import KubernetesObject, Step
from kueuelift_apply import milestone
from kueuelift_apply.action import Action, Detail, Done, Run
from kueuelift_apply.live import deployment_path


def _deployments(run: Run, step: Step) -> list[tuple[str, KubernetesObject]]:
    """The live ones of the step's Deployments, with their paths."""
    paths = [deployment_path(item["namespace"], item["name"]) for item in step.arguments["deployments"]]
    return [(path, deployment) for path in paths if (deployment := run.live.get(path)) is not None]


def _running(run: Run, deployment: KubernetesObject) -> bool:
    """Whether a replica is wanted, counted, or left as a Pod."""
    status = deployment.get("status") or {}
    if deployment["spec"].get("replicas", 1) or status.get("replicas"):
        return True
    if status.get("observedGeneration", 0) < deployment["metadata"]["generation"]:
        return True
    labels = (deployment["spec"].get("selector") or {}).get("matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    pods = run.live.get(f"/api/v1/namespaces/{deployment['metadata']['namespace']}/pods", labelSelector=selector) or {}
    return any((pod.get("status") or {}).get("phase") not in {"Succeeded", "Failed"} for pod in pods.get("items") or [])


def _done(run: Run, step: Step) -> Done:
    if milestone.crds_are_replaced(run):
        return Done(yes=True, why="the target's CRDs are in place, the bridge is crossed")
    running = [deployment["metadata"]["name"] for _, deployment in _deployments(run, step) if _running(run, deployment)]
    return Done(yes=not running, why=f"{', '.join(running)} runs" if running else "no manager runs")


def _do(run: Run, step: Step) -> Detail:
    found = _deployments(run, step)
    replicas = {deployment["metadata"]["name"]: deployment["spec"].get("replicas", 1) for _, deployment in found}
    if any(replicas.values()):
        run.journal.append("intent", step.id, replicasBefore=replicas)
    for path, _ in found:
        run.live.merge(path, {"spec": {"replicas": 0}})
    return {"replicasBefore": replicas}


def _prove(run: Run, step: Step) -> Detail:
    def running() -> str | None:
        left = [
            deployment["metadata"]["name"] for _, deployment in _deployments(run, step) if _running(run, deployment)
        ]
        return f"{', '.join(left)} has not stopped" if left else None

    run.wait_until("Kueue managers", running)
    return {}


ACTION = Action(kind="hold", done=_done, do=_do, prove=_prove)
