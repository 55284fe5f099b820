"""What the cluster adapter tells is fit to be told; the rest of it is tested on the real cluster."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from kueuelift import yaml_text
from kueuelift_apply.live import Access, ApiError, Live, UnreachableError

PASSWORD = "Hunter2-in-the-url"


class Refusing(BaseHTTPRequestHandler):
    """Repeats a secret in its refusal, as a webhook may."""

    def do_GET(self) -> None:
        content = b'{"message": "denied: https://robot:%s@git.example/x is not allowed"}' % PASSWORD.encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        named = {
            "clusters": [
                {"name": "a", "cluster": {"server": f"http://robot:{PASSWORD}@127.0.0.1:{server.server_port}"}}
            ],
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "users": [{"name": "a", "user": {}}],
            "current-context": "a",
        }
        (tmp_path / "config").write_text(yaml_text.dump(named), encoding="utf-8")
        yield Live.connect(Access(kubeconfig=tmp_path / "config"))
        server.shutdown()


def test_neither_the_server_nor_its_refusals_tell_a_password(live: Live) -> None:
    assert PASSWORD not in live.server
    assert "127.0.0.1" in live.server
    with pytest.raises(ApiError, match="403: denied: https://") as caught:
        live.get("/api/v1/namespaces/x")
    assert PASSWORD not in str(caught.value)


def test_a_token_that_cannot_be_sent_is_not_repeated(live: Live) -> None:
    live._client.configuration.api_key = {"authorization": "Bearer abc\ndef"}
    with pytest.raises(UnreachableError, match="characters that cannot be sent") as caught:
        live.get("/api/v1/namespaces/x")
    assert "abc" not in str(caught.value)
