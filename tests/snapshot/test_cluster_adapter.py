"""The adapter against a server on loopback that answers what it is told to."""

import gzip
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kueuelift.errors import RefusedError
from kueuelift_snapshot.api import AnswerError, UnauthorizedError, UnreachableError
from kueuelift_snapshot.cluster import Cluster, open_cluster

Handler = http.server.BaseHTTPRequestHandler
Reply = Callable[[Handler], None]


class Server:
    """Answers every request by calling `reply`, and remembers what was asked for."""

    def __init__(self) -> None:
        self.reply: Reply = replying(200, b"{}")
        self.asked: list[tuple[str, str | None]] = []
        outer = self

        class _Handler(Handler):
            def do_GET(self) -> None:  # noqa: N802 - the parent's name
                outer.asked.append((self.path, self.headers.get("Authorization")))
                outer.reply(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def replying(status: int, body: bytes, *, length: int | None = None, **headers: str) -> Reply:
    def reply(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def hanging_up(handler: Handler) -> None:
    handler.connection.close()
    handler.close_connection = True


def status(message: str, **metadata: str) -> bytes:
    return json.dumps({"kind": "Status", "message": message, "metadata": metadata}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


def kubeconfig(path: Path, url: str | None, name: str = "here") -> Path:
    cluster = {"server": url} if url else {}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": f"token-of-{name}"}}],
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def cluster(server: Server, tmp_path: Path) -> Cluster:
    return open_cluster(kubeconfig=kubeconfig(tmp_path / "config", server.url), context=None, request_timeout=5)


def test_bytes_come_as_they_are_with_query_and_credentials(server: Server, cluster: Cluster) -> None:
    server.reply = replying(200, b'{"a": 1.50}')
    assert cluster.get("/apis/x", {"limit": "5", "labelSelector": "a=b"}) == b'{"a": 1.50}'
    assert server.asked == [("/apis/x?limit=5&labelSelector=a%3Db", "Bearer token-of-here")]


def test_lists_come_packed(server: Server, cluster: Cluster) -> None:
    packed = replying(200, gzip.compress(b'{"items": []}'), Content_Encoding="gzip")

    def reply(handler: Handler) -> None:
        assert handler.headers["Accept-Encoding"] == "gzip"
        packed(handler)

    server.reply = reply
    assert cluster.get("/version") == b'{"items": []}'


@pytest.mark.parametrize("code", [403, 404, 500, 503])
def test_other_answers_carry_the_servers_message(server: Server, cluster: Cluster, code: int) -> None:
    server.reply = replying(code, status("because"))
    with pytest.raises(AnswerError, match=f"GET /version answered {code}: because") as caught:
        cluster.get("/version")
    assert (caught.value.status, caught.value.retry_after) == (code, None)
    assert len(server.asked) == 1


def test_throttling_says_how_long(server: Server, cluster: Cluster) -> None:
    server.reply = replying(429, b"slow down", Retry_After="7")
    with pytest.raises(AnswerError) as caught:
        cluster.get("/version")
    assert caught.value.retry_after == 7
    assert caught.value.passing


def test_an_expired_list_brings_the_token_to_go_on_with(server: Server, cluster: Cluster) -> None:
    server.reply = replying(410, status("too old", **{"continue": "abc"}))
    with pytest.raises(AnswerError) as caught:
        cluster.get("/version")
    assert caught.value.continue_token == "abc"
    assert not caught.value.passing


def test_refused_credentials_are_told_as_such(server: Server, cluster: Cluster) -> None:
    server.reply = replying(401, status("Unauthorized"))
    with pytest.raises(UnauthorizedError, match=r"credentials are not accepted .*expired; log in again"):
        cluster.get("/version")


@pytest.mark.parametrize(
    "reply",
    [
        hanging_up,
        replying(200, b'{"half', length=500),
        replying(200, b"not packed", Content_Encoding="gzip"),
    ],
)
def test_a_dropped_connection_may_be_tried_again(server: Server, cluster: Cluster, reply: Reply) -> None:
    server.reply = reply
    with pytest.raises(AnswerError, match="the connection was dropped") as caught:
        cluster.get("/version")
    assert caught.value.passing


def test_silence_ends_at_the_request_timeout(server: Server, tmp_path: Path) -> None:
    release = threading.Event()
    server.reply = lambda _: (release.wait(), None)[1]
    cluster = open_cluster(kubeconfig=kubeconfig(tmp_path / "k", server.url), context=None, request_timeout=0.2)
    with pytest.raises(AnswerError, match=r"nothing within 0\.2 s; see --request-timeout"):
        cluster.get("/version")
    release.set()


def test_nobody_there_is_one_sentence(server: Server, tmp_path: Path) -> None:
    server.stop()
    cluster = open_cluster(kubeconfig=kubeconfig(tmp_path / "k", server.url), context=None, request_timeout=5)
    with pytest.raises(UnreachableError, match=r"the API server cannot be reached .*refused"):
        cluster.get("/version")


def test_a_host_that_nobody_knows_is_one_sentence(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "k", "https://cluster.invalid")
    cluster = open_cluster(kubeconfig=path, context=None, request_timeout=5)
    with pytest.raises(UnreachableError, match=r"https://cluster\.invalid: the API server cannot be reached"):
        cluster.get("/version")


def test_a_server_without_tls_is_not_trusted(server: Server, tmp_path: Path) -> None:
    url = server.url.replace("http:", "https:")
    cluster = open_cluster(kubeconfig=kubeconfig(tmp_path / "k", url), context=None, request_timeout=5)
    with pytest.raises(UnreachableError, match="no trusted connection"):
        cluster.get("/version")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without kubeconfig and not in a pod; its home."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def opened(kubeconfig: Path | None = None, context: str | None = None) -> Cluster:
    return open_cluster(kubeconfig=kubeconfig, context=context, request_timeout=None)


def test_no_kubeconfig_says_where_was_looked(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RefusedError, match=r"looked at .*/\.kube/config \(the default place\).*give --kubeconfig"):
        opened()
    monkeypatch.setenv("KUBECONFIG", f"{nowhere / 'a'}:{nowhere / 'b'}")
    with pytest.raises(RefusedError, match=r"looked at .*/a and .*/b \(KUBECONFIG\)"):
        opened()
    with pytest.raises(RefusedError, match=r"/c: no such kubeconfig"):
        opened(nowhere / "c")


def test_the_flag_goes_before_the_variable_and_the_variable_before_the_home(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (nowhere / ".kube").mkdir()
    kubeconfig(nowhere / ".kube" / "config", "https://home.example")
    assert opened().server == "https://home.example"
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig(nowhere / "k", "https://variable.example")))
    assert opened().server == "https://variable.example"
    assert opened(kubeconfig(nowhere / "f", "https://flag.example/")).server == "https://flag.example"


def test_files_of_the_variable_are_merged_and_contexts_chosen(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = kubeconfig(nowhere / "1", "https://one.example", "one")
    two = kubeconfig(nowhere / "2", "https://two.example", "two")
    monkeypatch.setenv("KUBECONFIG", f"{one}:{nowhere / 'missing'}:{two}")
    assert opened(context="one").server == "https://one.example"
    assert opened(context="two").server == "https://two.example"
    with pytest.raises(RefusedError, match="three"):
        opened(context="three")


def test_a_pod_without_its_account_is_refused(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    with pytest.raises(RefusedError, match="the service account of this pod: the credentials cannot be read"):
        opened()
    with pytest.raises(RefusedError, match="--context a: there is no kubeconfig to find it in"):
        opened(context="a")


@pytest.mark.parametrize(
    "text", ["", "{", "a: b: c", "- 1", "contexts: 5", "current-context: x\ncontexts: []\nclusters: []\n"]
)
def test_an_unreadable_kubeconfig_is_one_sentence(nowhere: Path, text: str) -> None:
    path = nowhere / "odd"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RefusedError, match="odd: the credentials cannot be read"):
        opened(path)


def test_a_context_without_server_never_means_this_machine(nowhere: Path) -> None:
    with pytest.raises(RefusedError, match="the cluster of the context has no server"):
        opened(kubeconfig(nowhere / "k", None))


def test_a_missing_certificate_file_is_one_sentence(nowhere: Path) -> None:
    path = kubeconfig(nowhere / "k", "https://one.example")
    content = json.loads(path.read_text(encoding="utf-8"))
    content["clusters"][0]["cluster"]["certificate-authority"] = "gone.crt"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RefusedError, match=r"gone\.crt"):
        opened(path)


def with_user(path: Path, user: object, url: str = "https://127.0.0.1:1") -> Path:
    content = json.loads(kubeconfig(path, url).read_text(encoding="utf-8"))
    content["users"][0]["user"] = user
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_token_that_cannot_be_sent_is_a_refusal_that_does_not_repeat_it(nowhere: Path, server: Server) -> None:
    path = with_user(nowhere / "k", {"token": "abc\ndef"}, server.url)
    with pytest.raises(UnreachableError, match="characters that cannot be sent") as caught:
        open_cluster(kubeconfig=path, context=None, request_timeout=5).get("/version")
    assert "abc" not in str(caught.value)


def test_what_a_credential_plugin_prints_is_logged_without_secrets(nowhere: Path) -> None:
    program = "import sys; sys.exit('no login: password=Hunter2')"
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": ["-c", program]}
    path = with_user(nowhere / "k", {"exec": plugin})
    opening = (
        "import sys; from pathlib import Path; from kueuelift_snapshot.cluster import open_cluster;"
        "open_cluster(kubeconfig=Path(sys.argv[1]), context=None, request_timeout=5)"
    )
    done = subprocess.run([sys.executable, "-c", opening, str(path)], capture_output=True, text=True, check=True)
    assert "no login: password=(hidden)" in done.stderr
    assert "Hunter2" not in done.stderr


def test_an_error_of_the_credentials_repeats_no_secret(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(**_: object) -> None:
        raise ValueError("password=Hunter2 " + "x" * 400)

    monkeypatch.setattr("kubernetes.config.load_kube_config", odd)
    with pytest.raises(RefusedError, match=r"cannot be read \(password=\(hidden\)") as caught:
        opened(kubeconfig(nowhere / "k", "https://127.0.0.1:1"))
    assert "Hunter2" not in str(caught.value)
