"""Checks the bundled CRD schemas, runnable alone: against the gathered facts, and against the CRDs of a real chart.

    python tests/check_bundled_schemas.py --facts ../shared/facts [--chart kueue-0.17.0.tgz|DIRECTORY|RENDERED.yaml]

With `--write RELEASE` (and `--chart` or `--facts`) it writes the files of that release instead: so a release is added.
Both sides are brought to one form, that of the facts: no texts, pod templates cut out.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kueuelift import crd, kinds, yaml_text
from kueuelift.release_profile import profile

SERVICE = crd.ServiceReference(namespace="kueue-system", name="kueue-webhook-service")
CRDS = Path(crd.__file__).with_name("crds")

Form = dict[str, Any]


def problems_with_facts(facts: Path) -> list[str]:
    """Compare every release that both sides have; a bundled release that the facts lack is left to the chart."""
    found = []
    for folder in sorted((facts / "crds").iterdir()):
        if folder.name not in crd.bundled_releases():
            found.append(f"{folder.name}: in the facts, not bundled")
            continue
        ours = crd.bundled(folder.name, service=SERVICE)
        known = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
        found += _differences(folder.name, known, {name: reduced(one) for name, one in ours.items()})
    return found + _gate_problems(facts) + _hook_problems(facts)


def problems_with_chart(rendered: list[Form], release: str) -> list[str]:
    """Compare with the CRDs of a rendered chart: schemas, printer columns, selectable fields and conversion."""
    theirs = {crd.plural(one): one for one in rendered if one.get("kind") == "CustomResourceDefinition"}
    ours = crd.bundled(release, service=SERVICE)
    return (
        _differences(release, _each(reduced, theirs), _each(reduced, ours))
        + _differences(release, _each(_outside_facts, theirs), _each(_outside_facts, ours))
        + _differences(release, _each(_conversion, theirs), _each(_conversion, ours))
    )


def problems_inside() -> list[str]:
    """Compare the bundled CRDs with the release profiles: what is served, stored, deprecated."""
    found = []
    for release in crd.bundled_releases():
        expected = profile(release).kinds
        for name, one in crd.bundled(release, service=None).items():
            stated = expected[name]
            deprecated = tuple(v["name"] for v in one["spec"]["versions"] if v.get("deprecated"))
            seen = (crd.storage_version(one), crd.served_versions(one), deprecated)
            if seen != (stated.stored, stated.served, stated.deprecated):
                found.append(f"{release} {name}: the CRD says {seen}, the profile {stated}")
    return found


def render(chart: Path, *, helm: str = "helm") -> list[Form]:
    """Read rendered YAML, or render a chart with helm as release `kueue` in `kueue-system`."""
    if chart.suffix in {".yaml", ".yml"}:
        text = chart.read_text(encoding="utf-8")
    else:
        command = [helm, "template", "kueue", str(chart), "--namespace", "kueue-system"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(yaml_text.load_all(text, str(chart)))


def reduced(one: Form) -> Form:
    """Bring a CRD to the form of the facts."""
    spec, names = one["spec"], one["spec"]["names"]
    return {
        "group": spec["group"],
        "kind": names["kind"],
        "plural": names["plural"],
        "singular": names["singular"],
        "listKind": names["listKind"],
        "shortNames": names.get("shortNames", []),
        "categories": names.get("categories", []),
        "scope": spec["scope"],
        "versions": [
            {
                "name": version["name"],
                "served": version["served"],
                "storage": version["storage"],
                "deprecated": version.get("deprecated", False),
                "statusSubresource": "status" in version.get("subresources", {}),
                "schema": _without_texts(_without_pod_template(version["schema"]["openAPIV3Schema"])),
            }
            for version in spec["versions"]
        ],
    }


def own_form(fact: Form, selectable: dict[str, list[str]]) -> Form:
    """Bring a CRD in the form of the facts to the one that is bundled."""
    return {
        "short_names": fact["shortNames"],
        "versions": [
            {
                "name": version["name"],
                "served": version["served"],
                "storage": version["storage"],
                "deprecated": version["deprecated"],
                "status_subresource": version["statusSubresource"],
                "schema": _with_open_pod_template(version["schema"]),
            }
            | ({"selectable_fields": selectable[version["name"]]} if version["name"] in selectable else {})
            for version in fact["versions"]
        ],
    }


def write(release: str, facts: dict[str, Form], selectable: dict[str, dict[str, list[str]]]) -> None:
    """Write the files of one release."""
    folder = CRDS / release
    folder.mkdir(exist_ok=True)
    for kind in kinds.KINDS:
        form = own_form(facts[kind.plural], selectable.get(kind.plural, {}))
        text = json.dumps(form, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        (folder / f"{kind.plural}.json").write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Print one line per problem; 0 when there is none."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--facts", type=Path)
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--release", default="0.17.0", help="the chart's release (default 0.17.0)")
    parser.add_argument("--helm", default="helm")
    parser.add_argument("--write", metavar="RELEASE")
    options = parser.parse_args(arguments)
    rendered = render(options.chart, helm=options.helm) if options.chart else []
    if options.write:
        _write(options.write, options.facts, rendered)
        return 0
    found = problems_inside()
    found += problems_with_facts(options.facts) if options.facts else []
    found += problems_with_chart(rendered, options.release) if rendered else []
    for line in found:
        sys.stdout.write(f"{line}\n")
    sys.stderr.write(f"{len(crd.bundled_releases())} bundled releases, {len(found)} problems\n")
    return 1 if found else 0


def _write(release: str, facts: Path | None, rendered: list[Form]) -> None:
    if rendered:
        theirs = {crd.plural(one): one for one in rendered if one.get("kind") == "CustomResourceDefinition"}
        write(release, _each(reduced, theirs), {name: dict(_selectable(one)) for name, one in theirs.items()})
    elif facts:
        folder = facts / "crds" / release
        # The facts' schemas do not carry it; CHANGES.md does.
        since = {"workloads": {"v1beta2": [".status.admission.clusterQueue"]}} if release >= "0.18" else {}
        write(release, {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in folder.glob("*.json")}, since)


def _each(reader: Any, crds: dict[str, Form]) -> dict[str, Form]:
    return {name: reader(one) for name, one in sorted(crds.items())}


def _outside_facts(one: Form) -> Form:
    return {"columns": dict(_columns(one)), "selectable": dict(_selectable(one))}


def _conversion(one: Form) -> Form:
    form: Form = one["spec"].get("conversion", {"strategy": "None"})
    return form


def _columns(one: Form) -> Iterator[tuple[str, list[Form]]]:
    for version in one["spec"]["versions"]:
        columns = version.get("additionalPrinterColumns", [])
        yield version["name"], [{key: v for key, v in column.items() if key != "description"} for column in columns]


def _selectable(one: Form) -> Iterator[tuple[str, list[str]]]:
    for version in one["spec"]["versions"]:
        if fields := version.get("selectableFields"):
            yield version["name"], [field["jsonPath"] for field in fields]


def _without_texts(node: Any) -> Any:
    """Drop descriptions and messages: where a property has such a name, its value is a schema, not a text."""
    if isinstance(node, dict):
        texts = {key for key in ("description", "message") if isinstance(node.get(key), str)}
        return {key: _without_texts(value) for key, value in node.items() if key not in texts}
    return [_without_texts(value) for value in node] if isinstance(node, list) else node


def _without_pod_template(schema: Form) -> Form:
    return _with_template(schema, {"$podTemplateSpec": True, "type": "object"})


def _with_open_pod_template(schema: Form) -> Form:
    return _with_template(schema, {"type": "object", "x-kubernetes-preserve-unknown-fields": True})


def _with_template(schema: Form, instead: Form) -> Form:
    own: Form = json.loads(json.dumps(schema))
    pod_sets = own["properties"].get("spec", {}).get("properties", {}).get("podSets")
    if pod_sets:
        pod_sets["items"]["properties"]["template"] = instead
    return own


def _differences(release: str, theirs: Any, ours: Any, path: str = "") -> list[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        keys = sorted(set(theirs) | set(ours))
        return [
            line
            for key in keys
            for line in _differences(release, theirs.get(key, "nothing"), ours.get(key, "nothing"), f"{path}/{key}")
        ]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = enumerate(zip(theirs, ours, strict=True))
        return [line for i, (a, b) in pairs for line in _differences(release, a, b, f"{path}/{i}")]
    return [] if theirs == ours else [f"{release}{path}: wanted {theirs!r:.200}, bundled is {ours!r:.200}"]


def _gate_problems(facts: Path) -> list[str]:
    known = json.loads((facts / "feature-gates.json").read_text(encoding="utf-8"))
    found = []
    for release, names in known["presence"].items():
        gates = profile(release).gates
        found += [f"{release}: gates differ by {sorted(set(names) ^ set(gates))}"] if set(names) != set(gates) else []
        for name, gate in gates.items():
            # A gate that only a patch release restored has no entry in the facts.
            wanted = known["gates"].get(name, {}).get("effective", {}).get(release)
            seen = {"default": gate.default, "stage": gate.stage, "lockToDefault": gate.locked}
            found += [f"{release} gate {name}: wanted {wanted}, stated {seen}"] if wanted != seen else []
        needs = {name: sorted(gate.requires) for name, gate in gates.items() if gate.requires}
        wanted_needs = {name: sorted(needed) for name, needed in known["dependencies"][release]["requires"].items()}
        found += _differences(f"{release} gate requires", wanted_needs, needs)
        also = {name: sorted(gate.must_also_disable) for name, gate in gates.items() if gate.must_also_disable}
        wanted_also = {name: sorted(others) for name, others in known["mustAlsoDisable"][release].items() if others}
        found += _differences(f"{release} must also disable", wanted_also, also)
    for minor, names in known["minorPresence"].items():
        if minor in {"0.9", "0.10", "0.11"}:
            continue
        if set(names) != set(profile(minor).gates):
            found.append(f"{minor}: gates differ by {sorted(set(names) ^ set(profile(minor).gates))}")
    return found


def _hook_problems(facts: Path) -> list[str]:
    notes = json.loads((facts / "chart-notes.json").read_text(encoding="utf-8"))
    found = []
    for release, note in notes.items():
        if release.startswith("_"):
            continue
        stated = profile(release)
        hooked = sorted(f"{name}.{kinds.GROUP}" for name in stated.webhook_kinds)
        if hooked != sorted(note["crdsWithConversionWebhook"]):
            found.append(f"{release}: the chart has conversion webhooks on {note['crdsWithConversionWebhook']}")
        names = {f"<fullname>{name}" for name in stated.chart.objects.values()} | set(stated.chart.api_services)
        missing = names - {one["name"] for one in note["resources"]}
        found += [f"{release}: the chart has no {name}" for name in sorted(missing)]
        unread = set(stated.chart.values.values()) - set(note["valuesReferencedByTemplates"])
        found += [f"{release}: the chart does not read the value {name}" for name in sorted(unread)]
        api_services = {one["name"] for one in note["resources"] if one["kind"] == "APIService"}
        if api_services != set(stated.chart.api_services):
            found.append(f"{release}: the chart has the APIServices {sorted(api_services)}")
        if note["configMapRendering"].startswith("verbatim") != (stated.chart.config_map_rendering == "verbatim"):
            found.append(f"{release}: the ConfigMap is rendered {note['configMapRendering']}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
