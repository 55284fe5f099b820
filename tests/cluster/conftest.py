"""Clusters for the tests that need a real one; without its programs they fail, saying how to build them."""

from collections.abc import Iterator

import pytest

from bed.control_plane import ControlPlane
from bed.conversion_webhook import ConversionWebhook, Convert
from bed.kueue import Kueue, install
from bed.node import Node
from bed.programs import Programs, locate
from bed.scenario import seed


@pytest.fixture(scope="session")
def programs() -> Programs:
    return locate()


@pytest.fixture(scope="session")
def control_plane(programs: Programs) -> Iterator[ControlPlane]:
    """One empty cluster for all tests that leave nothing behind."""
    with ControlPlane(programs) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def clean_cluster(programs: Programs) -> Iterator[ControlPlane]:
    """A cluster that no other module sees."""
    with ControlPlane(programs) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kueue(programs: Programs) -> Iterator[Kueue]:
    """A cluster with the real chart and its manager, ready."""
    with ControlPlane(programs) as cluster, Node(cluster, programs) as node:
        install(cluster)
        yield Kueue(cluster=cluster, node=node, manager=node.await_manager())


@pytest.fixture(scope="session")
def convert(kueue: Kueue) -> Convert:
    """The real conversion webhook: `convert(objects, "kueue.x-k8s.io/v1beta2")`."""
    assert kueue.manager
    return ConversionWebhook(kueue.manager).convert


@pytest.fixture(scope="module")
def legacy(programs: Programs) -> Iterator[Kueue]:
    """The 0.12.2-shaped cluster, with few Workloads; its manager is only a status."""
    with ControlPlane(programs) as cluster, Node(cluster, programs) as node:
        seed(cluster, workloads=60)
        yield Kueue(cluster=cluster, node=node)
