"""Charts: which files are taken, and how helm is called."""

import json
from pathlib import Path

import pytest

from kueuelift.errors import RefusedError
from kueuelift.release_profile import Release
from kueuelift_transform.charts import chart_for, read_chart, render
from kueuelift_transform.installation import without_tokens
from snapshot_maker import make_chart, write_archive

WANTED = Release.parse("0.17.0")


def test_a_chart_is_known_by_its_chart_yaml(tmp_path: Path) -> None:
    chart = read_chart(make_chart(tmp_path / "renamed.tgz"))
    assert (chart.name, chart.version, chart.app_version) == ("kueue", "0.17.0", "v0.17.0")
    assert chart.plan_path == "helm/renamed.tgz"
    assert chart_for([chart], WANTED) is chart


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "0 bytes found"),
        (b"no archive at all", "no chart archive"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03cut", "no chart archive"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "chart.tgz"
    path.write_bytes(content)
    with pytest.raises(RefusedError, match=why):
        read_chart(path)


@pytest.mark.parametrize("cut", [100, 2000])
def test_a_truncated_chart_is_refused(tmp_path: Path, cut: int) -> None:
    path = make_chart(tmp_path / "chart.tgz")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(RefusedError, match=r"--chart .*chart\.tgz"):
        read_chart(path)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"kueue/values.yaml": b"{}"}, "without a Chart.yaml"),
        ({"kueue/templates/Chart.yaml": b"name: kueue"}, "without a Chart.yaml"),
        ({"../Chart.yaml": b"- kueue"}, "names no chart"),
        ({"kueue/Chart.yaml": b"version: [\n"}, "kueue/Chart.yaml"),
    ],
)
def test_an_archive_that_is_no_chart_is_refused(tmp_path: Path, files: dict[str, bytes], why: str) -> None:
    path = write_archive(tmp_path / "chart.tgz", files)
    with pytest.raises(RefusedError, match=why):
        read_chart(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be read"):
        read_chart(tmp_path / "none.tgz")


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "chart.tgz", {"kueue/zeros": bytes(65 << 20), "kueue/Chart.yaml": b"name: kueue"})
    assert path.stat().st_size < 1 << 20
    with pytest.raises(RefusedError, match="64 MB"):
        read_chart(path)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"name": "hopsworks"}, "chart 'hopsworks' found, 'kueue' wanted"),
        ({"version": "0.16.0"}, "version 0.16.0, appVersion v0.16.0 found, 0.17.0 with v0.17.0 wanted"),
        ({"app_version": "v0.16.2"}, "appVersion v0.16.2 found"),
        ({"version": "0.17.0-rc.1"}, "version 0.17.0-rc.1"),
    ],
)
def test_another_chart_is_refused(tmp_path: Path, words: dict[str, str], why: str) -> None:
    chart = read_chart(make_chart(tmp_path / "chart.tgz", **words))
    with pytest.raises(RefusedError, match=why):
        chart_for([chart], WANTED)


def test_two_charts_of_one_release_are_refused(tmp_path: Path) -> None:
    charts = [read_chart(make_chart(tmp_path / name)) for name in ("a.tgz", "b.tgz")]
    with pytest.raises(RefusedError, match="a second chart"):
        chart_for(charts, WANTED)


def fake_helm(folder: Path, script: str) -> Path:
    helm = folder / "helm"
    helm.write_text(f"#!/bin/sh\n{script}\n")
    helm.chmod(0o700)
    return helm


def test_helm_sees_no_cluster_and_gets_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "HELM_KUBECONTEXT", "HELM_KUBETOKEN", "HELM_DRIVER", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "/some/where")
    script = (
        f'env > "{tmp_path}/environment"; for word; do echo "$word"; done > "{tmp_path}/words"; cat "{tmp_path}/seen"'
    )
    seen = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "seen"}}
    (tmp_path / "seen").write_text(json.dumps(seen))
    chart = read_chart(make_chart(tmp_path / "chart.tgz"))
    rendered = render(
        chart,
        helm=fake_helm(tmp_path, script),
        release="batch; rm -rf /",
        namespace="n",
        values={"a": 1},
        kube_version="v1.30.4-gke.1",
    )
    assert rendered == (seen,)
    words = (tmp_path / "words").read_text().splitlines()
    assert words[:2] == ["template", "batch; rm -rf /"]
    assert words[words.index("--kube-version") + 1] == "v1.30.4"
    assert not set(words) & {"--validate", "--kubeconfig", "--debug"}
    names = {line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()}
    assert not {name for name in names if name.startswith(("KUBE", "HELM_KUBE", "HELM_DRIVER", "HTTPS"))}


@pytest.mark.parametrize("place", ["/dev/zero", "/"])
def test_what_is_no_regular_file_is_not_read(place: str) -> None:
    with pytest.raises(RefusedError, match="not a regular file"):
        read_chart(Path(place))


@pytest.mark.parametrize("printed", ["", "hello", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"])
def test_a_rendering_without_a_manager_is_refused(tmp_path: Path, printed: str) -> None:
    (tmp_path / "printed").write_text(printed)
    chart = read_chart(make_chart(tmp_path / "chart.tgz"))
    helm = fake_helm(tmp_path, f'cat "{tmp_path}/printed"')
    with pytest.raises(RefusedError, match=r"no Deployment found|an object wanted"):
        render(chart, helm=helm, release="kueue", namespace="n", values={}, kube_version="v1.30.4")


def test_what_helm_refuses_is_said_with_its_reason(tmp_path: Path) -> None:
    helm = fake_helm(tmp_path, "echo 'Error: nil pointer evaluating x' >&2; echo 'Use --debug flag' >&2; exit 1")
    chart = read_chart(make_chart(tmp_path / "chart.tgz"))
    with pytest.raises(RefusedError, match=r"helm template refused it \(nil pointer evaluating x\)"):
        render(chart, helm=helm, release="kueue", namespace="n", values={}, kube_version="")


def test_hidden_values_are_left_out_wherever_they_stand() -> None:
    token = f"kueuelift-token-{'a' * 32}"
    values = {"keep": {"x": 1, "secret": token}, "list": [token, "y", {"z": token}], "url": f"https://{token}@h"}
    assert without_tokens(values) == {"keep": {"x": 1}, "list": ["y", {}]}
    assert "token" not in json.dumps(without_tokens(values))
