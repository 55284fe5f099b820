"""Makes plans in tests: from a made-up cluster, with the made-up chart, and without helm unless a test gives one."""

from pathlib import Path

from kueuelift.plan_dir import Plan
from kueuelift.progress import Silence
from kueuelift_transform.transform import Outcome, Request, transform
from snapshot_maker import Cluster, make_chart, make_snapshot


def make_plan(
    folder: Path, cluster: Cluster, *, to: str = "0.17.0", helm: Path | None = None, fix: bool = False
) -> tuple[Plan, Outcome]:
    """The plan below `folder`, opened again, and what it was made of."""
    make_snapshot(folder / "snapshot", cluster)
    chart = make_chart(folder / f"kueue-{to}.tgz", version=to)
    request = Request(
        snapshot=folder / "snapshot",
        out=folder / "plan",
        release=to,
        target="helm",
        charts=(chart,),
        helm=helm,
        fix=fix,
    )
    outcome = transform(request, Silence())
    return Plan.open(folder / "plan"), outcome
