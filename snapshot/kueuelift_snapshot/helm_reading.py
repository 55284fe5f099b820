"""Makes a redacted record of what Helm wrote; says what in it is not as Helm writes it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kueuelift import helm_payload
from kueuelift.errors import RefusedError
from kueuelift.helm_payload import Payload
from kueuelift.helm_record import HelmHook, HelmRecord
from kueuelift.model import KubernetesObject
from kueuelift.object_shape import helm_name
from kueuelift_snapshot.helm_documents import Documents
from kueuelift_snapshot.redaction import Redacted, Redactor


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A captured record, and what was hidden in each of its files."""

    record: HelmRecord
    hidden: Mapping[str, Redacted]
    """By file name."""


class OddRecordError(Exception):
    """What in a decoded record is not as Helm writes it."""


def read(payload: Payload, obj: KubernetesObject, redactor: Redactor) -> Release:
    """The record that `obj` holds; OddRecordError or UnreadableDocumentError says why there is none."""
    record = payload.record
    chart, info = _mapping(record, "chart"), _mapping(record, "info")
    metadata = _mapping(chart, "metadata", "chart.metadata")
    chart_name = _text(metadata, "name", "chart.metadata.name")
    documents = Documents()
    given = documents.values(record.get("config"), "its values")
    defaults = documents.values(chart.get("values"), "the values of its chart")
    manifest = list(documents.objects(_manifest(record), "its manifest"))
    hooks = list(_hooks(record, documents))
    told = {key: str(info.get(key) or "") for key in ("description", "first_deployed", "last_deployed")}

    # A secret of the values is hidden wherever manifest, hooks or description repeat it.
    kueue_chart = "kueue" in chart_name.lower()
    computed = helm_payload.computed_values(given, defaults)
    of_values = redactor.of_release(given, [], kueue_chart=kueue_chart).values
    shown = redactor.of_release(
        computed, manifest, kueue_chart=kueue_chart, others=([hook.manifest for hook in hooks], [told])
    )
    of_hooks, of_info = shown.others
    about = of_info.value[0]
    namespace, storage, release = _names(record, obj)
    return Release(
        record=HelmRecord(
            namespace=namespace,
            storage_namespace=storage,
            release=release,
            revision=_revision(record),
            driver=helm_payload.driver_of(obj),
            status=_text(info, "status", "info.status"),
            description=about["description"],
            first_deployed=about["first_deployed"],
            last_deployed=about["last_deployed"],
            chart_name=chart_name,
            chart_version=_text(metadata, "version", "chart.metadata.version"),
            app_version=str(metadata.get("appVersion") or ""),
            encoded_bytes=payload.size,
            values=of_values.value,
            computed=shown.values.value,
            manifest=tuple(shown.manifest.value),
            hooks=tuple(replace(hook, manifest=obj) for hook, obj in zip(hooks, of_hooks.value, strict=True)),
            unparsed=tuple(documents.unparsed),
        ),
        hidden={
            "release.json": of_info,
            "values.yaml": of_values,
            "computed.yaml": shown.values,
            "manifest.yaml": shown.manifest,
            "hooks.yaml": of_hooks,
        },
    )


def _hooks(record: dict[str, Any], documents: Documents) -> Iterator[HelmHook]:
    hooks = record.get("hooks") or []
    if not isinstance(hooks, list) or not all(isinstance(hook, dict) for hook in hooks):
        raise OddRecordError("its hooks are no list of objects")
    for number, hook in enumerate(hooks, 1):
        path = str(hook.get("path") or "")
        run = hook.get("last_run") if isinstance(hook.get("last_run"), dict) else {}
        for obj in documents.objects(str(hook.get("manifest") or ""), f"its hook {number}", path=path):
            yield HelmHook(
                name=str(hook.get("name") or ""),
                kind=str(hook.get("kind") or ""),
                path=path,
                events=_words(hook.get("events")),
                weight=hook["weight"] if type(hook.get("weight")) is int else 0,
                delete_policies=_words(hook.get("delete_policies")),
                last_run={
                    told: str(run[key])
                    for key, told in (("phase", "phase"), ("started_at", "startedAt"), ("completed_at", "completedAt"))
                    if run.get(key)
                },
                manifest=obj,
            )


def _words(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _names(record: dict[str, Any], obj: KubernetesObject) -> tuple[str, str, str]:
    """Namespace, storage namespace and release, all of them fit to be helm's arguments."""
    namespace, release = (_text(record, key, key) for key in ("namespace", "name"))
    try:
        return (
            helm_name(namespace, "its namespace"),
            helm_name(helm_payload.metadata_of(obj).get("namespace"), "the namespace that it lies in"),
            helm_name(release, "its name"),
        )
    except RefusedError as error:
        raise OddRecordError(str(error).rpartition(";")[0]) from None


def _mapping(holder: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
    found = holder.get(key)
    if not isinstance(found, dict):
        raise OddRecordError(f"no `{path or key}` in it")
    return found


def _text(holder: Mapping[str, Any], key: str, path: str) -> str:
    found = holder.get(key)
    if not isinstance(found, str) or not found:
        raise OddRecordError(f"no `{path}` in it")
    return found


def _manifest(record: dict[str, Any]) -> str:
    """Empty where Helm left it out, as it does for a chart that rendered nothing."""
    found = record.get("manifest", "")
    if not isinstance(found, str):
        raise OddRecordError("its manifest is no text")
    return found


def _revision(record: dict[str, Any]) -> int:
    found = record.get("version")
    if type(found) is not int or found < 1:
        raise OddRecordError("no revision in it")
    return found
