"""The rounds without processes: a real node's fetching, leases, uploads, and the workers' steps, one by one.

Whoever tests sees every step. The clock of politeness stands still: hosts are free again at once.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from io import BytesIO

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive.models import Collection
from ronda.frontier.blocks import LeasedRequest
from ronda.frontier.models import Host, Request
from ronda.grid.answers import take_upload
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Node
from ronda.grid.services import register_node
from ronda.rounds import steps, visiting
from ronda.rounds.models import PageState, Source, Version, Visit, VisitState
from ronda_node.fetcher import Fetcher
from ronda_node.limits import Limits
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.warc_records import write_records
from tests.node.origin import exchanging

MOST_BLOCKS = 500


class Rounds:
    def __init__(self, person: Person, limits: Limits | None = None, node: Node | None = None) -> None:
        self.person = person
        self.limits = limits or Limits()
        self.node: Node = node or register_node(actor=person, name="at hand", version="1", system="Linux")

    def follow(self, url: str, **given: object) -> Source:
        collection = Collection.objects.get(slug="scientific")
        values = {"next_visit_at": timezone.now(), "owner": self.person, **given}
        return Source.objects.create(url=url, collection=collection, **values)

    def visit(self, source: Source) -> Visit:
        """The source is due, and its visit is made from end to end."""
        Source.objects.filter(pk=source.pk).update(next_visit_at=timezone.now())
        visiting.open_due_visits()
        return self.finish(source)

    def finish(self, source: Source) -> Visit:
        visit = source.visits.latest("pk")
        for _ in range(MOST_BLOCKS):
            steps.go_on(visit.pk)
            visit.refresh_from_db()
            if visit.state == VisitState.ENDED:
                return visit
            assert self.work(), f"{visit} waits for nothing: {list(visit.pages.values('url', 'state'))}"
        raise AssertionError(f"{visit} does not end")

    def work(self) -> bool:
        """One block: leased, fetched, brought. Nothing to do: false."""
        # By the database's clock, which says what is due; a test may have moved Ronda's.
        just_now = Now() - timedelta(seconds=1)
        # Only those that wait: a test is one transaction, and every row it touches stays behind for all that follows.
        waiting = Host.objects.filter(Q(ready_at__gt=just_now) | Q(backoff_until__isnull=False))
        waiting.update(ready_at=just_now, backoff_until=None)
        Request.objects.filter(not_before__gt=just_now).update(not_before=just_now)
        work = lease_block(actor=self.person, node_id=self.node.pk, slots=16)
        if not work.hosts:
            return Request.objects.exists() or steps.ready_visits().exists()
        body = asyncio.run(self._fetch(work))
        take_upload(actor=self.person, node_id=self.node.pk, block=work.block, upload=body)
        return True

    async def _fetch(self, work: Work) -> BytesIO:
        body = BytesIO()
        async with exchanging(limits=self.limits) as exchanger:
            fetcher = Fetcher(exchanger, ANYWHERE)
            for host in work.hosts:
                for request in host.requests:
                    number = f"robots-{host.host_id}" if request.id is None else str(request.id)
                    fetched = await fetcher.fetch(_request(number, request))
                    write_records(fetched, body.write)
                    fetched.close()
        body.seek(0)
        return body


def _request(number: str, leased: LeasedRequest) -> FetchRequest:
    """With what trusted nodes are told."""
    known = leased.known
    if known is None:
        return FetchRequest(number, leased.url)
    return FetchRequest(
        number,
        leased.url,
        if_none_match=known.etag or None,
        if_modified_since=known.last_modified or None,
        known_digest=known.digest,
    )


def paths_of(version: Version) -> set[str]:
    """What a version holds, without the host."""
    urls = version.visit.pages.filter(state=PageState.DONE).values_list("url", flat=True)
    return {"/" + url.split("/", 3)[3] for url in urls}
