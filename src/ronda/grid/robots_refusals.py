"""What robots.txt forbids, taken out of a block before its node sees it: ended, with the rule."""

from __future__ import annotations

import uuid
from collections import Counter
from urllib.parse import urlsplit

from ronda.frontier import leases, robots
from ronda.frontier.blocks import Completion, HostReport, LeasedHost
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.grid import minutes
from ronda.grid.minutes import Amount

ROBOTS_UNREACHABLE = "refused by robots.txt: it answers with an error, so nothing is allowed"


def without_forbidden(node: uuid.UUID, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
    """Decided here, not on the node: all nodes obey the same rules, whatever release they run."""
    known = Host.objects.filter(pk__in=[host.host_id for host in hosts]).in_bulk()
    refused: dict[int, Outcome] = {}
    emptied: list[LeasedHost] = []
    allowed: list[LeasedHost] = []
    for host in hosts:
        kept = []
        for request in host.requests:
            refusal = _refusal(known[host.host_id], request.url)
            if request.id is not None and refusal:
                refused[request.id] = refusal
            else:
                kept.append(request)
        host.requests = kept
        host.robots = robots.rules_for_nodes(known[host.host_id].robots_text)
        host.has_set_delay = known[host.host_id].delay_seconds is not None
        (allowed if kept else emptied).append(host)
    if refused:
        _end_refused(node, block, refused, emptied)
    return allowed


def _refusal(host: Host, url: str) -> Outcome | None:
    """What a URL ends with that is not fetched. Whoever told so answers for it: if it was a lie, it is asked again."""
    told_by = host.robots_node
    match host.robots_state:
        case RobotsState.RULES if rule := robots.refusal_of(host.robots_text, url):
            return Outcome(OutcomeState.REFUSED, reason=str(rule), node=told_by)
        case RobotsState.UNREACHABLE if urlsplit(url).path != robots.PATH:
            return Outcome(OutcomeState.REFUSED, reason=ROBOTS_UNREACHABLE, node=told_by)
        case RobotsState.FAILED:
            return Outcome(OutcomeState.FAILED, reason=host.robots_failure)
    return None


def _end_refused(
    node: uuid.UUID, block: uuid.UUID, refused: dict[int, Outcome], emptied: list[LeasedHost]
) -> None:
    """Refused URLs end here. A host with nothing else to fetch was not asked anything: it is free again at once."""
    ended = leases.complete(
        completion=Completion(
            node=node,
            block=block,
            done=list(refused),
            retries=[],
            hosts=[HostReport(host.host_id, 0.0) for host in emptied],
        )
    )
    tell(Ended(request, refused[request.id]) for request in ended)
    counts = Counter(_counted_as(refused[request.id]) for request in ended)
    minutes.count(node_id=node, amounts={name: Amount(number) for name, number in counts.items()})


def _counted_as(outcome: Outcome) -> str:
    return minutes.REFUSED if outcome.state is OutcomeState.REFUSED else outcome.reason
