"""Takes Helm's release records as a snapshot does, and reads back what was kept of them."""

import json
from typing import Any

from kueuelift import yaml_text
from kueuelift.helm_record import HelmRecord
from kueuelift.model import Failure, KubernetesObject
from kueuelift.redaction import TokenKey
from kueuelift.sealed import canonical_json
from kueuelift_snapshot.helm_reading import Release
from kueuelift_snapshot.helm_releases import Releases, Suspects
from kueuelift_snapshot.redaction import Redactor
from release_secrets import (
    encoded,
    release,
    secret,
)

REDACTOR = Redactor(TokenKey(b"k" * 32))


BROKEN = "!!notbase64"


NOT_READABLE = "holds no readable Helm release record: "


def with_manager(namespace: str, _: str) -> bool:
    """As if a manager of Kueue were in kueue-system, and nowhere else."""
    return namespace == "kueue-system"


def take(*objects: KubernetesObject, suspects: Suspects = with_manager) -> tuple[list[Release], list[Failure]]:
    """The releases that were kept of some objects, and what could not be read."""
    releases = Releases(REDACTOR)
    found = [one for one in map(releases.take, objects) if one]
    for one in found:
        assert read_back(one.record) == one.record
    return found, releases.failures(suspects)


def read(obj: KubernetesObject) -> Release:
    """The one release that was kept."""
    (found,), failures = take(obj)
    assert not failures
    return found


def record_of(**changes: Any) -> HelmRecord:
    """The record of a release of Kueue, changed."""
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
    """The one record that could not be read."""
    records, (found,) = take(obj)
    assert not records
    return found


def reason(obj: KubernetesObject) -> str:
    """Why the record of Kueue's first revision could not be read."""
    found = failure(obj)
    assert found.what == "Secret kueue-system/sh.helm.release.v1.kueue.v1"
    assert found.remedy
    assert not found.foreign
    return found.reason.removeprefix(NOT_READABLE)


def reason_of(**changes: Any) -> str:
    """The same, of a record changed so."""
    return reason(secret(data=encoded(json.dumps(release() | changes).encode())))


def documents(*texts: str) -> str:
    """Several documents as one manifest."""
    return "".join(f"---\n{text}\n" for text in texts)
