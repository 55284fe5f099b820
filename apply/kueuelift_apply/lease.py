"""Keeps a second apply out of the cluster, by a Lease that is renewed in the background.

Whether another holder is gone is judged by locally observed time only: clocks of two hosts are never compared.
"""

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from kueuelift.errors import PartlyDoneError, RefusedError, ToolError
from kueuelift.model import KubernetesObject
from kueuelift_apply.live import ApiError, Live

NAME = "kueuelift-apply"
DURATION = 30.0
"""Seconds without a renewal after which a holder counts as gone."""


@dataclass(kw_only=True)
class Lease:
    """A Lease held by this process from `with` to its end."""

    live: Live
    namespace: str
    holder: str
    sleep: Callable[[float], None] = time.sleep
    _lost: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def keep(self) -> None:
        """Raise where another apply has taken over; called before each batch of work."""
        if self._lost:
            raise PartlyDoneError(
                f"Lease {self.namespace}/{NAME}: lost ({self._lost}); see who works on the cluster, then run again"
            )

    def __enter__(self) -> Self:
        self._acquire()
        self._thread = threading.Thread(target=self._renew_for_ever, name="lease", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._release()

    @property
    def _path(self) -> str:
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases"

    def _acquire(self) -> None:
        seen = self.live.get(f"{self._path}/{NAME}")
        if seen is None:
            self._write(None)
            return
        holder = seen["spec"].get("holderIdentity") or ""
        if holder and not _is_ours_and_dead(holder):
            self._wait_for_silence(holder, seen)
            seen = self.live.get(f"{self._path}/{NAME}")
        self._write(seen)

    def _wait_for_silence(self, holder: str, seen: KubernetesObject) -> None:
        """Watch a holder for the length of a lease; any sign of life refuses us."""
        version = seen["metadata"]["resourceVersion"]
        for _ in range(int(DURATION)):
            self.sleep(1.0)
            now = self.live.get(f"{self._path}/{NAME}")
            if now is None or not now["spec"].get("holderIdentity"):
                return
            if now["metadata"]["resourceVersion"] != version:
                raise RefusedError(
                    f"Lease {self.namespace}/{NAME}: another apply ({holder}) is at work; wait until it ends"
                )

    def _write(self, seen: KubernetesObject | None) -> None:
        spec = {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": int(DURATION),
            "renewTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        }
        try:
            if seen is None:
                body = {
                    "apiVersion": "coordination.k8s.io/v1",
                    "kind": "Lease",
                    "metadata": {"name": NAME},
                    "spec": spec,
                }
                self.live.create(self._path, body)
            else:
                self.live.put(f"{self._path}/{NAME}", {**seen, "spec": spec})
        except ApiError as error:
            if error.status != 409:
                raise
            raise RefusedError(
                f"Lease {self.namespace}/{NAME}: another apply took it just now; wait until it ends"
            ) from None

    def _renew_for_ever(self) -> None:
        while not self._stop.wait(DURATION / 3):
            try:
                seen = self.live.get(f"{self._path}/{NAME}")
                if seen is None or seen["spec"].get("holderIdentity") != self.holder:
                    self._lost = f"now held by {seen['spec'].get('holderIdentity')}" if seen else "deleted"
                    return
                self._write(seen)
            except ToolError as error:
                self._lost = str(error)
                return

    def _release(self) -> None:
        """Let go politely; where that fails the Lease simply runs out."""
        try:
            seen = self.live.get(f"{self._path}/{NAME}")
            if seen is not None and seen["spec"].get("holderIdentity") == self.holder:
                self.live.delete(f"{self._path}/{NAME}", uid=seen["metadata"]["uid"])
        except ToolError:
            return


def identity() -> str:
    """Who holds the Lease: host and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def _is_ours_and_dead(holder: str) -> bool:
    """Whether the holder was a process of this very host that no longer runs (killed, say)."""
    host, _, process = holder.rpartition("/")
    if host != socket.gethostname() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return int(process) == os.getpid()
