"""The kinds whose objects Kueue queues, and the operators behind them: the one place that names them."""

from dataclasses import dataclass

from kueuelift_snapshot.resource import Resource


@dataclass(frozen=True, kw_only=True, slots=True)
class Integration:
    """One kind of job."""

    group: str
    plural: str
    kind: str
    version: str = ""
    """Of a built-in kind; a CRD says which versions of its kind are served."""
    framework: str = ""
    """Its name in the manager's `integrations.frameworks`; none for what only makes jobs of another kind."""
    since: str
    """The first Kueue release that knows it, as far as it was looked for: `0.12` stands for that or earlier."""

    @property
    def resource(self) -> Resource | None:
        """How a built-in kind is listed; None for a kind that a CRD defines."""
        return Resource(group=self.group, version=self.version, plural=self.plural) if self.version else None


def _kubeflow(kind: str) -> Integration:
    name = kind.lower()
    return Integration(
        group="kubeflow.org", plural=f"{name}s", kind=kind, framework=f"kubeflow.org/{name}", since="0.12"
    )


def _ray(kind: str, since: str) -> Integration:
    name = kind.lower()
    return Integration(group="ray.io", plural=f"{name}s", kind=kind, framework=f"ray.io/{name}", since=since)


INTEGRATIONS = (
    Integration(group="batch", version="v1", plural="jobs", kind="Job", framework="batch/job", since="0.12"),
    Integration(group="batch", version="v1", plural="cronjobs", kind="CronJob", since="0.12"),
    Integration(group="", version="v1", plural="pods", kind="Pod", framework="pod", since="0.12"),
    Integration(
        group="apps", version="v1", plural="deployments", kind="Deployment", framework="deployment", since="0.12"
    ),
    Integration(
        group="apps", version="v1", plural="statefulsets", kind="StatefulSet", framework="statefulset", since="0.12"
    ),
    Integration(
        group="leaderworkerset.x-k8s.io",
        plural="leaderworkersets",
        kind="LeaderWorkerSet",
        framework="leaderworkerset.x-k8s.io/leaderworkerset",
        since="0.12",
    ),
    Integration(
        group="jobset.x-k8s.io", plural="jobsets", kind="JobSet", framework="jobset.x-k8s.io/jobset", since="0.12"
    ),
    *map(_kubeflow, ("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")),
    Integration(
        group="trainer.kubeflow.org",
        plural="trainjobs",
        kind="TrainJob",
        framework="trainer.kubeflow.org/trainjob",
        since="0.14",
    ),
    _ray("RayCluster", "0.12"),
    _ray("RayJob", "0.12"),
    _ray("RayService", "0.17"),
    Integration(
        group="sparkoperator.k8s.io",
        plural="sparkapplications",
        kind="SparkApplication",
        framework="sparkoperator.k8s.io/sparkapplication",
        since="0.17",
    ),
    Integration(
        group="sparkoperator.k8s.io",
        plural="scheduledsparkapplications",
        kind="ScheduledSparkApplication",
        since="0.17",
    ),
    Integration(
        group="workload.codeflare.dev",
        plural="appwrappers",
        kind="AppWrapper",
        framework="workload.codeflare.dev/appwrapper",
        since="0.12",
    ),
)
"""Source: pkg/controller/jobs of Kueue v0.12.2 to v0.19.2, and the frameworks their Configuration accepts."""

OPERATORS = (
    "appwrapper",
    "cluster-autoscaler",
    "jobset",
    "kuberay",
    "lws",
    "mpi-operator",
    "mpioperator",
    "spark-operator",
    "trainer-controller-manager",
    "training-operator",
)
"""What the names of their images have, as a part of the path or of its hyphenated words.

A newer Kueue asks for a newer operator: Spark Operator 2.4 for suspended applications, Trainer 2.1, Cluster Autoscaler
1.31.1 for ProvisioningRequests at v1. Source: release notes of Kueue v0.13, v0.14.5 and v0.17; the image names are
those of the operators' own release manifests.
"""
