"""Keeps a second apply out of the cluster, by a Lease that is renewed in the background.

Whether another holder is gone is judged by locally observed time only: clocks of two hosts are never compared.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
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
    clock: Callable[[], float] = time.monotonic
    _renewed: float = 0.0
    _trouble: str = ""
    _lost: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def keep(self) -> None:
        """Raise where another apply has taken over; called before each batch of work."""
        silent = self.clock() - self._renewed
        if not self._lost and silent > 0.8 * DURATION:
            self._lost = f"not renewed for {silent:.0f} s {self._trouble}".strip()
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
        if holder and not _is_of_a_dead_process(holder):
            self._write(self._after_silence(holder, seen))
        else:
            self._write(seen)

    def _after_silence(self, holder: str, seen: KubernetesObject) -> KubernetesObject | None:
        """The Lease that did not move for its whole length, or that was let go; any sign of life refuses us."""
        version = seen["metadata"]["resourceVersion"]
        for _ in range(int(DURATION)):
            self.sleep(1.0)
            now = self.live.get(f"{self._path}/{NAME}")
            if now is None or not now["spec"].get("holderIdentity"):
                return now
            if now["metadata"]["resourceVersion"] != version:
                raise RefusedError(
                    f"Lease {self.namespace}/{NAME}: another apply ({holder}) is at work; wait until it ends"
                )
        return seen

    def _write(self, seen: KubernetesObject | None) -> None:
        """Take or renew the Lease as it was seen; a conflict on our own repeated write is no conflict."""
        begun = self.clock()
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
            now = self.live.get(f"{self._path}/{NAME}")
            if now is None or now["spec"].get("holderIdentity") != self.holder:
                raise RefusedError(
                    f"Lease {self.namespace}/{NAME}: another apply took it just now; wait until it ends"
                ) from None
        self._renewed = begun

    def _renew_for_ever(self) -> None:
        while not self._stop.wait(DURATION / 6):
            try:
                self.renew()
            except Exception as error:  # noqa: BLE001 - nothing may end this thread unnoticed; `keep` sees the silence
                self._trouble = str(error)
            if self._lost:
                return

    def renew(self) -> None:
        """Renew once; notes where somebody else holds it."""
        seen = self.live.get(f"{self._path}/{NAME}")
        if seen is None or seen["spec"].get("holderIdentity") != self.holder:
            self._lost = f"now held by {seen['spec'].get('holderIdentity')}" if seen else "deleted"
            return
        self._write(seen)

    def _release(self) -> None:
        """Let go politely; where that fails the Lease simply runs out."""
        try:
            seen = self.live.get(f"{self._path}/{NAME}")
            if seen is not None and seen["spec"].get("holderIdentity") == self.holder:
                self.live.delete(f"{self._path}/{NAME}", uid=seen["metadata"]["uid"])
        except ToolError:
            return


def identity() -> str:
    """Who holds the Lease: host and process space, process, and a word that no other run has."""
    return f"{_place()}/{os.getpid()}/{secrets.token_hex(4)}"


def _place() -> str:
    """The host and its process space: two containers of one name must not judge each other's processes."""
    try:
        space = f"{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        space = "-"
    return f"{socket.gethostname()}/{space}"


def _is_of_a_dead_process(holder: str) -> bool:
    """Whether the holder was a process of this very host and space that no longer runs (killed, say)."""
    place, _, rest = holder.rpartition("/")[0].rpartition("/")
    if place != _place() or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
