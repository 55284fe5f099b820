"""The manifests of a snapshot that runs in the cluster itself: `--print-job`."""

from collections.abc import Sequence

from kueuelift import yaml_text
from kueuelift.model import KubernetesObject
from kueuelift.redaction import KEY_FILE
from kueuelift_snapshot.rights import ROLE, cluster_role
from kueuelift_snapshot.scope import Scope

NAMESPACE = "kueuelift"
_KEY_FOLDER = "/token-key"

_HOWTO = """\
# A snapshot taken inside the cluster. The archive is the Job's log; no volume and no copying is needed:
{key}#   kubectl apply -f THIS-FILE
#   kubectl -n {namespace} logs --follow --pod-running-timeout=5m job/{job} > SNAPSHOT.log
#   kueuelift inspect SNAPSHOT.log
#   kubectl delete -f THIS-FILE     (the namespace and all that is in it, a Secret with the token key as well)
# A node cuts logs, at 10 MiB unless it is set otherwise; inspect says so. Then let the container only wait, by
# `command: [sleep, 1h]`, and take the archive through exec:
#   kubectl -n {namespace} exec job/{job} -- kueuelift snapshot --archive - {words} > SNAPSHOT.tar.gz
# A Job that failed with exit code 3 has a snapshot in its log all the same; inspect says what is missing.
"""
_WITH_KEY = """\
#   kubectl create namespace {namespace}
#   kubectl -n {namespace} create secret generic {secret} --from-file={file}
"""
_WITHOUT_KEY = """\
# (Its token key is thrown away: hidden values cannot be compared with those of another snapshot. To keep one, print
# this again with --token-key-secret NAME.)
"""


def manifests(image: str, scope: Scope, *, token_key_secret: str | None = None) -> str:
    """Namespace, ServiceAccount, ClusterRole, binding and Job, with how to use them, for `kubectl apply -f -`."""
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ROLE, "namespace": NAMESPACE}},
        cluster_role(scope),
        _binding(),
        _job(image, scope, token_key_secret),
    ]
    key = (
        _WITH_KEY.format(namespace=NAMESPACE, secret=token_key_secret, file=KEY_FILE)
        if token_key_secret
        else _WITHOUT_KEY
    )
    words = " ".join(_words(scope, token_key_secret))
    howto = _HOWTO.format(key=key, namespace=NAMESPACE, job=ROLE, words=words).replace("  >", " >")
    return howto + "".join(f"---\n{yaml_text.dump(obj)}" for obj in objects)


def _binding() -> KubernetesObject:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": ROLE},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE},
        "subjects": [{"kind": "ServiceAccount", "name": ROLE, "namespace": NAMESPACE}],
    }


def _job(image: str, scope: Scope, token_key_secret: str | None) -> KubernetesObject:
    """One pod that is tried once, may write to a scratch volume only, and needs no privilege."""
    mounts = [{"name": "scratch", "mountPath": "/tmp"}]  # noqa: S108 - inside the pod, a volume of its own
    volumes: list[KubernetesObject] = [{"name": "scratch", "emptyDir": {}}]
    if token_key_secret:
        mounts.append({"name": "token-key", "mountPath": _KEY_FOLDER})
        volumes.append({"name": "token-key", "secret": {"secretName": token_key_secret, "defaultMode": 0o440}})
    container = {
        "name": "snapshot",
        "image": image,
        "command": ["kueuelift", "snapshot", "--archive", "-", "--armor", *_words(scope, token_key_secret)],
        "env": [{"name": "TMPDIR", "value": "/tmp"}],  # noqa: S108 - as above
        "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": mounts,
    }
    pod = {
        "serviceAccountName": ROLE,
        "restartPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "runAsGroup": 65532,
            "fsGroup": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": volumes,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": ROLE, "namespace": NAMESPACE},
        "spec": {"backoffLimit": 0, "template": {"spec": pod}},
    }


def _words(scope: Scope, token_key_secret: str | None) -> Sequence[str]:
    """The options of the scope, as they were given."""
    return [
        *scope.narrowed,
        *(f"--no-{part}" for part in scope.without),
        *(["--token-key", f"{_KEY_FOLDER}/{KEY_FILE}"] if token_key_secret else []),
    ]
