"""Pages of others whose answer is known, as several people got it alike lately: probes that no node can tell."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta

from ronda.archive.queries import captures_of_host
from ronda.archive.services import agreed_digests
from ronda.frontier import robots
from ronda.frontier.blocks import LeasedHost
from ronda.grid.models import Node

# An answer is known when so many other people got it, all alike, within this time.
AGREEING_PEOPLE = 3
AGREED_WITHIN = timedelta(days=30)
# Of one host, the newest so many captures are looked through.
LOOKED_THROUGH = 60


@dataclass(frozen=True)
class KnownPage:
    url: str
    digest: str


def known_digests(urls: list[str], *, not_by: int) -> dict[str, str]:
    return agreed_digests(urls=urls, not_by=not_by, people=AGREEING_PEOPLE, since=AGREED_WITHIN)


def known_page_of(host: LeasedHost, *, not_by: int, chance: random.Random) -> KnownPage | None:
    """A page of this host that is not asked for anyway, and that its robots.txt still allows."""
    newest = captures_of_host(host.name).filter(status=200, truncated="").values_list("url", flat=True)
    asked = {request.url for request in host.requests}
    urls = [url for url in dict.fromkeys(newest[:LOOKED_THROUGH]) if url not in asked]
    known = [
        KnownPage(url, digest)
        for url, digest in known_digests(urls, not_by=not_by).items()
        if not (host.robots and robots.refusal_of(host.robots, url))
    ]
    return chance.choice(known) if known else None


def are_enough_people(*, not_by: int) -> bool:
    """Where few ever had a node, no page is known: no need to look at captures."""
    people = Node.objects.exclude(owner=not_by).values_list("owner", flat=True)
    return people.distinct()[:AGREEING_PEOPLE].count() >= AGREEING_PEOPLE
