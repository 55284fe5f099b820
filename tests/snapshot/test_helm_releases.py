import json
import resource
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kueuelift import yaml_text
from kueuelift.helm_record import HelmRecord
from kueuelift.model import Failure, KubernetesObject
from kueuelift.redaction import TokenKey, is_token
from kueuelift.sealed import canonical_json
from kueuelift_snapshot.helm_reading import Release
from kueuelift_snapshot.helm_releases import DRIVERS, Releases
from kueuelift_snapshot.redaction import Redactor
from release_secrets import (
    FOREIGN_MANIFEST,
    HOOK_MANIFEST,
    QUEUE_MANIFEST,
    config_map,
    encoded,
    foreign,
    hook,
    release,
    secret,
)

REDACTOR = Redactor(TokenKey(b"k" * 32))
BROKEN = "!!notbase64"
NOT_READABLE = "holds no readable Helm release record: "


def take(*objects: KubernetesObject) -> tuple[list[Release], list[Failure]]:
    releases = Releases(REDACTOR)
    found = [one for one in map(releases.take, objects) if one]
    for one in found:
        assert read_back(one.record) == one.record
    return found, releases.failures()


def read(obj: KubernetesObject) -> Release:
    (found,), failures = take(obj)
    assert not failures
    return found


def record_of(**changes: Any) -> HelmRecord:
    return read(secret(release(**changes))).record


def read_back(record: HelmRecord) -> HelmRecord:
    """The record after it has been written and read."""
    return HelmRecord.from_parts(
        json.loads(canonical_json(record.info())),
        values=yaml_text.load(yaml_text.dump(dict(record.values)), "values"),
        computed=yaml_text.load(yaml_text.dump(dict(record.computed)), "computed"),
        manifest=[yaml_text.load(yaml_text.dump(obj), "manifest") for obj in record.manifest],
        hooks=[yaml_text.load(yaml_text.dump(one.to_dict()), "hooks") for one in record.hooks],
        origin="helm",
    )


def failure(obj: KubernetesObject) -> Failure:
    records, (found,) = take(obj)
    assert not records
    return found


def reason(obj: KubernetesObject) -> str:
    found = failure(obj)
    assert found.what == "Secret kueue-system/sh.helm.release.v1.kueue.v1"
    assert found.remedy
    assert not found.foreign
    return found.reason.removeprefix(NOT_READABLE)


def reason_of(**changes: Any) -> str:
    return reason(secret(data=encoded(json.dumps(release() | changes).encode())))


def documents(*texts: str) -> str:
    return "".join(f"---\n{text}\n" for text in texts)


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


def test_one_readable_revision_among_corrupt_ones() -> None:
    """As case 43 has it: v2 can be read, v3 is truncated, v4 is not base64."""
    good = secret(release(version=2))
    truncated = secret(release(version=3), data=good["data"]["release"][: len(good["data"]["release"]) // 8 * 4])
    records, failures = take(good, truncated, secret(release(version=4), data=BROKEN))
    assert [found.record.revision for found in records] == [2]
    assert [(it.what, it.reason, it.foreign) for it in failures] == [
        (
            "Secret kueue-system/sh.helm.release.v1.kueue.v3",
            f"{NOT_READABLE}its gzip stream is truncated",
            False,
        ),
        ("Secret kueue-system/sh.helm.release.v1.kueue.v4", f"{NOT_READABLE}not base64", False),
    ]


@pytest.mark.parametrize(
    ("others", "is_foreign"),
    [
        ([], False),
        ([secret(foreign())], True),
        ([config_map(foreign())], True),
        ([secret(foreign(name="other"))], False),
        ([secret(foreign()), secret(release(name="web", version=3))], False),
        ([secret(foreign()), secret(release(name="web", version=3) | {"manifest": "kueue: {"})], False),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_an_unreadable_record_is_foreign_where_all_other_revisions_are(
    others: list[KubernetesObject], is_foreign: bool, last: bool
) -> None:
    broken = secret(foreign(version=2), data=BROKEN)
    _, failures = take(*others, broken) if last else take(broken, *others)
    assert [it.foreign for it in failures if it.what.endswith("web.v2")] == [is_foreign]


def test_a_release_of_the_same_name_elsewhere_says_nothing() -> None:
    elsewhere = secret(foreign(), namespace="other")
    _, (found,) = take(elsewhere, secret(foreign(version=2), data=BROKEN))
    assert not found.foreign


def test_name_and_label_must_agree_on_what_is_foreign() -> None:
    broken = secret(foreign(version=2), data=BROKEN)
    broken["metadata"]["labels"]["name"] = "kueue"
    _, (found,) = take(secret(foreign()), broken)
    assert not found.foreign
    broken["metadata"] = {"name": "nobody-knows", "namespace": "kueue-system"}
    _, (found,) = take(secret(foreign()), broken)
    assert not found.foreign


def test_a_broken_record_that_names_kueue_is_not_foreign_whatever_the_others_are() -> None:
    content = json.dumps(release(name="web", version=2, manifest="kueue " + "".join(map(chr, range(256, 1200)))))
    whole = encoded(content.encode())
    _, (found,) = take(secret(foreign()), secret(foreign(version=2), data=whole[: len(whole) // 8 * 7 // 4 * 4]))
    assert found.reason == f"{NOT_READABLE}its gzip stream is truncated"
    assert not found.foreign


def test_a_list_that_begins_again_is_forgotten() -> None:
    releases = Releases(REDACTOR)
    for _ in range(2):
        for driver in DRIVERS:
            releases.forget(driver.name)
        assert releases.take(secret())
        assert releases.take(config_map(release(version=2)))
        assert releases.take(secret(release(version=3), data=BROKEN)) is None
    assert [it.what for it in releases.failures()] == ["Secret kueue-system/sh.helm.release.v1.kueue.v3"]
    releases.forget("secret")
    assert releases.failures() == []


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


def test_an_unreadable_record_is_foreign_by_the_place_where_the_others_lie() -> None:
    others = secret(foreign(namespace="web"), namespace="flux-system")
    _, (found,) = take(others, secret(foreign(version=2), data=BROKEN, namespace="flux-system"))
    assert found.foreign
    _, (found,) = take(others, secret(foreign(version=2), data=BROKEN, namespace="web"))
    assert not found.foreign


def test_a_place_that_no_server_has_is_a_failure() -> None:
    (found,) = take(secret(namespace="../x"))[1]
    assert found.reason.startswith(f"{NOT_READABLE}the namespace that it lies in: '../x' found, a name of")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"name": None}, "no `name` in it"),
        ({"name": "--post-renderer=x"}, "its name: '--post-renderer=x' found, a name of"),
        ({"name": "../../x"}, "its name: '../../x' found, a name of"),
        ({"name": "a\u0000b"}, "its name: 'a\\x00b' found, a name of"),
        ({"namespace": "Kueue"}, "its namespace: 'Kueue' found, a name of"),
        ({"chart": None}, "no `chart` in it"),
        ({"chart": {"metadata": {"version": "1"}}}, "no `chart.metadata.name` in it"),
        ({"version": "one"}, "no revision in it"),
        ({"version": True}, "no revision in it"),
        ({"config": ["kueue"]}, "its values are no mapping"),
        ({"info": []}, "no `info` in it"),
        ({"info": {}}, "no `info.status` in it"),
        ({"manifest": 5}, "its manifest is no text"),
        ({"hooks": [1]}, "its hooks are no list of objects"),
        (
            {"hooks": [hook("kueue: {")]},
            "document 1 of its hook 1 (kueue/templates/setup.yaml): line 2: not valid YAML",
        ),
        ({"manifest": "kueue: {"}, "document 1 of its manifest: line 2: not valid YAML"),
        ({"manifest": "just kueue"}, "document 1 of its manifest: the document: str found, an object wanted"),
        ({"manifest": "- kueue"}, "document 1 of its manifest: the document: list found, an object wanted"),
        ({"manifest": "kueue: 1\nkueue: 2\n"}, "document 1 of its manifest: line 2: not valid YAML: key"),
        ({"manifest": "kind: kueue\n"}, "document 1 of its manifest: apiVersion: None found, a text wanted"),
        ({"manifest": "kueue: a\u0000b"}, "document 1 of its manifest: "),
        ({"manifest": "kueue: " + "[" * 5000 + "]" * 5000}, "document 1 of its manifest: "),
        ({"manifest": "kueue: " + "{a: " * 150 + "}" * 150}, "document 1 of its manifest: nested more than 100 levels"),
        ({"manifest": "kueue: &a [*a]"}, "document 1 of its manifest: line 1: not valid YAML"),
        ({"manifest": "kueue: .nan"}, "document 1 of its manifest: not valid YAML: nan"),
        ({"config": json.loads('{"a": ' * 300 + "1" + "}" * 300)}, "its values: nested more than 100 levels deep"),
    ],
)
def test_a_record_of_another_shape_is_a_failure(change: dict[str, Any], wanted: str) -> None:
    assert reason_of(**change).startswith(wanted)


BOMB = "kueue: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    "manifest",
    [
        BOMB,
        "kueue:\n" + "- \n" * 2_000_000,
        "kueue:\n" + "- - - - - - - - - - a\n" * 200_000,
        "kueue: [" + "[], " * 1_000_000 + "]",
        "kueue: [" + "*a, " * 1_000_000 + "]",
        "kueue: " + "[" * 1_000_000,
        "kueue: 0x" + "f" * 10_000_000 + "\n",
        QUEUE_MANIFEST.replace("shared", '"' + "x" * 10_000_000) * 2,
        documents(*["kueue: [" + "a, " * 100_000 + "]"] * 20),
        "---\n# kueue\n" * 400_000,
    ],
    ids=["aliases", "lines", "nested-lines", "brackets", "no-anchor", "deep", "digits", "open-quote", "many", "empty"],
)
def test_a_manifest_without_an_end_is_refused_quickly_in_little_memory(manifest: str) -> None:
    given = secret(data=encoded(json.dumps(release(manifest=manifest)).encode()))
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert reason(given)
    assert time.process_time() - began < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


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


@pytest.mark.parametrize("manifest", ["kueue: .inf", "kueue: !!float 1e999", "kueue: !!binary /w=="])
def test_what_json_has_no_form_for_is_a_failure(manifest: str) -> None:
    assert reason_of(manifest=manifest).startswith("document 1 of its manifest: ")


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


@given(
    st.dictionaries(
        st.sampled_from(["name", "namespace", "chart", "info", "manifest", "config", "version", "hooks"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["metadata", "name", "kueue", "status", "values", "version", "manifest", "events"]),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=8,
        ),
    )
)
def test_no_record_of_any_shape_ends_the_run(change: dict[str, Any]) -> None:
    take(secret(data=encoded(json.dumps(release() | change).encode())))


@given(st.binary(max_size=300), st.sampled_from([secret, config_map]))
@example(b"", secret)
def test_no_bytes_end_the_run(content: bytes, made: Any) -> None:
    take(made(data=content.decode("latin-1")))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            key: st.none() | st.text(max_size=5) | st.dictionaries(st.text(max_size=5), st.integers(), max_size=2)
            for key in ("metadata", "data", "type", "kind")
        },
    )
)
def test_no_object_of_any_shape_ends_the_run(change: dict[str, Any]) -> None:
    take({**secret(), **change}, {**config_map(), **change})


PIECES = ["---", "---\n", "kueue", ": ", "- ", "{", "}", "&a ", "*a", "\n", " ", '"', "|", "!!binary ", "a", "é"]


@given(st.lists(st.sampled_from(PIECES)))
def test_no_text_as_a_manifest_ends_the_run(pieces: list[str]) -> None:
    text = "".join(pieces)
    take(secret(release(manifest=text, hooks=[hook(text)])))
