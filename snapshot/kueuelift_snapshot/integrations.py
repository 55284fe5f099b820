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

    @property
    def resource(self) -> Resource | None:
        """How a built-in kind is listed; None for a kind that a CRD defines."""
        return Resource(group=self.group, version=self.version, plural=self.plural) if self.version else None


def _custom(group: str, *kinds: str) -> list[Integration]:
    return [Integration(group=group, plural=f"{kind.lower()}s", kind=kind) for kind in kinds]


INTEGRATIONS = (
    Integration(group="batch", version="v1", plural="jobs", kind="Job"),
    Integration(group="batch", version="v1", plural="cronjobs", kind="CronJob"),
    Integration(group="", version="v1", plural="pods", kind="Pod"),
    Integration(group="apps", version="v1", plural="deployments", kind="Deployment"),
    Integration(group="apps", version="v1", plural="statefulsets", kind="StatefulSet"),
    *_custom("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    *_custom("jobset.x-k8s.io", "JobSet"),
    *_custom("kubeflow.org", "JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"),
    *_custom("trainer.kubeflow.org", "TrainJob"),
    *_custom("ray.io", "RayCluster", "RayJob", "RayService"),
    *_custom("sparkoperator.k8s.io", "SparkApplication", "ScheduledSparkApplication"),
    *_custom("workload.codeflare.dev", "AppWrapper"),
)
"""Source: pkg/controller/jobs of Kueue v0.12.2 to v0.19.2, and the frameworks their Configuration accepts.

All are known to 0.12 but TrainJob (0.14), RayService and Spark's two (0.17). CronJob and ScheduledSparkApplication are
no frameworks: they only make jobs of another kind.
"""

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
