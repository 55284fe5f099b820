"""etcd and kube-apiserver on fresh loopback ports, in a directory of their own that goes when they stop."""

import contextlib
import json
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bed import identity
from bed.api import Api
from bed.connect_proxy import ConnectProxy
from bed.failure import BedError
from bed.process import ChildProcess, free_port
from bed.programs import Programs
from bed.waiting import until

ADMIN = "admin"
USERS: Mapping[str, Sequence[str]] = {ADMIN: ("system:masters",), "operator": (), "reader": ()}
"""The users with a token, and their groups; only the admin may do anything until a role says so."""

_START_SECONDS = 90


class ControlPlane:
    """A cluster without nodes: enter it to start, leave it to stop; `keep` leaves its directory for a look at it."""

    def __init__(
        self, programs: Programs, *, users: Mapping[str, Sequence[str]] | None = None, keep: bool = False
    ) -> None:
        self.programs = programs
        self.children: list[ChildProcess] = []
        self._groups = {**USERS, **(users or {})}
        self._tokens = {user: secrets.token_hex(16) for user in self._groups}
        self._keep = keep

    def __enter__(self) -> Self:
        self.directory = Path(tempfile.mkdtemp(prefix="bed-"))
        self._stack = contextlib.ExitStack()
        with contextlib.ExitStack() as stack:
            if not self._keep:
                stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
            self.proxy = stack.enter_context(ConnectProxy(self.directory / "egress.sock"))
            self._start_etcd(stack)
            self._start_api_server(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def server(self) -> str:
        """The API server's URL."""
        return f"https://127.0.0.1:{self._port}"

    @property
    def etcd(self) -> str:
        """The URL of the store behind the API server, which asks for no credentials."""
        return self._etcd

    @property
    def certificate(self) -> str:
        """The certificates to trust for the API server, as PEM text."""
        return (self.directory / "certs" / "apiserver.crt").read_text(encoding="utf-8")

    @property
    def api(self) -> Api:
        """The admin's calls."""
        return self._api

    def kubeconfig(self, user: str = ADMIN) -> Path:
        """A kubeconfig file with the token of a user."""
        path = self.directory / f"{user}.kubeconfig"
        if not path.exists():
            self.write_kubeconfig(path, user=user, token=self._tokens[user])
        return path

    def write_kubeconfig(self, path: Path, *, user: str, token: str) -> None:
        """Writes a kubeconfig for any token."""
        text = json.dumps(identity.kubeconfig(self.server, self.certificate, user=user, token=token), indent=1)
        path.write_text(text, encoding="utf-8")

    def environment(self, user: str = ADMIN) -> dict[str, str]:
        """The environment for a command that works on this cluster: KUBECONFIG, helm and kubectl on PATH."""
        own = {f"HELM_{name}_HOME": str(self.directory / "helm" / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
        return self.programs.environment(own | {"KUBECONFIG": str(self.kubeconfig(user))})

    def kubectl(
        self, *args: str, user: str = ADMIN, stdin: str | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Runs kubectl as a user; raises BedError on failure unless `check` is off."""
        return self._run(self.programs.kubectl, args, user, stdin, check=check)

    def helm(
        self, *args: str, user: str = ADMIN, stdin: str | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Runs helm as a user; raises BedError on failure unless `check` is off."""
        return self._run(self.programs.helm, args, user, stdin, check=check)

    def _run(
        self, program: Path, args: Sequence[str], user: str, stdin: str | None, *, check: bool
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [program, *args],
            env=self.environment(user),
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise BedError(
                f"{program.name} {' '.join(args)} ended with {done.returncode}: {done.stderr.strip()[-1500:]}"
            )
        return done

    def _start(self, stack: contextlib.ExitStack, command: Sequence[str | Path]) -> ChildProcess:
        child = ChildProcess(command, log=self.directory / f"{Path(command[0]).name}.log")
        stack.callback(child.stop)
        self.children.append(child)
        return child

    def _start_etcd(self, stack: contextlib.ExitStack) -> None:
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self._etcd = client
        self._start(
            stack,
            [
                self.programs.etcd,
                "--name=bed",
                f"--data-dir={self.directory / 'etcd'}",
                f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=bed={peer}",
                "--unsafe-no-fsync",
                f"--quota-backend-bytes={8 << 30}",
                "--log-level=warn",
            ],
        )

    def _start_api_server(self, stack: contextlib.ExitStack) -> None:
        certs = self.directory / "certs"
        files = identity.write(self.directory, tokens=self._tokens, groups=self._groups, socket=self.proxy.path)
        self._port = free_port()
        child = self._start(
            stack,
            [
                self.programs.kube_apiserver,
                f"--etcd-servers={self._etcd}",
                f"--cert-dir={certs}",
                f"--secure-port={self._port}",
                "--bind-address=127.0.0.1",
                f"--service-account-key-file={files.key}",
                f"--service-account-signing-key-file={files.key}",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--token-auth-file={files.tokens}",
                f"--egress-selector-config-file={files.egress}",
                "--authorization-mode=RBAC",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--disable-admission-plugins=ServiceAccount",
            ],
        )
        self._await(child, (certs / "apiserver.crt").exists)
        self._api = Api(port=self._port, certificate=self.certificate, token=self._tokens[ADMIN])
        stack.callback(self._api.close)
        self._await(child, lambda: self._api.raw("GET", "/readyz") == (200, b"ok"))
        # Its own namespaces come a moment after it calls itself ready, and kube-system is what names a cluster.
        self._await(child, lambda: self._api.find("/api/v1/namespaces/kube-system"))
        self._await(child, lambda: self._api.find("/api/v1/namespaces/default"))

    def _await(self, child: ChildProcess, answered: Callable[[], Any]) -> None:
        def started_or_ended() -> bool:
            with contextlib.suppress(OSError):
                if answered():
                    return True
            return not child.running

        if until(started_or_ended, seconds=_START_SECONDS) and child.running:
            return
        tails = "\n".join(f"{child.name}:\n{child.tail()}" for child in self.children)
        raise BedError(f"{child.name} did not start within {_START_SECONDS} s; the ends of the logs:\n{tails}")
