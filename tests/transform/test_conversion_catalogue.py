"""The catalogue of conversions: no way is missing, none is without a case, and what each says about itself is true."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelift import crd
from kueuelift.errors import RefusedError
from kueuelift.kinds import BY_NAME, KINDS, TARGET_VERSION, version_of
from kueuelift.release_profile import Release, known_releases, profile
from kueuelift_transform import conversions
from kueuelift_transform.conversion import Conversion, all_conversions, conversion_for

CASES = Path(__file__).parents[2] / "fixtures" / "conversions"
CRDS = {release: crd.bundled(release, service=None) for release in ("0.12.2", "0.18.1")}

each_conversion = pytest.mark.parametrize("conversion", all_conversions(), ids=lambda c: f"{c.kind}-{c.source}")


@pytest.mark.parametrize("release", known_releases())
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_served_version_has_a_way_to_v1beta2(kind: str, release: str) -> None:
    for version in profile(release).kinds[BY_NAME[kind].plural].served:
        conversion = conversion_for(kind, version)
        assert (conversion is None) == (version == TARGET_VERSION)


@each_conversion
def test_file_is_named_after_what_it_converts(conversion: Conversion) -> None:
    name = f"{conversion.kind.lower()}_{conversion.source}_{conversion.target}.py"
    assert (Path(conversions.__path__[0]) / name).is_file()


def test_no_two_conversions_share_a_way() -> None:
    ways = [(c.kind, c.source, c.target) for c in all_conversions()]
    assert len(set(ways)) == len(ways)


@each_conversion
def test_webhook_kinds_are_those_of_the_profiles(conversion: Conversion) -> None:
    # A kind that came to v1beta1 by hand was never at v1alpha1 in a release with a webhook.
    by_webhook = BY_NAME[conversion.kind].plural in profile("0.17.0").webhook_kinds
    assert conversion.by_webhook == (by_webhook and conversion.source == "v1beta1")


@each_conversion
def test_each_has_a_case(conversion: Conversion) -> None:
    documents = (one for path in CASES.glob("*/input.yaml") for one in yaml.safe_load_all(path.read_text()))
    assert (conversion.kind, conversion.source) in {(one["kind"], version_of(one["apiVersion"])) for one in documents}


@each_conversion
def test_the_paths_that_it_names_are_fields(conversion: Conversion) -> None:
    plural = BY_NAME[conversion.kind].plural
    old = CRDS["0.12.2" if conversion.source == "v1alpha1" else "0.18.1"][plural]
    source, target = crd.schema(old, conversion.source), crd.schema(CRDS["0.18.1"][plural], conversion.target)
    for renamed in conversion.renamed:
        assert _has(source, renamed.old), renamed.old
        assert not _has(target, renamed.old), renamed.old
        assert _has(target, renamed.new), renamed.new
    for field in conversion.lossy:
        assert _has(source, field.path), field.path
        assert field.homeless <= (not _has(target, field.path)), field.path
        assert field.reason
        assert field.source.startswith("kueue v0.")


@pytest.mark.parametrize(("kind", "version"), [("Workload", "v1alpha1"), ("Workload", "v1"), ("Job", "v1beta1")])
def test_an_unknown_way_is_refused(kind: str, version: str) -> None:
    with pytest.raises(RefusedError, match=rf"^no conversion of {kind} from {version} to v1beta2 is known"):
        conversion_for(kind, version)


def test_a_release_without_a_webhook_is_refused() -> None:
    conversion = conversion_for("Cohort", "v1beta1")
    assert conversion is not None
    with pytest.raises(RefusedError, match=r"0\.13\.0 has no conversion webhook"):
        conversion.convert({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Cohort"}, Release.parse("0.13"))


def _has(schema: dict[str, Any], path: str) -> bool:
    for key in path.split("."):
        properties = schema.get("properties", {})
        if key.removesuffix("[]") not in properties:
            return False
        schema = properties[key.removesuffix("[]")]
        schema = schema["items"] if key.endswith("[]") else schema
    return True
