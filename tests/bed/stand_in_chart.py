"""The chart of Kueue 0.12.2, which is not to be had: its shape in `charts/`, its CRDs as the project bundles them."""

import shutil
from pathlib import Path

import yaml

from kueuelift.crd import ServiceReference, bundled

RELEASE = "0.12.2"
SOURCE = Path(__file__).parent / "charts" / f"kueue-{RELEASE}"

# Helm fills in both, as it does in the real chart's CRDs.
_SERVICE = ServiceReference(
    namespace="{{ .Release.Namespace }}", name='{{ include "kueue.fullname" . }}-webhook-service'
)

USER_VALUES = {
    "controllerManager": {"replicas": 1},
    "extra": {"password": "hunter2"},
    "managerConfig": {
        "controllerManagerConfigYaml": yaml.safe_dump(
            {
                "apiVersion": "config.kueue.x-k8s.io/v1beta1",
                "kind": "Configuration",
                "health": {"healthProbeBindAddress": ":8081"},
                "metrics": {"bindAddress": ":8443"},
                "webhook": {"port": 9443},
                "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
                "internalCertManagement": {
                    "enable": True,
                    "webhookServiceName": "kueue-webhook-service",
                    "webhookSecretName": "kueue-webhook-server-cert",
                },
                "waitForPodsReady": {"enable": False},
                "fairSharing": {"enable": False},
                "clientConnection": {"qps": 50, "burst": 100},
                "integrations": {"frameworks": ["batch/job"]},
            },
            sort_keys=False,
        )
    },
}
"""What the cluster's operator set: a Configuration at v1beta1, and something of her own that no one should read."""


def write(directory: Path, *, hooks: bool = True) -> Path:
    """Writes the chart below a directory; without `hooks` nothing in it calls a manager, so objects can be seeded."""
    chart = directory / ("kueue" if hooks else "kueue-without-hooks")
    shutil.copytree(SOURCE, chart)
    if not hooks:
        (chart / "templates" / "webhook" / "manifests.yaml").unlink()
        (chart / "templates" / "visibility" / "visibility.yaml").unlink()
    crds = chart / "templates" / "crd"
    crds.mkdir()
    for plural, crd in bundled(RELEASE, service=_SERVICE).items():
        text = yaml.safe_dump(crd, sort_keys=False, width=10**6)
        (crds / f"kueue.x-k8s.io_{plural}.yaml").write_text(text, encoding="utf-8")
    return chart
