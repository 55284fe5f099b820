"""What is kept of the release records that touch Kueue."""

import json
from typing import Any

import pytest

from helm_takes import BROKEN, NOT_READABLE, documents, read, record_of, take
from kueuelift.model import KubernetesObject
from kueuelift.redaction import is_token
from release_secrets import (
    FOREIGN_MANIFEST,
    HOOK_MANIFEST,
    QUEUE_MANIFEST,
    config_map,
    foreign,
    hook,
    release,
    secret,
)

BOMB = "kueue: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)


def test_a_record_is_read_whole() -> None:
    obj = secret(release(config={"controllerManager": {"replicas": 3}}))
    record = read(obj).record
    assert record.folder == ("kueue-system", "kueue", "v1")
    assert record.info() == {
        "namespace": "kueue-system",
        "storageNamespace": "kueue-system",
        "release": "kueue",
        "revision": 1,
        "driver": "secret",
        "status": "deployed",
        "description": "Install complete",
        "firstDeployed": "2026-01-05T08:00:00.123456789Z",
        "lastDeployed": "2026-02-06T09:00:00Z",
        "chart": {"name": "kueue", "version": "0.12.2", "appVersion": "v0.12.2"},
        "encodedBytes": len(obj["data"]["release"]) * 3 // 4 - obj["data"]["release"].count("="),
        "unparsed": [],
    }
    assert record.values == {"controllerManager": {"replicas": 3}}
    assert [obj["kind"] for obj in record.manifest] == ["LocalQueue"]


def test_the_record_of_the_other_driver_is_the_same_but_for_its_place() -> None:
    of_secret, of_map = read(secret()).record, read(config_map()).record
    assert of_map.folder == ("kueue-system", "kueue", "v1.configmap")
    assert of_map.info() == of_secret.info() | {"driver": "configmap"}
    assert of_map.manifest == of_secret.manifest


def test_values_are_recorded_as_given_and_as_computed() -> None:
    chart = release()["chart"] | {"values": {"controllerManager": {"replicas": 1, "tolerations": []}, "logLevel": "x"}}
    given = release(config={"controllerManager": {"replicas": 3}, "logLevel": None}) | {"chart": chart}
    record = read(secret(given)).record
    assert record.values == {"controllerManager": {"replicas": 3}, "logLevel": None}
    assert record.computed == {"controllerManager": {"replicas": 3, "tolerations": []}}


def test_hooks_are_recorded_with_their_moments() -> None:
    (found,) = record_of(hooks=[hook()]).hooks
    assert found.to_dict() == {
        "name": "kueue-setup",
        "kind": "Job",
        "path": "kueue/templates/setup.yaml",
        "events": ["pre-install", "pre-upgrade"],
        "weight": -5,
        "deletePolicies": ["before-hook-creation"],
        "lastRun": {"phase": "Succeeded", "startedAt": "2026-01-05T08:00:01Z"},
        "manifest": {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": "kueue-setup",
                "annotations": {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-weight": "-5"},
            },
        },
    }


@pytest.mark.parametrize(
    "record",
    [
        release(name="a", chart="my-kueue", manifest=""),
        release(name="a", chart="kueue-populator", manifest=FOREIGN_MANIFEST),
        release(name="a", chart="platform", manifest="", config={"hw-kueue": {"enabled": True}}),
        release(name="team-a-queues", chart="queues"),
        release(name="a", chart="x", manifest=FOREIGN_MANIFEST, hooks=[hook()]),
        foreign() | {"chart": {"metadata": {"name": "p", "version": "1"}, "values": {"global": {"kueue": {}}}}},
        foreign() | {"chart": {"metadata": {"name": "p", "version": "1", "dependencies": [{"name": "kueue"}]}}},
        release(
            name="a",
            chart="x",
            manifest="apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, labels: {kueue.x-k8s.io/queue-name: q}}",
        ),
    ],
)
def test_whatever_touches_kueue_is_kept(record: dict[str, Any]) -> None:
    assert read(secret(record)).record.release == record["name"]


@pytest.mark.parametrize(
    "obj",
    [
        secret(foreign()),
        secret(foreign(manifest="- no: {object")),
        config_map(foreign()),
        config_map(name="settings", data="kueue"),
        {**secret(data=BROKEN), "type": "Opaque"},
        {},
    ],
)
def test_what_has_nothing_to_do_with_kueue_or_helm_is_passed_by(obj: KubernetesObject) -> None:
    assert take(obj) == ([], [])


def test_a_manifest_of_a_removed_version_is_found_in_any_release() -> None:
    """As case 47 has it: whatever the release is called, and however old the version."""
    manifest = "apiVersion: kueue.x-k8s.io/v1alpha1\nkind: Cohort\nmetadata: {name: all}\n"
    record = record_of(name="team-a-queues", chart="queues", version=7, manifest=manifest)
    assert [obj["apiVersion"] for obj in record.manifest] == ["kueue.x-k8s.io/v1alpha1"]


def test_a_release_of_any_name_and_namespace_is_kueue() -> None:
    """As case 48 has it."""
    of_batch = release(name="batch", namespace="batch-system", config={"fullnameOverride": "batch-kueue"})
    record = read(secret(of_batch, namespace="batch-system")).record
    assert (record.namespace, record.release, record.values) == (
        "batch-system",
        "batch",
        {"fullnameOverride": "batch-kueue"},
    )


def test_a_revision_that_lies_there_twice_is_told() -> None:
    records, (found,) = take(secret(), secret(name="backup-of-kueue"))
    assert len(records) == 1
    assert found.what == "Secret kueue-system/backup-of-kueue"
    assert found.reason.endswith("revision 1 once more, which Secret kueue-system/sh.helm.release.v1.kueue.v1 holds")


def test_a_record_may_lie_in_another_namespace_than_its_release() -> None:
    """As Flux keeps it where a HelmRelease names a targetNamespace."""
    record = read(secret(release(), namespace="flux-system")).record
    assert (record.namespace, record.storage_namespace) == ("kueue-system", "flux-system")
    assert record.folder == ("flux-system", "kueue", "v1")
    assert record.full_name == "kueue-system/kueue (kept in flux-system)"


def test_revisions_of_one_release_in_two_places_are_two() -> None:
    records, failures = take(secret(), secret(namespace="flux-system"), config_map())
    assert [found.record.full_name for found in records] == [
        "kueue-system/kueue",
        "kueue-system/kueue (kept in flux-system)",
        "kueue-system/kueue (kept in ConfigMaps of kueue-system)",
    ]
    assert not failures


def test_a_place_that_no_server_has_is_a_failure() -> None:
    (found,) = take(secret(namespace="../x"))[1]
    assert found.reason.startswith(f"{NOT_READABLE}the namespace that it lies in: '../x' found, a name of")


def test_a_foreign_document_that_nobody_can_read_is_left_out_and_told() -> None:
    broken = "# Source: platform/charts/web/templates/odd.yaml\nkind: Service\nkind: Service"
    manifest = documents(broken, QUEUE_MANIFEST, "just text", "kind: Service", BOMB.replace("kueue", "bomb"))
    record = record_of(chart="platform", manifest=manifest, hooks=[hook("a: {", path="web.yaml", name="odd")])
    assert [obj["kind"] for obj in record.manifest] == ["LocalQueue"]
    assert record.hooks == ()
    starts = [
        "document 1 of its manifest (platform/charts/web/templates/odd.yaml): line ",
        "document 3 of its manifest: the document: str found, an object wanted",
        "document 4 of its manifest: apiVersion: None found, a text wanted",
        "document 5 of its manifest: ",
        "document 1 of its hook 1 (web.yaml): line ",
    ]
    assert len(record.unparsed) == len(starts)
    assert all(told.startswith(start) for told, start in zip(record.unparsed, starts, strict=True))


def test_what_looks_like_the_end_of_a_document_inside_a_text_is_none() -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue}\ndata:\n  a: |\n    x\n    ---\n    y\n  b: '--- z'\n"
    )
    assert [obj["kind"] for obj in record_of(manifest=text + "--- # two\n" + QUEUE_MANIFEST).manifest] == [
        "ConfigMap",
        "LocalQueue",
    ]


def test_a_list_is_the_objects_in_it() -> None:
    items = [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"kueue-{n}"}} for n in range(2)]
    manifest = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    assert [obj["metadata"]["name"] for obj in record_of(manifest=manifest).manifest] == ["kueue-0", "kueue-1"]


def test_a_list_of_one_kind_is_the_objects_in_it() -> None:
    items = [{"metadata": {"name": "kueue-a"}}, {"kind": "Odd", "apiVersion": "v2", "metadata": {"name": "b"}}]
    pods = {"apiVersion": "v1", "kind": "PodList", "items": items}
    named = {"apiVersion": "v1", "kind": "List", "metadata": {"name": "x"}, "items": [pods, *items[1:]]}
    manifest = documents(json.dumps(named), json.dumps(pods | {"items": None}))
    record = record_of(manifest=manifest)
    assert [(obj["apiVersion"], obj["kind"], obj["metadata"]["name"]) for obj in record.manifest] == [
        ("v1", "Pod", "kueue-a"),
        ("v2", "Odd", "b"),
        ("v2", "Odd", "b"),
    ]


def test_each_file_counts_its_own_tokens() -> None:
    manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: kueue-key}\ndata: {a: aHVudGVyMjI=, b: aHVudGVyMjI=}\n"
    secrets = {"extra": {"password": "hunter22"}}
    chart = release()["chart"] | {"values": {"extra": {"token": "from-chart"}}}
    job = HOOK_MANIFEST + 'spec: {template: {spec: {containers: [{name: a, args: ["hunter22", "from-chart"]}]}}}'
    info = release()["info"] | {"description": "Upgrade failed: hunter22 refused"}
    found = read(secret(release(config=secrets, manifest=manifest, hooks=[hook(job)], info=info) | {"chart": chart}))
    assert {name: redacted.tokens for name, redacted in found.hidden.items()} == {
        "release.json": 1,
        "values.yaml": 1,
        "computed.yaml": 2,
        "manifest.yaml": 2,
        "hooks.yaml": 2,
    }
    record = found.record
    assert is_token(record.values["extra"]["password"])
    assert is_token(record.computed["extra"]["token"])
    assert is_token(record.manifest[0]["data"]["a"])
    written = json.dumps([record.info(), record.values, record.computed, record.manifest, record.hooks[0].to_dict()])
    assert "hunter22" not in written
    assert "from-chart" not in written
