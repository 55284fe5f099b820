"""The way from the API server to the services of the cluster: a CONNECT proxy on a unix socket.

There is no service network, so every connection goes to one port on loopback, that of the running manager's webhooks,
and is refused with 502 while there is no manager: what an API server sees of a Service without endpoints.
"""

import contextlib
import socket
import socketserver
import threading
from pathlib import Path
from types import TracebackType
from typing import Self


class ConnectProxy:
    """Serves while it is entered; set `target` to the port that connections go to, or to None."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target: int | None = None

    def __enter__(self) -> Self:
        proxy = self

        class Connection(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                proxy._forward(self.connection)

        self._server = socketserver.ThreadingUnixStreamServer(str(self.path), Connection)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _forward(self, client: socket.socket) -> None:
        if not _read_request(client).startswith(b"CONNECT "):
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return
        try:
            upstream = socket.create_connection(("127.0.0.1", self.target or 0), timeout=10)
        except OSError:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            return
        with upstream:
            upstream.settimeout(None)
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=_pump, args=(upstream, client), daemon=True)
            back.start()
            _pump(client, upstream)
            back.join()


def _read_request(client: socket.socket) -> bytes:
    request = b""
    while b"\r\n\r\n" not in request and len(request) < 65536:
        piece = client.recv(4096)
        if not piece:
            break
        request += piece
    return request


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Copies until the source ends, then tells the sink so."""
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
    for end, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with contextlib.suppress(OSError):
            end.shutdown(how)
