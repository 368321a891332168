"""What a node was asked, as far as its answers are held against it."""

from __future__ import annotations

from dataclasses import dataclass

from ronda.frontier import robots
from ronda.frontier.blocks import Held, Known
from ronda.frontier.models import Batch, Request
from ronda.frontier.purposes import NOBODYS, Belonging, belonging_of, keeps_captures

# How nodes know the robots.txt of a host, which is never queued.
ROBOTS_PREFIX = "robots-"


@dataclass(frozen=True)
class Assignment:
    """One URL. `known` is what the node was told the archive holds of it; `belonging`, what the answer is kept for."""

    url: str
    belonging: Belonging = NOBODYS
    known: Known | None = None
    # The node may answer that nothing changed: it was told what there was.
    is_told: bool = False
    is_kept_unchanged: bool = True

    @property
    def is_conditional(self) -> bool:
        """The host was asked for news only: a 304 is an answer."""
        return self.is_told and self.known is not None and bool(self.known.etag or self.known.last_modified)


def robots_id(lease: Held) -> str:
    return f"{ROBOTS_PREFIX}{lease.host_id}"


def keys_of(lease: Held) -> list[str]:
    return [robots_id(lease)] if lease.is_robots else [str(number) for number in lease.request_ids]


def assignments_of(leases: list[Held]) -> dict[str, Assignment]:
    """By request id; what others answered meanwhile is no longer known."""
    told = {number for lease in leases if lease.is_trusted for number in lease.request_ids}
    asked = Request.objects.filter(pk__in=[number for lease in leases for number in lease.request_ids])
    rows = list(asked.values_list("pk", "url", "known", "is_kept_unchanged", "batch_id", "batch__purpose"))
    belongings = _belongings({batch for *_, batch, purpose in rows if keeps_captures(purpose)})
    found = {
        str(number): Assignment(
            url,
            belongings.get(batch, NOBODYS),
            Known(**known) if known else None,
            is_told=number in told,
            is_kept_unchanged=is_kept_unchanged,
        )
        for number, url, known, is_kept_unchanged, batch, _purpose in rows
    }
    for lease in leases:
        if lease.is_robots:
            found[robots_id(lease)] = Assignment(f"{lease.scheme}://{lease.host_name}{robots.PATH}")
    return found


def _belongings(batches: set[int]) -> dict[int, Belonging]:
    found = Batch.objects.in_bulk(batches) if batches else {}
    return {number: belonging_of(batch) for number, batch in found.items()}
