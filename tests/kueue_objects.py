"""Valid v1beta1 objects of every kind, as hypothesis strategies: what a 0.17 API server and Kueue's webhooks accept."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kueuelift.kinds import BY_NAME, api_version
from kueuelift.model import KubernetesObject

Objects = SearchStrategy[KubernetesObject]

SOURCE = "v1beta1"
NAMESPACE = "default"

names = st.from_regex(r"[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,5})?", fullmatch=True)
label_keys = st.one_of(names, names.map("example.com/{}".format))
words = st.sampled_from(["", "a", "blue", "x-1"])
resource_names = st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "example.com/token", "ephemeral-storage"])
quantities: SearchStrategy[str | int] = st.one_of(
    st.integers(0, 10**6),
    st.integers(0, 10**4).map(str),
    st.builds("{}{}".format, st.integers(0, 4096), st.sampled_from(["m", "k", "Ki", "Mi", "Gi", "e3", "E2", "u"])),
    st.sampled_from(["0.5", "1.25", "0.1Gi", "9.85Ti", "+3", ".5", "7.", "1.500"]),
)
label_maps = st.dictionaries(label_keys, words, max_size=2)


def fields(**optional: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Objects in which each field may be missing."""
    return st.fixed_dictionaries({}, optional=optional)


def _objects(kind: str, **body: SearchStrategy[Any]) -> Objects:
    metadata = fields(labels=label_maps, annotations=label_maps)
    namespace = {"namespace": NAMESPACE} if BY_NAME[kind].namespaced else {}
    return st.builds(
        lambda name, extra, parts: {
            "apiVersion": api_version(SOURCE),
            "kind": kind,
            "metadata": {"name": name, **namespace, **extra},
            **parts,
        },
        names,
        metadata,
        st.fixed_dictionaries(body),
    )


fair_sharing = fields(weight=st.one_of(st.integers(0, 9), st.sampled_from(["1", "750m", "0.5", "2"])))
stop_policies = st.sampled_from(["None", "Hold", "HoldAndDrain"])


@st.composite
def resource_groups(draw: st.DrawFn, *, limits: bool) -> list[dict[str, Any]]:
    """Groups in which no resource and no flavor turns up twice; borrowing and lending limits only where they may be."""
    resources = draw(st.lists(resource_names, min_size=1, max_size=4, unique=True))
    flavors = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    cut = draw(st.integers(1, len(resources)))
    parts = [(resources[:cut], flavors[:1])]
    if resources[cut:] and flavors[1:]:
        parts.append((resources[cut:], flavors[1:]))
    return [draw(_group(covered, names_, limits=limits)) for covered, names_ in parts]


@st.composite
def _group(draw: st.DrawFn, covered: list[str], flavors: list[str], *, limits: bool) -> dict[str, Any]:
    def quota(resource: str) -> dict[str, Any]:
        made: dict[str, Any] = {"name": resource, "nominalQuota": draw(quantities)}
        if limits and draw(st.booleans()):
            made["borrowingLimit"] = draw(quantities)
        if limits and draw(st.booleans()):
            # At most the quota itself.
            made["lendingLimit"] = draw(st.sampled_from([0, "0", made["nominalQuota"]]))
        return made

    rows = [{"name": flavor, "resources": [quota(resource) for resource in covered]} for flavor in flavors]
    return {"coveredResources": covered, "flavors": rows}


selectors = st.one_of(
    st.just({}),
    st.builds(lambda labels: {"matchLabels": labels}, label_maps),
    st.just({"matchExpressions": [{"key": "team", "operator": "In", "values": ["a", "b"]}]}),
    st.just({"matchExpressions": [{"key": "team", "operator": "Exists"}]}),
)
fungibilities = st.one_of(
    fields(
        whenCanBorrow=st.sampled_from(["Borrow", "MayStopSearch", "TryNextFlavor"]),
        whenCanPreempt=st.sampled_from(["Preempt", "MayStopSearch", "TryNextFlavor"]),
    ),
    st.just(
        {
            "whenCanBorrow": "TryNextFlavor",
            "whenCanPreempt": "TryNextFlavor",
            "preference": "PreemptionOverBorrowing",
        }
    ),
)
preemptions = st.one_of(
    fields(withinClusterQueue=st.sampled_from(["Never", "LowerPriority", "LowerOrNewerEqualPriority"])),
    st.builds(
        lambda reclaim, borrow: {"reclaimWithinCohort": reclaim, "borrowWithinCohort": borrow},
        st.sampled_from(["LowerPriority", "Any"]),
        fields(policy=st.sampled_from(["Never", "LowerPriority"]), maxPriorityThreshold=st.integers(-5, 100)),
    ),
)


@st.composite
def _cluster_queue_specs(draw: st.DrawFn) -> dict[str, Any]:
    spec: dict[str, Any] = draw(
        fields(
            queueingStrategy=st.sampled_from(["StrictFIFO", "BestEffortFIFO"]),
            namespaceSelector=selectors,
            flavorFungibility=fungibilities,
            preemption=preemptions,
            stopPolicy=stop_policies,
            fairSharing=fair_sharing,
            admissionScope=st.just({"admissionMode": "UsageBasedAdmissionFairSharing"}),
        )
    )
    if draw(st.booleans()):
        spec["cohort"] = draw(names)
    if draw(st.booleans()):
        spec["resourceGroups"] = draw(resource_groups(limits="cohort" in spec))
    checks = draw(st.lists(names, max_size=3, unique=True))
    flavors = [flavor["name"] for group in spec.get("resourceGroups", []) for flavor in group["flavors"]]
    match draw(st.sampled_from(["none", "list", "strategy", "both"])):
        case "list":
            spec["admissionChecks"] = checks
        case "strategy" if checks:
            spec["admissionChecksStrategy"] = {"admissionChecks": [_rule(check, flavors) for check in checks]}
        case "both" if checks:
            spec["admissionChecks"] = checks
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": "other", "onFlavors": flavors}]}
    return spec


def _rule(check: str, flavors: list[str]) -> dict[str, Any]:
    return {"name": check, "onFlavors": flavors[:1]} if flavors else {"name": check}


@st.composite
def _cohort_specs(draw: st.DrawFn) -> dict[str, Any]:
    spec: dict[str, Any] = draw(fields(parentName=names, fairSharing=fair_sharing))
    if draw(st.booleans()):
        spec["resourceGroups"] = draw(resource_groups(limits="parentName" in spec))
    return spec


tolerations = st.sampled_from(
    [{"key": "gpu", "operator": "Exists"}, {"operator": "Exists"}, {"key": "a", "value": "b", "effect": "NoSchedule"}]
)
flavor_specs = st.one_of(
    fields(
        nodeLabels=label_maps,
        nodeTaints=st.just([{"key": "spot", "value": "true", "effect": "NoSchedule"}]),
        tolerations=st.lists(tolerations, max_size=2),
    ),
    st.builds(lambda topology: {"topologyName": topology, "nodeLabels": {"pool": "gpu"}}, names),
)

containers = st.builds(
    lambda name, resources, extra: {"name": name, "image": "img", "resources": resources, **extra},
    names,
    fields(
        requests=st.dictionaries(resource_names, quantities, max_size=2),
        limits=st.just({"cpu": "1000m", "memory": "1024Mi"}),
    ),
    fields(
        command=st.lists(words, max_size=2),
        env=st.just([{"name": "A", "value": ""}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]),
        ports=st.just([{"containerPort": 80}]),
        readinessProbe=st.just({"httpGet": {"port": "http"}, "periodSeconds": 0}),
        securityContext=st.sampled_from([{}, {"runAsUser": 0, "privileged": False}]),
    ),
)
pod_specs = st.builds(
    lambda one, extra: {"containers": [one], "restartPolicy": "Never", **extra},
    containers,
    fields(
        nodeSelector=label_maps,
        volumes=st.just([{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}, {"name": "w", "emptyDir": {}}]),
        tolerations=st.lists(tolerations, max_size=1),
        terminationGracePeriodSeconds=st.sampled_from([0, 30]),
        hostNetwork=st.booleans(),
        imagePullSecrets=st.just([{}]),
        overhead=st.just({"cpu": "0.25"}),
    ),
)
pod_templates = st.builds(
    lambda metadata, spec: {**metadata, "spec": spec},
    fields(metadata=st.sampled_from([{}, {"labels": {"a": "b"}}, {"labels": {"a": ""}, "annotations": {}}])),
    pod_specs,
)


@st.composite
def pod_sets(draw: st.DrawFn) -> dict[str, Any]:
    """One pod set named by a letter; the caller keeps names apart."""
    made: dict[str, Any] = {"count": draw(st.integers(1, 6)), "template": draw(pod_templates)}
    request = draw(st.sampled_from([None, {"required": "example.com/rack"}, {"preferred": "example.com/rack"}]))
    if request is not None:
        made["topologyRequest"] = request
    return made


@st.composite
def _workload_specs(draw: st.DrawFn) -> dict[str, Any]:
    spec: dict[str, Any] = draw(
        fields(queueName=names, active=st.booleans(), maximumExecutionTimeSeconds=st.integers(1, 9999))
    )
    sets = draw(st.lists(pod_sets(), min_size=1, max_size=3))
    spec["podSets"] = [{"name": f"set-{letter}", **made} for letter, made in zip("abc", sets, strict=False)]
    match draw(st.sampled_from(["none", "kueue", "pod", "number"])):
        case "kueue":
            source = "kueue.x-k8s.io/workloadpriorityclass"
            spec |= {"priority": 7, "priorityClassName": draw(names), "priorityClassSource": source}
        case "pod":
            source = "scheduling.k8s.io/priorityclass"
            spec |= {"priority": 0, "priorityClassName": draw(names), "priorityClassSource": source}
        case "number":
            spec |= {"priority": draw(st.integers(-9, 9))}
    return spec


STRATEGIES: dict[str, Objects] = {
    "Topology": _objects(
        "Topology",
        spec=st.sampled_from(
            [
                {"levels": [{"nodeLabel": "example.com/block"}, {"nodeLabel": "kubernetes.io/hostname"}]},
                {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]},
            ]
        ),
    ),
    "ResourceFlavor": _objects("ResourceFlavor", spec=flavor_specs),
    "ProvisioningRequestConfig": _objects(
        "ProvisioningRequestConfig",
        spec=st.builds(
            lambda name, extra: {"provisioningClassName": name, **extra},
            names,
            fields(
                parameters=label_maps,
                managedResources=st.just(["nvidia.com/gpu"]),
                retryStrategy=fields(backoffLimitCount=st.integers(0, 9), backoffMaxSeconds=st.just(60)),
                podSetUpdates=st.just({"nodeSelector": [{"key": "a/b", "valueFromProvisioningClassDetail": "d"}]}),
            ),
        ),
    ),
    "MultiKueueCluster": _objects(
        "MultiKueueCluster",
        spec=st.one_of(
            st.builds(
                lambda location, extra: {"kubeConfig": {"location": location, **extra}},
                names,
                fields(locationType=st.sampled_from(["Secret", "Path"])),
            ),
            st.builds(lambda name: {"kubeConfig": {"location": ""}, "clusterProfileRef": {"name": name}}, names),
        ),
    ),
    "MultiKueueConfig": _objects(
        "MultiKueueConfig",
        spec=st.builds(lambda clusters: {"clusters": clusters}, st.lists(names, min_size=1, max_size=3, unique=True)),
    ),
    "AdmissionCheck": _objects(
        "AdmissionCheck",
        spec=st.builds(
            lambda extra: {"controllerName": "example.com/check", **extra},
            fields(
                retryDelayMinutes=st.integers(1, 60),
                parameters=st.just({"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "m"}),
            ),
        ),
    ),
    "WorkloadPriorityClass": _objects(
        "WorkloadPriorityClass", value=st.integers(-(2**31), 2**31 - 1), description=words
    ),
    "Cohort": _objects("Cohort", spec=_cohort_specs()),
    "ClusterQueue": _objects("ClusterQueue", spec=_cluster_queue_specs()),
    "LocalQueue": _objects(
        "LocalQueue",
        spec=st.builds(
            lambda queue, extra: {"clusterQueue": queue, **extra},
            names,
            fields(stopPolicy=stop_policies, fairSharing=fair_sharing),
        ),
    ),
    "Workload": _objects("Workload", spec=_workload_specs()),
}
"""By kind, in the order of `kueuelift.kinds`."""
