"""Durations as Go reads and prints them: `1h30m`, `.5s`, `-1.5h`; nanoseconds in 64 bits."""

import re

_UNITS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}  # fmt: skip
_PART = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<unit>ns|us|µs|μs|ms|s|m|h)")
_MOST = 1 << 63


def nanoseconds(text: str) -> int:
    """What a duration means; ValueError where Go's time.ParseDuration refuses it."""
    bare = text[1:] if text[:1] in ("+", "-") else text
    negative = text.startswith("-")
    if bare == "0":
        return 0
    total, place = 0, 0
    while place < len(bare):
        found = _PART.match(bare, place)
        if found is None or not (found["whole"] or found["part"]):
            raise ValueError(f"{text!r} is no duration")
        total += _size(found)
        if total > _MOST:
            raise ValueError(f"{text!r} is longer than any duration")
        place = found.end()
    if not bare or (total == _MOST and not negative):
        raise ValueError(f"{text!r} is no duration")
    return -total if negative else total


def printed(duration: int) -> str:
    """Nanoseconds as Go prints them: `1h30m0s`, `1.5ms`, `0s`."""
    size, sign = abs(duration), "-" if duration < 0 else ""
    if size == 0:
        return "0s"
    for unit, most in (("ns", 1_000), ("µs", 1_000_000), ("ms", 1_000_000_000)):
        if size < most:
            return f"{sign}{_decimal(size, _UNITS[unit])}{unit}"
    minutes, rest = divmod(size, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, _UNITS['s'])}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{sign}{hours}h{text}" if hours else f"{sign}{text}"


def _size(found: re.Match[str]) -> int:
    """One part in nanoseconds, cut off below one; digits of a fraction beyond 64 bits are not read, as there."""
    unit = _UNITS[found["unit"]]
    size = int(found["whole"] or 0) * unit
    part, scale = 0, 1
    for digit in found["part"] or "":
        if part > (_MOST - 1) // 10:
            break
        part, scale = part * 10 + int(digit), scale * 10
    # Go multiplies with a double here, so the last digits of long fractions are those of a double.
    return size + int(float(part) * (float(unit) / float(scale)))


def _decimal(size: int, unit: int) -> str:
    whole, rest = divmod(size, unit)
    part = str(rest).zfill(len(str(unit)) - 1).rstrip("0")
    return f"{whole}.{part}" if part else str(whole)
