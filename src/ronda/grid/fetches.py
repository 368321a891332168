"""Clients: hand in URLs, see how far they are, read the answers."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.models import Capture
from ronda.archive.services import fresh_captures
from ronda.database.named_sql import named_sql
from ronda.errors import Conflict, InvalidInput
from ronda.frontier import ending
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Wanted
from ronda.frontier.models import Batch
from ronda.frontier.opt_outs import refusals
from ronda.frontier.places import is_country
from ronda.frontier.purposes import Ended, OutcomeState, register_purpose
from ronda.frontier.strategies import Strategy
from ronda.grid import listening
from ronda.grid.errors import NoSuchFetch
from ronda.grid.models import FROM_ARCHIVE, AnswerState, Fetch, FetchAnswer, Node
from ronda.grid.policies import CACHE_SECONDS, STRATEGY
from ronda.grid.vantage import countries_of, from_each_country
from ronda.policies.queries import value_of
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, PUBLIC_WEB
from ronda_node.urls import canonicalise

PURPOSE = "fetch"
MOST_URLS = 100_000
# Lone surrogates: JSON can say them, no encoding can.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Refused:
    url: str
    reason: str


def create_fetch(
    *,
    actor: Person | None,
    urls: Sequence[str],
    max_age_seconds: int | None = None,
    strategy: str | None = None,
    vantage: Sequence[str] = (),
) -> Fetch:
    """Queue a list of URLs: canonical, each once. What may never be fetched is answered at once, with the reason.

    `vantage`: countries; each URL is fetched from every one of them, and never taken from the archive.
    """
    client = require(actor, Role.CLIENT)
    countries = countries_of(vantage)
    if not urls or len(urls) * max(1, len(countries)) > MOST_URLS:
        raise InvalidInput("Give 1 to 100,000 URLs, all countries together.", field="urls")
    if any(_HALVES.search(url) for url in urls):
        raise InvalidInput("A URL holds half a character (a lone surrogate), which is no text.", field="urls")
    chosen = Strategy(str(STRATEGY.parse(strategy) if strategy else value_of(STRATEGY)))
    wanted, refused = _sorted_out(urls)
    max_age = timedelta(seconds=int(value_of(CACHE_SECONDS)) if max_age_seconds is None else max_age_seconds)
    known: dict[str, Capture] = {}
    if countries:
        wanted = from_each_country(wanted, countries)
    elif max_age:
        known = fresh_captures(
            urls=[w.url for w in wanted], max_age=max_age, believed=listening.believed_captures()
        )
    nodes = Node.objects.in_bulk({capture.node for capture in known.values() if capture.node})
    with transaction.atomic():
        # Who does not want to be fetched is not served from the archive either.
        opted_out = refusals(w.host for w in wanted if w.url in known)
        known = {w.url: known[w.url] for w in wanted if w.url in known and w.host not in opted_out}
        fetch_id = uuid.uuid4()
        batch = frontier.open_batch(purpose=PURPOSE, owner=str(fetch_id), strategy=chosen)
        fetch = Fetch.objects.create(
            id=fetch_id,
            owner=client,
            batch=batch,
            vantage=countries,
            is_to_be_compared=len(countries) > 1,
        )
        answers = [
            FetchAnswer(fetch=fetch, url=r.url, state=AnswerState.REFUSED, reason=r.reason) for r in refused
        ]
        answers += [
            FetchAnswer(
                fetch=fetch,
                url=url,
                state=AnswerState.FETCHED,
                status=c.status,
                reason=FROM_ARCHIVE,
                capture=c,
                node=nodes.get(c.node) if c.node else None,
            )
            for url, c in known.items()
        ]
        FetchAnswer.objects.bulk_create(answers)
        Batch.objects.filter(pk=batch.pk).update(
            total=F("total") + len(answers), ended=F("ended") + len(answers)
        )
        queued = frontier.put_requests(batch=batch, wanted=[w for w in wanted if w.url not in known])
        fetch.refused = fetch.answers.filter(state=AnswerState.REFUSED).count()
        fetch.save(update_fields=["refused"])
        listening.tell_fetch_created(fetch, queued)
    fetch.batch.refresh_from_db()
    return fetch


def cancel_fetch(*, actor: Person | None, fetch_id: uuid.UUID) -> Fetch:
    """What is queued ends: a piece now, the rest by the leader, in seconds. What a node is fetching ends with its
    answer. Cancelling again is harmless."""
    found = fetch(actor=actor, fetch_id=fetch_id)
    if found.is_done and not found.batch.is_cancelled:
        raise Conflict("This fetch is done already.")
    ending.cancel_batch(batch_id=found.batch_id, seconds=0)
    return fetch(actor=actor, fetch_id=fetch_id)


def _sorted_out(urls: Sequence[str]) -> tuple[list[Wanted], list[Refused]]:
    policy = ANYWHERE if settings.RONDA.allow_private_networks else PUBLIC_WEB
    wanted: dict[str, Wanted] = {}
    refused: dict[str, Refused] = {}
    for text in urls:
        try:
            url = canonicalise(text, policy)
        except UrlRefused as refusal:
            shown = text[:500].replace("\0", "")
            refused.setdefault(shown, Refused(shown, str(refusal)[:300]))
        else:
            wanted.setdefault(url.text, Wanted(url.text, url.authority, url.scheme))
    return list(wanted.values()), list(refused.values())


def fetches(*, actor: Person | None) -> QuerySet[Fetch]:
    """One's own; an administrator sees everybody's."""
    person = require(actor, Role.CLIENT)
    found = Fetch.objects.select_related("batch", "owner")
    return found if person.is_administrator else found.filter(owner=person)


def fetch(*, actor: Person | None, fetch_id: uuid.UUID) -> Fetch:
    found = fetches(actor=actor).filter(pk=fetch_id).first()
    if found is None:
        raise NoSuchFetch()
    return found


def answers(*, actor: Person | None, fetch_id: uuid.UUID, after: int = 0) -> QuerySet[FetchAnswer]:
    """In the order they came; `after` the last one read."""
    found = fetch(actor=actor, fetch_id=fetch_id)
    return found.answers.filter(pk__gt=after).order_by("pk").select_related("capture", "capture__file")


def _hear(batch: Batch, ended: Sequence[Ended]) -> None:
    """One statement, however many ended: this is on the way of every answer."""
    nodes = Node.objects.in_bulk({one.outcome.node for one in ended if one.outcome.node})
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.grid", "keep_answers"),
            {
                "fetch": uuid.UUID(batch.owner),
                "urls": [one.request.url for one in ended],
                "states": [one.outcome.state.value for one in ended],
                "statuses": [one.outcome.status for one in ended],
                "reasons": [one.outcome.reason for one in ended],
                "captures": [one.outcome.capture_id for one in ended],
                # One that told a host's rules may be gone by now.
                "nodes": [one.outcome.node if one.outcome.node in nodes else None for one in ended],
                "countries": [_country(one, nodes) for one in ended],
            },
        )
    # Robots rules and opt-outs refuse as well, long after it was made.
    if refused := sum(one.outcome.state is OutcomeState.REFUSED for one in ended):
        # Under the batch's lock, like everything that counts: who queues for hosts that opted out has not got it yet.
        Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
        Fetch.objects.filter(pk=uuid.UUID(batch.owner)).update(refused=F("refused") + refused)


def _country(ended: Ended, nodes: dict[uuid.UUID, Node]) -> str:
    """Where it was to be fetched from, or where the node is that fetched it."""
    if is_country(ended.request.copy):
        return ended.request.copy
    node = nodes.get(ended.outcome.node) if ended.outcome.node else None
    return node.country if node else ""


register_purpose(PURPOSE, _hear)
