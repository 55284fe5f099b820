"""The manifests of a snapshot that runs in the cluster itself: `--print-job`."""

import textwrap
from collections.abc import Sequence

from kueuelift import yaml_text
from kueuelift.armor import INSTEAD_OF_LOG, NODE_CUT
from kueuelift.model import KubernetesObject
from kueuelift.redaction import KEY_FILE
from kueuelift_snapshot.rights import ROLE
from kueuelift_snapshot.scope import Scope

NAMESPACE = "kueuelift"
_KEY_FOLDER = "/token-key"

_HOWTO = """\
# A snapshot taken inside the cluster. The archive is the Job's log; no volume and no copying is needed:
{key}#   kubectl apply -f THIS-FILE
#   kubectl -n {namespace} logs --follow --pod-running-timeout=5m job/{job} > SNAPSHOT.log
#   kueuelift inspect SNAPSHOT.log
#   kubectl delete -f THIS-FILE     (the namespace and all that is in it, a Secret with the token key as well)
{cut}
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


def manifests(image: str, scope: Scope, role: str, *, token_key_secret: str | None = None) -> str:
    """Namespace, ServiceAccount, ClusterRole, binding and Job, with how to use them, for `kubectl apply -f -`.

    `role` is the ClusterRole as YAML, as `rights.role_text` gives it.
    """
    account = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ROLE, "namespace": NAMESPACE}},
    ]
    used = [_binding(), _job(image, scope, token_key_secret)]
    documents = [*map(yaml_text.dump, account), role, *map(yaml_text.dump, used)]
    key = (
        _WITH_KEY.format(namespace=NAMESPACE, secret=token_key_secret, file=KEY_FILE)
        if token_key_secret
        else _WITHOUT_KEY
    )
    words = " ".join(_words(scope, token_key_secret))
    cut = f"Where inspect says that {NODE_CUT}, {INSTEAD_OF_LOG.partition(', as the head')[0]}:"
    cut = textwrap.fill(cut, 118, initial_indent="# ", subsequent_indent="# ")
    howto = _HOWTO.format(key=key, cut=cut, namespace=NAMESPACE, job=ROLE, words=words).replace("  >", " >")
    return howto + "".join(f"---\n{document}" for document in documents)


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
        *scope.options,
        *(["--token-key", f"{_KEY_FOLDER}/{KEY_FILE}"] if token_key_secret else []),
    ]
