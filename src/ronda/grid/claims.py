"""What a node says beside the bytes it brings: what cannot be true is refused, with the reason.

What could be true is believed as far as it does no harm: how far, `host_reports.py` says for nodes nobody knows yet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from ronda.grid.errors import BadUpload
from ronda.grid.upload_reader import ReadRecord
from ronda_node.addresses import judge
from ronda_node.policy import ANYWHERE, PUBLIC_WEB

# Clocks of machines are wrong by an hour or a day; beyond that, their owners had better look.
MOST_SKEW = timedelta(hours=36)
# Clocks do not run alike, and a lease reaches the node a moment after it was written down.
SLACK_SECONDS = 5.0
# As the server tells it; the release and the address of the server may be those of a moment ago.
_AGENT = re.compile(rb"\nuser-agent:[ \t]*RondaBot/\S+ \(\+https?://\S+/bot\)[ \t]*\r?\n", re.IGNORECASE)


@dataclass(frozen=True)
class Possible:
    """Between when it was asked and now; `is_private_fine`: hosts may be in private networks."""

    asked_at: datetime
    now: datetime
    is_private_fine: bool

    @property
    def longest_seconds(self) -> float:
        """No fetch took longer than it has been asked for."""
        return (self.now - self.asked_at).total_seconds() + SLACK_SECONDS


def refuse_impossible(records: Iterable[ReadRecord], possible: Possible) -> None:
    """Raises BadUpload at the first record that says what cannot be."""
    for record in records:
        _check_date(record, possible)
        address = record.fields.get("warc-ip-address")
        if address is not None and (fault := _fault_of(address, possible.is_private_fine)):
            raise BadUpload(f"{record.url[:200]} cannot have been answered from there: {fault}.")
        if record.is_response:
            _check_seconds(record, possible.longest_seconds)
        elif record.kind == "request" and not _AGENT.search(record.block_start):
            raise BadUpload(f"{record.url[:200]} was asked for by another user agent than RondaBot.")


def _check_date(record: ReadRecord, possible: Possible) -> None:
    said_at = record.fetched_at
    if not possible.asked_at - MOST_SKEW <= said_at <= possible.now + MOST_SKEW:
        raise BadUpload(
            f"{record.url[:200]} is said to be of {said_at:%Y-%m-%d}, and was asked for on "
            f"{possible.asked_at:%Y-%m-%d}: set the clock of the machine."
        )


def _check_seconds(record: ReadRecord, longest_seconds: float) -> None:
    total = _seconds(record, "ronda-total-seconds", longest_seconds)
    if "ronda-first-byte-seconds" in record.fields:
        _seconds(record, "ronda-first-byte-seconds", total)


def _seconds(record: ReadRecord, name: str, most: float) -> float:
    try:
        seconds = float(record.fields.get(name, ""))
    except ValueError:
        seconds = math.nan
    # Nothing compares with what is no number.
    if not 0 <= seconds <= most:
        raise BadUpload(f"{record.url[:200]} cannot have taken as long as its {name} says.")
    return seconds


@lru_cache(maxsize=10_000)
def _fault_of(address: str, is_private_fine: bool) -> str:
    return judge(address, policy=ANYWHERE if is_private_fine else PUBLIC_WEB).reason
