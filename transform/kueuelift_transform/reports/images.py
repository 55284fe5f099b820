"""images.txt: what the registry has to hold before the change."""

from collections.abc import Iterator
from typing import Any

from kueuelift_transform.report import Report
from kueuelift_transform.view import View


def _render(view: View) -> str:
    return "".join(f"{image}\n" for image in sorted(set(_images(list(view.manifest)))))


def _images(value: Any) -> Iterator[str]:
    """Every image of every container, wherever pods are described."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"containers", "initContainers"} and isinstance(inner, list):
                yield from (str(one["image"]) for one in inner if isinstance(one, dict) and one.get("image"))
            yield from _images(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _images(inner)


REPORT = Report(file="images.txt", title="Images of the rendered chart; empty where helm was not there", render=_render)
