"""How often our verdicts are those of a real API server, on many valid and spoiled objects; 1 where any differs."""

import json
import sys
from collections import Counter
from random import Random

import click
from hypothesis import HealthCheck, Phase, given, seed, settings

from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.programs import locate
from bench.table import table
from kueue_objects import STRATEGIES
from kueuelift import crd
from kueuelift.kinds import BY_NAME
from kueuelift.model import KubernetesObject
from kueuelift.release_profile import Release
from kueuelift_transform.stored_form import stored_form
from verdicts import RELEASE, Judges, Verdicts, variants

_VARIANTS = 8
HEAD = ("KIND", "", "OBJECTS", "REFUSED", "DIFFER", "SAME PLACE", "OTHER PLACE")


def _examples(kind: str, count: int) -> list[KubernetesObject]:
    found: list[KubernetesObject] = []
    target = crd.bundled(RELEASE, service=None)[BY_NAME[kind].plural]

    @seed(17)
    @settings(max_examples=count, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
    @given(STRATEGIES[kind])
    def collect(obj: KubernetesObject) -> None:
        found.append(stored_form(obj, crd=target, release=Release.parse(RELEASE)))

    collect()
    return found


@click.command()
@click.option("--objects", type=click.IntRange(min=11 * _VARIANTS), default=2_000, show_default=True)
def main(*, objects: int) -> None:
    """Compare verdicts."""
    random = Random(17)
    rows, differing = [], list[Verdicts]()
    try:
        with ControlPlane(locate()) as cluster:
            crds = {"apiVersion": "v1", "kind": "List", "items": list(crd.bundled(RELEASE, service=None).values())}
            cluster.kubectl("create", "-f", "-", stdin=json.dumps(crds))
            cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
            judges = Judges(cluster.api)
            for kind in STRATEGIES:
                counts: Counter[str] = Counter()
                for obj in _examples(kind, -(-objects // _VARIANTS // len(STRATEGIES))):
                    for one in variants(obj, random, _VARIANTS):
                        both = judges.verdicts(one)
                        counts.update({"objects": 1, "refused": both.status != 201, f"place {both.same_place}": 1})
                        differing += [] if both.agree and both.same_place is not False else [both]
                        counts["differ"] += not both.agree
                shown = (counts[key] for key in ("objects", "refused", "differ", "place True", "place False"))
                rows.append((kind, "", *map(str, shown)))
    except BedError as error:
        raise click.ClickException(str(error)) from error
    for both in differing:
        click.echo(str(both), err=True)
    click.echo(table(HEAD, rows))
    sys.exit(not all(both.agree for both in differing))


if __name__ == "__main__":
    main(prog_name="python -m bench.verdicts")
