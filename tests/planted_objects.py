"""Objects around Kueue with secrets at every place where people put them; each `take()` is another secret."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from kueuelift import yaml_text
from kueuelift.kinds import GROUP
from kueuelift.model import KubernetesObject

Take = Callable[[], str]
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
QUEUE = {"kueue.x-k8s.io/queue-name": "main"}


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def kubeconfig(token: str) -> str:
    return f"apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers:\n- name: a\n  user: {{token: {token}}}\n"


def obj(api_version: str, kind: str, name: str, **rest: Any) -> KubernetesObject:
    metadata = {"name": name, "namespace": "team-a", "labels": QUEUE, **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def pod_spec(take: Take) -> KubernetesObject:
    """A pod with a secret in each of its corners."""
    script = (
        f"export DB_PASSWORD='{take()}'; curl -u robot:{take()} -H 'Authorization: Bearer {take()}' "
        f"'https://api.example/x?access_token={take()}&page=2' --proxy http://u:{take()}@proxy:3128\n"
        f'mysql --user=root --password={take()} -h db && PGPASSWORD="{take()} with blanks" psql\n'
        f"echo {b64(json.dumps({'password': take()}))} | base64 -d > /config\n"
    )
    return {
        "imagePullSecrets": [{"name": "registry"}],
        "initContainers": [
            {"name": "init", "env": [{"name": "PLAIN", "value": take()}], "command": ["run", "--token", take()]}
        ],
        "ephemeralContainers": [
            {"name": "debug", "env": [{"name": "A", "value": take()}], "args": [f"--dsn={take()}"]}
        ],
        "containers": [
            {
                "name": "work",
                "image": "registry.example/work:1",
                "env": [
                    {"name": "CONFIG", "value": json.dumps({"a": b64(take())})},
                    {"name": "MANY_LINES", "value": f"first\n{take()}\nlast"},
                    {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                ],
                "args": ["sh", "-c", script],
                "lifecycle": {
                    "postStart": {"exec": {"command": ["curl", "-u", f"me:{take()}", "http://x"]}},
                    "preStop": {"httpGet": {"httpHeaders": [{"name": "X-Api-Key", "value": take()}]}},
                },
                "livenessProbe": {
                    "httpGet": {"httpHeaders": [{"name": "Authorization", "value": f"Basic {b64('u:' + take())}"}]}
                },
                "readinessProbe": {"exec": {"command": ["redis-cli", "-a", "--auth-token", take()]}},
            }
        ],
        "volumes": [
            {"name": "v", "csi": {"driver": "d", "volumeAttributes": {"accountKey": take(), "share": "s"}}},
            {"name": "f", "flexVolume": {"driver": "d/cifs", "options": {"password": take(), "mountOptions": "ro"}}},
            {"name": "s", "secret": {"secretName": "stays", "items": [{"key": "k", "path": "p"}]}},
        ],
    }


def annotations(take: Take) -> dict[str, str]:
    """Annotations as tools and people leave them."""
    applied = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"annotations": {"example.com/api-token": take(), "nested": json.dumps({"db": {"pwd": take()}})}},
        "spec": {"template": {"spec": pod_spec(take)}, "url": f"amqp://u:{take()}@mq"},
    }
    broken = json.dumps({"kind": "Pod", "spec": {"containers": [{"env": [{"name": "A", "value": take()}]}]}})[:-3]
    return {
        LAST_APPLIED: json.dumps(applied),
        "other.example/last-applied-configuration": broken,
        "example.com/db-password": take(),
        "example.com/config.yaml": f"host: db\n# password: {take()}\npassword: |\n  {take()}\n  and more\n",
        "example.com/packed": b64(json.dumps({"apiKey": take()})),
        "example.com/kubeconfig-of-worker": kubeconfig(take()),
        "example.com/note": f"kubectl create secret --token={take()} then call https://u:p@{take()}/x@host.example",
        "example.com/remote": f"git remote: https://oauth2:{take()}@git.example/team/x.git",
        "example.com/tokens": json.dumps({"tokens": {take(): "admin"}}),
    }


def workload_parts(take: Take) -> Iterator[KubernetesObject]:
    """What runs under Kueue."""
    template = {"metadata": {"annotations": {"api-key": take()}}, "spec": pod_spec(take)}
    told = f"Get https://u:{take()}@registry.example/v2/: token={take()} refused; password: {take()}"
    status = {"conditions": [{"type": "Failed", "status": "True", "message": told}]}
    yield obj(
        f"{GROUP}/v1beta1",
        "Workload",
        "planted",
        metadata={"annotations": annotations(take)},
        spec={"queueName": "main", "podSets": [{"name": "main", "count": 1, "template": template}]},
        status=status,
    )
    yield obj("batch/v1", "Job", "planted", spec={"suspend": True, "template": {"spec": pod_spec(take)}}, status=status)
    yield obj("v1", "Pod", "planted", spec=pod_spec(take), metadata={"annotations": annotations(take)})
    yield obj("v1", "PodTemplate", "planted", template={"spec": pod_spec(take)})
    yield obj(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        "planted",
        spec={"replicatedJobs": [{"name": "a", "template": {"spec": {"template": {"spec": pod_spec(take)}}}}]},
    )
    yield obj(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        "planted",
        spec={"leaderWorkerTemplate": {"workerTemplate": {"spec": pod_spec(take)}}},
    )
    yield obj(
        "ray.io/v1",
        "RayJob",
        "planted",
        spec={
            "entrypoint": f"python main.py --api-key {take()}",
            "runtimeEnvYAML": f"pip: [ray]\nenv_vars:\n  ANY: {take()}\n  OTHER: '{take()}'\n",
            "rayClusterSpec": {
                "gcsFaultToleranceOptions": {"redisPassword": {"value": take()}},
                "headGroupSpec": {"rayStartParams": {"redis-password": take()}, "template": {"spec": pod_spec(take)}},
            },
        },
    )
    yield obj(
        "sparkoperator.k8s.io/v1beta2",
        "SparkApplication",
        "planted",
        spec={
            "sparkConf": {
                "spark.hadoop.fs.s3a.secret.key": take(),
                "spark.executorEnv.ANY": take(),
                "spark.driver.extraJavaOptions": f"-Xmx1g -Dapi.password={take()}",
                "spark.hadoop.fs.azure.account.key.me.blob.core.windows.net": take(),
            },
            "hadoopConf": {"fs.s3a.access.key": take(), "javax.jdo.option.ConnectionPassword": take()},
            "driver": {"env": [{"name": "A", "value": take()}], "envVars": {"B": take()}},
            "executor": {"envVars": {"C": take()}, "javaOptions": f"-Dtoken={take()}"},
            "arguments": ["--secret", take()],
        },
    )
    yield obj(
        "workload.codeflare.dev/v1beta2",
        "AppWrapper",
        "planted",
        spec={"components": [{"template": obj("v1", "Secret", "inner", stringData={"any": take()})}]},
    )


def installation(take: Take) -> Iterator[KubernetesObject]:
    """The manager and what belongs to it."""
    configuration = (
        "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
        f"# token: {take()}\nmultiKueue:\n  clusterProfile:\n    credentialsProviders:\n    - name: cloud\n"
        f'      execConfig:\n        command: get\n        args: ["--password={take()}"]\n'
        f"        env:\n        - name: ANY\n          value: {take()}\n"
    )
    yield obj(
        "apps/v1",
        "Deployment",
        "kueue-controller-manager",
        metadata={"annotations": annotations(take)},
        spec={"template": {"spec": pod_spec(take)}},
    )
    yield obj(
        "v1",
        "ConfigMap",
        "kueue-manager-config",
        data={
            "controller_manager_config.yaml": configuration,
            "kubeconfig": kubeconfig(take()),
            "x.ini": f"pw = {take()}",
        },
        binaryData={"y": b64(take())},
    )
    yield obj("v1", "Service", "hook", spec={"externalName": "x"}, metadata={"annotations": {"auth-token": take()}})
    hook = {"name": "a", "clientConfig": {"caBundle": "Y2VydGlmaWNhdGU=", "url": f"https://u:{take()}@hook/x"}}
    yield obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", webhooks=[hook])
    yield obj(
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "kueue",
        rules=[{"resources": ["secrets"]}],
        metadata={"annotations": {LAST_APPLIED: json.dumps({"kind": "ClusterRole", "password": take()})}},
    )
    yield obj(
        "v1",
        "Secret",
        "multikueue",
        data={"kubeconfig": b64(kubeconfig(take())), "a": b64(b64(take()))},
        stringData={".dockerconfigjson": json.dumps({"auths": {"r": {"auth": b64(f"u:{take()}")}}})},
    )
    yield obj("v1", "List", "all", items=[obj("v1", "Secret", "n", data={"tls.key": b64(take())})])


def gitops(take: Take) -> Iterator[KubernetesObject]:
    """Who owns the installation."""
    values = {
        "managerConfig": {"secretToken": take()},
        "extra": {"anything": take(), "deep": [{"x": take()}], "number": 5},
        "kueueViz": {"backend": {"env": [{"name": "A", "value": take()}]}},
    }
    merge = {
        "kind": "Deployment",
        "spec": {"template": {"spec": {"containers": [{"name": "m", "env": [{"name": "A", "value": take()}]}]}}},
    }
    operations = [
        {"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "A", "value": take()}},
        {"op": "replace", "path": "/spec/template/spec/containers/0/env/0/value", "value": take()},
        {"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": f"--password={take()}"},
        {"op": "add", "path": "/metadata/annotations/example.com~1token", "value": take()},
        {"op": "add", "path": "/data/any", "value": take()},
    ]
    patches = [
        {"patch": yaml_text.dump(merge)},
        {"patch": yaml_text.dump(operations)},
        {"patch": json.dumps(operations)},
    ]
    yield obj(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        "kueue",
        spec={
            "chart": {"spec": {"chart": "kueue", "version": "0.10.0"}},
            "values": values,
            "valuesFrom": [{"kind": "Secret", "name": "stays", "valuesKey": "x"}],
            "postRenderers": [{"kustomize": {"patches": patches}}],
        },
        status={"conditions": [{"message": f"cannot log in to https://u:{take()}@charts.example"}]},
    )
    yield obj(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "kueue",
        spec={"postBuild": {"substitute": {"any": take(), "db_password": take()}}, "patches": patches},
    )
    yield obj(
        "source.toolkit.fluxcd.io/v1", "HelmRepository", "kueue", spec={"url": f"https://u:{quote(take())}@charts"}
    )
    source = {
        "repoURL": f"https://x:{take()}@git.example/kueue.git",
        "path": "charts/kueue",
        "helm": {
            "parameters": [
                {"name": "managerConfig.apiToken", "value": take()},
                {"name": "other.any", "value": take()},
                {"name": "kueueViz.backend.env[0].value", "value": take()},
            ],
            "values": yaml_text.dump(values),
            "valuesObject": values,
            "fileParameters": [{"name": "a", "path": "files/a"}],
        },
        "plugin": {
            "env": [{"name": "A", "value": take()}],
            "parameters": [
                {"name": "p", "string": take()},
                {"name": "q", "array": [take()]},
                {"name": "r", "map": {"x": take()}},
            ],
        },
        "directory": {"jsonnet": {"extVars": [{"name": "x", "value": take()}]}},
    }
    yield obj(
        "argoproj.io/v1alpha1",
        "Application",
        "kueue",
        spec={"source": source, "sources": [source]},
        operation={"sync": {"source": source}},
        status={
            "history": [{"source": source}],
            "operationState": {"message": f"git fetch https://t:{take()}@git.example failed", "operation": {}},
        },
    )


def everything(take: Take) -> Iterator[KubernetesObject]:
    """All of them."""
    yield from workload_parts(take)
    yield from installation(take)
    yield from gitops(take)
