"""One apply at a time: a living holder is respected, a dead or silent one is not waited for longer than its lease."""

import os
from collections.abc import Callable
from typing import Any, cast

import pytest

from kueuelift.errors import PartlyDoneError, RefusedError
from kueuelift.model import KubernetesObject
from kueuelift_apply import lease
from kueuelift_apply.lease import Lease
from kueuelift_apply.live import ApiError, Live


class Server:
    """Keeps one Lease; `tick` is called at each second that passes."""

    def __init__(self, holder: str | None = None, tick: Callable[["Server"], None] = lambda _: None) -> None:
        self.version = 1
        self.holder = holder
        self.tick = tick

    def get(self, path: str) -> KubernetesObject | None:  # noqa: ARG002 - there is one Lease
        if self.holder is None:
            return None
        metadata = {"name": "kueuelift-apply", "resourceVersion": str(self.version), "uid": "1"}
        return {"metadata": metadata, "spec": {"holderIdentity": self.holder}}

    def create(self, path: str, body: KubernetesObject) -> None:
        self.put(path, body)

    def put(self, path: str, body: dict[str, Any]) -> None:  # noqa: ARG002 - there is one Lease
        self.holder = body["spec"]["holderIdentity"]
        self.version += 1

    def delete(self, path: str, *, uid: str) -> None:  # noqa: ARG002 - there is one Lease
        self.holder = None

    def lease(self) -> Lease:
        def second(_: float) -> None:
            self.tick(self)

        return Lease(live=cast("Live", self), namespace="kueue-system", holder="me/1", sleep=second)


def test_it_is_held_and_let_go() -> None:
    server = Server()
    with server.lease() as held:
        held.keep()
        assert server.holder == "me/1"
    assert server.holder is None


def test_a_holder_that_renews_is_respected() -> None:
    def renew(server: Server) -> None:
        server.version += 1

    server = Server("other/7", renew)
    with pytest.raises(RefusedError, match=r"another apply \(other/7\) is at work"), server.lease():
        pass
    assert server.holder == "other/7"


def test_a_silent_holder_is_replaced_after_its_lease() -> None:
    seconds: list[int] = []
    with Server("other/7", lambda _: seconds.append(1)).lease():
        assert len(seconds) == lease.DURATION


def test_a_holder_that_lets_go_meanwhile_is_followed_at_once() -> None:
    def leave(server: Server) -> None:
        server.holder = None

    with Server("other/7", leave).lease():
        pass


def test_a_killed_process_of_this_host_is_not_waited_for() -> None:
    dead = _dead_process()
    server = Server(f"{lease._place()}/{dead}/word", lambda _: pytest.fail("waited"))
    with server.lease():
        assert server.holder == "me/1"


def test_a_lost_lease_stops_the_next_batch() -> None:
    held = Server().lease()
    held._lost = "now held by other/9"
    with pytest.raises(PartlyDoneError, match="now held by other/9"):
        held.keep()


def test_a_lease_that_is_not_renewed_stops_the_next_batch_before_another_can_take_it() -> None:
    now = [0.0]
    held = Server().lease()
    held.clock = lambda: now[0]
    held._acquire()
    now[0] = lease.DURATION * 0.7
    held.keep()
    held.renew()
    now[0] = lease.DURATION * 1.4
    held.keep()
    now[0] = lease.DURATION * 1.6
    with pytest.raises(PartlyDoneError, match="not renewed for 27 s"):
        held.keep()


def test_a_renewal_that_finds_another_holder_is_noted() -> None:
    server = Server()
    held = server.lease()
    held._acquire()
    server.holder = "other/9"
    held.renew()
    with pytest.raises(PartlyDoneError, match="now held by other/9"):
        held.keep()


def test_a_repeated_write_of_our_own_is_no_conflict() -> None:
    server = Server("me/1")

    def put(path: str, body: dict[str, Any]) -> None:
        raise ApiError(409, "PUT", path, "modified")

    server.put = put  # type: ignore[method-assign]
    server.lease().renew()
    server.holder = "other/9"
    with pytest.raises(RefusedError, match="took it just now"):
        server.lease()._write(server.get(""))


def _dead_process() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child
