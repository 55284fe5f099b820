"""MultiKueueCluster: the two ways to reach a cluster move under one field."""

from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, LossyField, Renamed, inner


def _to_v1beta2(obj: KubernetesObject, _release: Release) -> None:
    spec = inner(obj, "spec")
    spec.pop("clusterSource", None)
    kube_config, profile_ref = spec.pop("kubeConfig", None), spec.pop("clusterProfileRef", None)
    source = {}
    if kube_config and kube_config.get("location"):
        source["kubeConfig"] = kube_config
    if profile_ref is not None:
        source["clusterProfileRef"] = profile_ref
    if source:
        spec["clusterSource"] = source


def _to_v1beta1(obj: KubernetesObject, _release: Release) -> None:
    spec = inner(obj, "spec")
    source = spec.pop("clusterSource", None) or {}
    spec.update({field: source[field] for field in ("kubeConfig", "clusterProfileRef") if field in source})


def _respell(obj: KubernetesObject, _release: Release) -> None:
    # Beside a profile, an empty kubeConfig is only what reading at v1beta1 has to show, and its type a default.
    spec = inner(obj, "spec")
    if spec.get("clusterProfileRef") and not inner(spec, "kubeConfig").get("location"):
        spec.pop("kubeConfig", None)


CONVERSION = Conversion(
    kind="MultiKueueCluster",
    source="v1beta1",
    target="v1beta2",
    edit=_to_v1beta2,
    edit_back=_to_v1beta1,
    respell=_respell,
    by_webhook=True,
    renamed=(
        Renamed(old="spec.kubeConfig", new="spec.clusterSource.kubeConfig"),
        Renamed(old="spec.clusterProfileRef", new="spec.clusterSource.clusterProfileRef"),
    ),
    lossy=(
        LossyField(
            path="spec.kubeConfig",
            reason="without a location there is no kubeConfig in v1beta2, and nothing says how to reach the cluster",
            source="kueue v0.17.0, apis/kueue/v1beta1/multikueue_conversion.go",
            homeless=False,
        ),
    ),
)
