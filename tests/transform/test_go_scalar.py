"""Times as Kueue's Go structs read and write them (seen with the types of Kueue 0.17.0)."""

import pytest

from kueuelift_transform.go_scalar import MismatchError, utc


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00.999Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00Z"),
        ("2026-01-01T00:30:00+02:00", "2025-12-31T22:30:00Z"),
        ("2025-12-31T23:30:00-00:45", "2026-01-01T00:15:00Z"),
        ("2024-02-28T23:59:59-01:00", "2024-02-29T00:59:59Z"),
        ("2026-02-28T23:59:59-01:00", "2026-03-01T00:59:59Z"),
        ("2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00Z"),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_times_are_written_in_utc_to_the_second(text: str, written: str | None) -> None:
    assert utc(text) == written


@pytest.mark.parametrize(
    "value",
    [
        *("", "soon", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31t12:00:00z", "2026-02-29T00:00:00Z"),
        *("2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z"),
        *("2026-01-01T00:00:60Z", 5, None),
    ],
    ids=repr,
)
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(MismatchError, match="wanted a time"):
        utc(value)
