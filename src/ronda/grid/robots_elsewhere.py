"""A robots.txt that redirects to another host (RFC 9309 §2.3.1.2): fetched there, in that host's turn, for this one.

Each step is an ordinary request of the purpose "robots". Nothing here happens inside an upload: that holds its hosts,
and the next one may be another. A step that is lost by a crash is begun again when its time is over.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial

from django.conf import settings
from django.db import transaction

from ronda.archive.models import Capture
from ronda.archive.payload import payload_of
from ronda.archive.reading import record_with, response_field
from ronda.frontier import leases, robots, robots_keeping
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Wanted
from ronda.frontier.models import Batch, Host, RobotsState
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, register_purpose
from ronda.grid.listening import terms_for
from ronda.grid.models import Node
from ronda.grid.presence import alike, ready
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, PUBLIC_WEB
from ronda_node.redirects import REDIRECTS, text_of
from ronda_node.urls import CanonicalUrl, canonicalise, join

PURPOSE = "robots"
# Before the pages of that host: others wait for it.
PRIORITY = -1


def state_of(status: int) -> RobotsState:
    if status < 300:
        return RobotsState.RULES
    if status == 429 or status >= 500:
        return RobotsState.UNREACHABLE
    # 4xx: none, all is allowed. A redirect that leads nowhere: the same, §2.3.1.2.
    return RobotsState.ABSENT


def target_of(host: Host, url: str, status: int, location: str) -> CanonicalUrl | None:
    """The other host's URL to go on with; none if there is none, or it leads in circles, too far or inward."""
    if status not in REDIRECTS or not location or len(host.robots_way) >= robots_keeping.MOST_HOPS:
        return None
    policy = ANYWHERE if settings.RONDA.allow_private_networks else PUBLIC_WEB
    try:
        target = join(canonicalise(url, policy), text_of(location.encode("latin-1")), policy)
    except UrlRefused:
        return None
    is_circle = target.authority == host.name or target.text in host.robots_way or _leads_back(host, target)
    return None if is_circle else target


def _leads_back(host: Host, target: CanonicalUrl) -> bool:
    """Whether the target's own robots.txt is waiting for ours: neither would ever come."""
    names = {target.authority}
    for _ in range(robots_keeping.MOST_HOPS):
        waiting = Host.objects.filter(name=target.authority, robots_state=RobotsState.ELSEWHERE)
        way = waiting.values_list("robots_way", flat=True).first()
        if not way:
            return False
        target = canonicalise(way[-1], ANYWHERE)
        if target.authority == host.name or target.authority in names:
            return True
        names.add(target.authority)
    return True


def ask_there(host_id: int, target: CanonicalUrl, not_owners: tuple[int, ...] = ()) -> None:
    """A batch of its own: nobody else holds its row. `not_owners`: who have had their say."""
    batch = frontier.open_batch(purpose=PURPOSE, owner=f"{host_id}:{uuid.uuid4()}", priority=PRIORITY)
    wanted = Wanted(target.text, target.authority, target.scheme, not_owners=not_owners)
    frontier.put_requests(batch=batch, wanted=[wanted])


def _hear(batch: Batch, ended: Sequence[Ended]) -> None:
    host_id = int(batch.owner.partition(":")[0])
    for one in ended:
        transaction.on_commit(partial(_arrived, host_id, one.request.url, one.outcome), robust=True)


@transaction.atomic
def _arrived(host_id: int, url: str, outcome: Outcome) -> None:
    host = leases.lock_hosts([host_id]).get(host_id)
    if host is None or host.robots_state != RobotsState.ELSEWHERE or host.robots_way[-1:] != [url]:
        return
    if outcome.state is OutcomeState.FAILED:
        robots_keeping.keep_unreached(host, outcome.reason)
    elif outcome.state is not OutcomeState.FETCHED or outcome.capture_id is None:
        # That host does not let us have it: as if it answered with an error.
        robots_keeping.keep_rules(host, RobotsState.UNREACHABLE, "", node=None, is_trusted=True)
    else:
        _take(
            host,
            Capture.objects.select_related("file", "refers_to__file").get(pk=outcome.capture_id),
            outcome,
        )


def _take(host: Host, capture: Capture, outcome: Outcome) -> None:
    record = record_with(capture.refers_to or capture, robots.MAX_BYTES)
    target = target_of(host, capture.url, outcome.status, response_field(record, b"location"))
    state = RobotsState.ELSEWHERE if target else state_of(outcome.status)
    text = robots.decode(payload_of(record, robots.MAX_BYTES)) if state is RobotsState.RULES else ""
    node = Node.objects.filter(pk=outcome.node).first() if outcome.node else None
    is_trusted = node is not None and terms_for(node).is_trusted
    tellers = alike(node) if node else []
    if not is_trusted and _is_left_to_others(host, state, target.text if target else text, tellers):
        return
    if target:
        robots_keeping.keep_way(host, target.text, node=outcome.node)
        transaction.on_commit(partial(ask_there, host.pk, target), robust=True)
    else:
        robots_keeping.keep_rules(
            host, state, text, node=outcome.node, is_trusted=is_trusted, tellers=tellers
        )


def _is_left_to_others(host: Host, state: RobotsState, said: str, tellers: list[uuid.UUID]) -> bool:
    """The word of somebody whom nobody knows yet is not enough here either, while others are there to be asked."""
    if host.robots_failure == robots_keeping.unconfirmed(state, said):
        return False
    asked = {*host.robots_tried, *tellers}
    owners = tuple(Node.objects.filter(pk__in=asked).values_list("owner_id", flat=True).distinct())
    if not ready().exclude(owner__in=owners).exists():
        return False
    robots_keeping.ask_for_confirmation(host, state, said, tellers=tellers)
    here = canonicalise(host.robots_way[-1], ANYWHERE)
    transaction.on_commit(partial(ask_there, host.pk, here, owners), robust=True)
    return True


register_purpose(PURPOSE, _hear)
