"""The stand-in for a node and its controllers: runs the manager of a Deployment and keeps the Deployment's status.

It knows one program, the manager of Kueue 0.17.0. A Deployment with another image only gets the status that it would
have.
"""

import http.client
import threading
import time
from types import TracebackType
from typing import Any, Self

from bed import deployment as deployments
from bed import replica_set
from bed.api import KubernetesObject
from bed.control_plane import ControlPlane
from bed.failure import BedError
from bed.manager import Manager
from bed.process import ChildProcess
from bed.programs import KUEUE, Programs
from bed.waiting import until

TAGS = (f"v{KUEUE}", "release-0.17")
"""The tags of the image that the manager stands for: the released chart's, and the tagged tree's."""

_POLL_SECONDS = 0.3
_RESTART_SECONDS = 2.0


class Node:
    """Works in a thread while it is entered; leaving it stops the manager."""

    def __init__(self, cluster: ControlPlane, programs: Programs) -> None:
        self._cluster = cluster
        self._programs = programs
        self._ended = threading.Event()
        self._managers: dict[str, Manager] = {}
        self._seen: dict[str, KubernetesObject] = {}
        self._not_before = 0.0
        self.children: list[ChildProcess] = []
        """Every manager process that was ever started."""
        self.failures: list[str] = []
        """What went wrong and is tried again, oldest first."""

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._work, name="node", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def manager(self) -> Manager | None:
        """The manager that runs now."""
        return next((manager for manager in list(self._managers.values()) if manager.process.running), None)

    def await_manager(self, timeout: float = 120) -> Manager:
        """Waits until a manager runs and is ready."""
        manager = until(lambda: (found := self.manager) and found.ready() and found, seconds=timeout)
        if manager:
            return manager
        told = [child.tail() for child in self.children[-1:]] + self.failures[-3:]
        raise BedError("no Kueue manager became ready; the end of its log and what the node met:\n" + "\n".join(told))

    def await_stopped(self, timeout: float = 30) -> None:
        """Waits until no manager runs."""
        if not until(lambda: self.manager is None, seconds=timeout):
            raise BedError("the Kueue manager still runs, though its Deployment should be gone or scaled to zero")

    def _work(self) -> None:
        try:
            while not self._ended.wait(_POLL_SECONDS):
                try:
                    self._look()
                except (BedError, OSError, http.client.HTTPException) as error:
                    self.failures.append(str(error))
        finally:
            for uid in list(self._managers):
                self._stop(uid, grace=1)

    def _look(self) -> None:
        found = self._cluster.api.get("/apis/apps/v1/deployments")["items"]
        wanted = {entry["metadata"]["uid"]: entry for entry in found if deployments.is_manager(entry)}
        for uid in self._seen.keys() - wanted.keys():
            self._stop(uid)
            replica_set.remove(self._cluster.api, self._seen.pop(uid))
        self._seen.update(wanted)
        for uid, deployment in wanted.items():
            running, ready = self._run(uid, deployment)
            self._tell(deployment, deployments.status(deployment, running=running, ready=ready))

    def _run(self, uid: str, deployment: KubernetesObject) -> tuple[int, bool]:
        """How many replicas run, and whether they are ready."""
        count = deployments.replicas(deployment)
        known = count > 0 and deployments.image_tag(deployment) in TAGS
        manager = self._managers.get(uid)
        if manager and (not known or manager.template != deployments.template_hash(deployment)):
            self._stop(uid)
        if not known:
            return count, count > 0
        return count, self._keep_running(uid, deployment)

    def _keep_running(self, uid: str, deployment: KubernetesObject) -> bool:
        manager = self._managers.get(uid)
        if manager and not manager.process.running:
            self.failures.append(f"the manager ended by itself: {manager.process.tail(3)}")
            self._not_before = time.monotonic() + _RESTART_SECONDS
            self._stop(uid)
            manager = None
        if manager is None:
            if time.monotonic() < self._not_before:
                return False
            manager = Manager(self._cluster, deployment, self._programs.kueue_manager)
            self._managers[uid] = manager
            self.children.append(manager.process)
            self._cluster.proxy.target = manager.port
        manager.sync_certificates()
        return manager.ready()

    def _stop(self, uid: str, *, grace: float = 10) -> None:
        manager = self._managers.get(uid)
        if manager is None:
            return
        if self._cluster.proxy.target == manager.port:
            self._cluster.proxy.target = None
        manager.process.stop(grace=grace)
        del self._managers[uid]

    def _tell(self, deployment: KubernetesObject, status: dict[str, Any]) -> None:
        if deployments.differs(deployment, status):
            replica_set.keep(self._cluster.api, deployment, ready=status["readyReplicas"])
            self._cluster.api.merge(f"{deployments.path(deployment)}/status", {"status": status}, manager="node")
