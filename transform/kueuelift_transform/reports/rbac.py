"""rbac.yaml: the least that `apply` may do to carry out this plan."""

from collections.abc import Iterator
from itertools import product

from kueuelift import yaml_text
from kueuelift.cluster_role import merged
from kueuelift.kinds import GROUP, KINDS, group_of
from kueuelift_transform.report import Report
from kueuelift_transform.view import View

_CRDS = ("apiextensions.k8s.io", "customresourcedefinitions")
_ROLES = {"ClusterRole", "Role"}
"""Whoever writes these must hold what they grant, or be allowed to escalate."""

_UNSEEN = "# helm was not there to render the new chart: the kinds that only the new chart installs are missing here.\n"


def _render(view: View) -> str:
    rules = merged(
        {"apiGroups": [group], "resources": [resource], "verbs": verbs}
        for grant in (_reading, _rewriting, _stopping, _helming)
        for group, resource, *verbs in grant(view)
    )
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "kueuelift-apply"},
        "rules": rules,
    }
    unseen = "" if view.manifest or not view.steps_of("helm") else _UNSEEN
    return unseen + yaml_text.dump(role)


def _reading(view: View) -> Iterator[tuple[str, ...]]:
    """What check, backup, await and verify read, and the Lease that keeps a second apply out."""
    yield "", "namespaces", "get"
    # The backup is a snapshot as the plan's was.
    for rule in view.captured.snapshot.header["rights"]:
        for group, resource in product(rule["apiGroups"], rule["resources"]):
            yield group, resource, *rule["verbs"]
    yield "", "secrets", "get", "list"
    yield "apps", "deployments", "get"
    yield *_CRDS, "get", "list"
    for api_version, owner in sorted(view.ledger.owners):
        # A Workload that is missing has ended if its owner has.
        yield group_of(api_version), _resource(owner), "get"
    yield "coordination.k8s.io", "leases", "create", "delete", "get", "update"
    for kind in KINDS:
        yield GROUP, kind.plural, "get", "list"


def _rewriting(view: View) -> Iterator[tuple[str, ...]]:
    if view.steps_of("replace-crds") or view.steps_of("bridge-crds") or view.steps_of("keep-crds"):
        yield *_CRDS, "create", "patch", "update"
    if view.steps_of("await"):
        # Whether the new hooks answer is seen by a dry run.
        yield GROUP, "resourceflavors", "create"
    if view.steps_of("set-stored-versions"):
        yield _CRDS[0], f"{_CRDS[1]}/status", "patch", "update"
    for step in view.steps_of("rewrite-objects"):
        for plural in step.arguments["kinds"]:
            yield GROUP, plural, "update"
    for step in view.steps_of("restore-objects"):
        for plural in step.arguments["objects"]:
            yield GROUP, plural, "update"


def _stopping(view: View) -> Iterator[tuple[str, ...]]:
    if view.steps_of("hold"):
        yield "", "pods", "list"
        yield "apps", "deployments", "patch"
    for step in view.steps_of("disarm"):
        for hook in step.arguments["objects"]:
            yield hook["apiVersion"].partition("/")[0], _resource(hook["kind"]), "delete", "get"


def _helming(view: View) -> Iterator[tuple[str, ...]]:
    """What helm does to the release's record and to every kind of object in the old and the new manifest."""
    if not view.steps_of("helm"):
        return
    yield "", "secrets", "create", "delete", "patch", "update"
    if not view.captured.installed:
        yield "", "namespaces", "create"
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in (*view.manifest, *view.installation.manifest)}
    for api_version, kind in sorted(kinds):
        group = group_of(api_version)
        yield group, _resource(kind), "create", "get", "list", "patch", "update"
        if kind != "CustomResourceDefinition":
            # Without it, nothing that goes wrong in helm can delete a CRD and every object in it.
            yield group, _resource(kind), "delete"
        if kind in _ROLES:
            yield group, _resource(kind), "bind", "escalate"


def _resource(kind: str) -> str:
    """The resource of a kind: `Ingress` is ingresses, `NetworkPolicy` is networkpolicies."""
    name = kind.lower()
    if name.endswith("y") and not name.endswith("ey"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch")) else f"{name}s"


REPORT = Report(file="rbac.yaml", title="The least rights that apply needs", render=_render)
