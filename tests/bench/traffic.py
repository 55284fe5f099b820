"""What an API server has sent for lists of Workloads, by its own count."""

import re
from dataclasses import dataclass
from typing import Self

from bed.api import Api
from bed.failure import BedError

_SERIES = re.compile(r"^(apiserver_request_total|apiserver_response_sizes_sum)\{(.*)\} (\S+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Traffic:
    """Answers to list requests, and their bytes."""

    requests: int
    sent: int

    @classmethod
    def of(cls, api: Api) -> Self:
        """Since the server started."""
        status, text = api.raw("GET", "/metrics")
        if status != 200:
            raise BedError(f"GET /metrics answered {status}")
        totals = {"apiserver_request_total": 0.0, "apiserver_response_sizes_sum": 0.0}
        for name, labels, value in _SERIES.findall(text.decode()):
            if 'resource="workloads"' in labels and 'verb="LIST"' in labels:
                totals[name] += float(value)
        requests, sent = (round(total) for total in totals.values())
        return cls(requests=requests, sent=sent)

    def since(self, earlier: Self) -> Self:
        """What came after an earlier count."""
        return type(self)(requests=self.requests - earlier.requests, sent=self.sent - earlier.sent)
