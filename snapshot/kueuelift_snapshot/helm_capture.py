"""Takes Helm's release records of both drivers into a snapshot."""

from kueuelift.helm_record import HelmRecord
from kueuelift.progress import Task
from kueuelift_snapshot.capture import Capture
from kueuelift_snapshot.helm_releases import DRIVERS, RECORDS_A_PAGE, Driver, Releases
from kueuelift_snapshot.listing import Reading
from kueuelift_snapshot.pages import read_pages


def capture_releases(capture: Capture) -> tuple[list[HelmRecord], Releases]:
    """Every release record that touches Kueue, in all namespaces, told without its content.

    Each one that cannot be read is a failure of its own: the Releases tell, once the installation is known.
    """
    releases = Releases(capture.redactor)
    told: list[HelmRecord] = []
    with capture.progress.task("helm releases") as task:
        for driver in DRIVERS:
            told += _capture(capture, releases, driver, task)
    return told, releases


def _capture(capture: Capture, releases: Releases, driver: Driver, task: Task) -> list[HelmRecord]:
    written: dict[str, HelmRecord] = {}

    def read(tolerant: bool) -> None:
        reading = Reading()
        pages = read_pages(
            capture.api, driver.resource.path(), limit=RECORDS_A_PAGE, query=driver.query, tolerant=tolerant
        )
        for release in (
            release for page in reading.through(pages) for release in map(releases.take, page.items) if release
        ):
            folder = capture.writer.add_helm_record(release.record)
            written[folder] = release.record.without_content()
            for name, redacted in release.hidden.items():
                capture.account(f"{folder}/{name}", redacted)
            task.advance()
        capture.readings[f"helm/{driver.resource.name}"] = reading

    def discard() -> None:
        releases.forget(driver.name)
        for folder in written:
            capture.discard(folder)
        written.clear()

    capture.whole(driver.resource, read, discard=discard)
    return list(written.values())
