"""LocalQueue: the usage in the status takes the plural that its neighbour already had; the flavors there are gone."""

from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.conversion import Conversion, LossyField, Renamed, inner, rename


def _to_v1beta2(obj: KubernetesObject, _release: Release) -> None:
    rename(inner(obj, "status"), "flavorUsage", "flavorsUsage")


def _to_v1beta1(obj: KubernetesObject, _release: Release) -> None:
    rename(inner(obj, "status"), "flavorsUsage", "flavorUsage")


CONVERSION = Conversion(
    kind="LocalQueue",
    source="v1beta1",
    target="v1beta2",
    edit=_to_v1beta2,
    edit_back=_to_v1beta1,
    by_webhook=True,
    renamed=(Renamed(old="status.flavorUsage", new="status.flavorsUsage"),),
    lossy=(
        LossyField(
            path="status.flavors",
            reason="v1beta2 does not repeat the flavors here: read them from the ClusterQueue and its ResourceFlavors",
            source="kueue v0.17.0, apis/kueue/v1beta1/localqueue_conversion.go",
        ),
    ),
)
