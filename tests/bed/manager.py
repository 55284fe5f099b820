"""One real Kueue manager, started as its Deployment says, on loopback ports and with files of its own."""

import base64
import http.client
import json
import os
from pathlib import Path

from bed import deployment as deployments
from bed import manager_configuration
from bed.api import KubernetesObject
from bed.control_plane import ControlPlane
from bed.process import ChildProcess, free_port

_TOKEN_SECONDS = 24 * 3600


class Manager:
    """The process of one pod template; `template` tells it from its successor."""

    def __init__(self, cluster: ControlPlane, deployment: KubernetesObject, program: Path) -> None:
        self._cluster = cluster
        self.namespace = str(deployment["metadata"]["namespace"])
        self.template = deployments.template_hash(deployment)
        self.port, self._health, metrics = free_port(), free_port(), free_port()
        self.directory = cluster.directory / f"manager-{self.port}"
        self.certificates = self.directory / "serving-certs"
        self.certificates.mkdir(parents=True)
        self._secret = deployments.volume_source(deployment, "cert", "secret", "secretName")
        configuration = manager_configuration.on_loopback(
            self._configuration(deployment),
            webhook_port=self.port,
            health_port=self._health,
            metrics_port=metrics,
            certificates=self.certificates,
        )
        path = self.directory / "controller_manager_config.yaml"
        # JSON is YAML, so the manager reads it all the same.
        path.write_text(json.dumps(configuration, indent=1), encoding="utf-8")
        arguments = manager_configuration.arguments(
            list(deployments.container(deployment).get("args", [])),
            path=path,
            gates_in_file=configuration.get("featureGates") is not None,
        )
        environment = {"POD_NAMESPACE": self.namespace, "KUBECONFIG": str(self._kubeconfig(deployment))}
        self.process = ChildProcess(
            [program, *arguments],
            log=cluster.directory / f"manager-{self.port}.log",
            env={"PATH": os.environ.get("PATH", ""), **environment},
        )

    def sync_certificates(self) -> None:
        """Brings the Secret's files into the pod, as a kubelet does; the manager itself fills the Secret."""
        secret = self._cluster.api.find(f"/api/v1/namespaces/{self.namespace}/secrets/{self._secret}") or {}
        data: dict[str, str] = secret.get("data") or {}
        if not {"tls.crt", "tls.key"} <= data.keys():
            return
        for name, text in sorted(data.items()):
            file, content = self.certificates / name, base64.b64decode(text)
            if not file.exists() or file.read_bytes() != content:
                fresh = file.with_suffix(".new")
                fresh.write_bytes(content)
                fresh.rename(file)

    def ready(self) -> bool:
        """Whether the readiness probe succeeds."""
        connection = http.client.HTTPConnection("127.0.0.1", self._health, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (http.client.HTTPException, OSError):
            return False
        finally:
            connection.close()

    def _configuration(self, deployment: KubernetesObject) -> str:
        name = deployments.volume_source(deployment, "manager-config", "configMap", "name")
        data = self._cluster.api.get(f"/api/v1/namespaces/{self.namespace}/configmaps/{name}")["data"]
        return str(data["controller_manager_config.yaml"])

    def _kubeconfig(self, deployment: KubernetesObject) -> Path:
        """Credentials of the pod's service account, so that the manager has the rights that its chart gives it."""
        account = deployment["spec"]["template"]["spec"].get("serviceAccountName", "default")
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
        answer = self._cluster.api.create(
            f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}/token",
            {**request, "spec": {"expirationSeconds": _TOKEN_SECONDS}},
        )
        path = self.directory / "kubeconfig"
        self._cluster.write_kubeconfig(path, user=account, token=answer["status"]["token"])
        return path
