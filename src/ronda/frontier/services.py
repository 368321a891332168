"""Putting URLs in the queue, and for whom they are."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F

from ronda.database.named_sql import named_sql
from ronda.frontier import arrivals
from ronda.frontier.blocks import EndedRequest, Known, Wanted
from ronda.frontier.ending import opted_out
from ronda.frontier.models import Batch, Request
from ronda.frontier.opt_outs import refusals
from ronda.frontier.places import address_in, continent_of, country_of
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.frontier.strategies import Strategy

# Fewer statements, but none that keeps its host rows locked for long.
CHUNK = 5000
# Batches take turns as far as they stand in different lanes; each costs a claim a look at its head.
LANES = 64
NEVER_QUEUED = 0


class _Turn(NamedTuple):
    """A URL that a batch wants, and its place among those of its host."""

    turn: int
    batch: Batch
    wanted: Wanted


def open_batch(
    *, purpose: str, owner: str, priority: int = 0, strategy: Strategy = Strategy.LEAST_BUSY
) -> Batch:
    """The batch of that purpose and owner; the same one when asked again."""
    batch, _ = Batch.objects.get_or_create(
        purpose=purpose, owner=owner, defaults={"priority": priority, "strategy": strategy}
    )
    return batch


def put_requests(*, batch: Batch, wanted: Sequence[Wanted]) -> int:
    """Queue URLs of a batch; returns how many were new to it. Harmless to repeat.

    Those of hosts that opted out are not queued: their purpose hears at once that they are refused.
    """
    return put_all([(batch, one) for one in wanted])


def put_all(wanted: Sequence[tuple[Batch, Wanted]]) -> int:
    """The same for several batches at once: hosts are locked in one order, whichever batch brings them."""
    # Over all chunks, as the caller may hold one transaction around them.
    by_host = sorted(wanted, key=lambda one: one[1].host)
    queued = sum(_put_chunk(chunk) for chunk in _chunks(_in_turns(by_host)))
    arrivals.tell()
    return queued


def _in_turns(wanted: Sequence[tuple[Batch, Wanted]]) -> list[_Turn]:
    """Each with its place among those of its host and batch."""
    turns: Counter[tuple[str, int]] = Counter()
    found = []
    for batch, one in wanted:
        turns[one.host, batch.pk] += 1
        found.append(_Turn(turns[one.host, batch.pk], batch, one))
    return found


def _chunks(wanted: Sequence[_Turn]) -> Iterable[Sequence[_Turn]]:
    return (wanted[start : start + CHUNK] for start in range(0, len(wanted), CHUNK))


def _put_chunk(turns: Sequence[_Turn]) -> int:
    with transaction.atomic(savepoint=False):
        reasons = refusals(one.wanted.host for one in turns)
        queued = _enqueue([one for one in turns if one.wanted.host not in reasons])
        _refuse([one for one in turns if one.wanted.host in reasons], reasons)
    return queued


def _enqueue(turns: Sequence[_Turn]) -> int:
    if not turns:
        return 0
    batches = {one.batch.pk: one.batch for one in turns}
    places = {number: place for place, number in enumerate(batches, start=1)}
    wanted = [one.wanted for one in turns]
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.frontier", "enqueue"),
            {
                "batches": list(batches),
                "priorities": [batch.priority for batch in batches.values()],
                "strategies": [batch.strategy for batch in batches.values()],
                "lanes": LANES,
                "which": [places[one.batch.pk] for one in turns],
                "turns": [one.turn for one in turns],
                "urls": [w.url for w in wanted],
                "digests": [_digest(w) for w in wanted],
                "names": [w.host for w in wanted],
                "schemes": [w.scheme for w in wanted],
                "copies": [w.copy for w in wanted],
                "countries": [w.country for w in wanted],
                "not_owners": [
                    f"{{{','.join(map(str, w.not_owners))}}}" if w.not_owners else None for w in wanted
                ],
                "are_for_trusted": [w.is_for_trusted for w in wanted],
                "known": [_as_json(w.known) if w.known else None for w in wanted],
                "are_kept_unchanged": [w.is_kept_unchanged for w in wanted],
                "literals": json.dumps(_literals({w.host for w in wanted})),
            },
        )
        return sum(number for (number,) in cursor.fetchall())


def _literals(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Hosts whose name is their address: nobody has to ask them to know it."""
    found = {}
    for name in names:
        if (name[-1:].isdigit() or name.endswith("]")) and (address := address_in(name)):
            country = country_of(address)
            found[name] = {
                "address": address,
                "country": country,
                "continent": continent_of(country),
            }
    return found


def _as_json(known: Known) -> str:
    """A validator came from a server, and PostgreSQL takes no zero bytes."""
    etag, last_modified = (value.replace("\0", "") for value in (known.etag, known.last_modified))
    return json.dumps(asdict(replace(known, etag=etag, last_modified=last_modified)))


def _refuse(turns: Sequence[_Turn], reasons: Mapping[str, str]) -> None:
    """A URL is refused once a batch, as it would have been queued once."""
    for batch_id, of_batch in groupby(sorted(turns, key=_batch_id), key=_batch_id):
        by_digest = {_digest(one.wanted): one.wanted for one in of_batch}
        arguments: dict[str, Any] = {"batch": batch_id, "digests": list(by_digest)}
        with connection.cursor() as cursor:
            cursor.execute(named_sql("ronda.frontier", "note_seen"), arguments)
            fresh = [by_digest[digest] for (digest,) in cursor.fetchall()]
        tell(
            Ended(
                EndedRequest(id=NEVER_QUEUED, batch_id=batch_id, url=w.url, copy=w.copy, attempts=0),
                Outcome(OutcomeState.REFUSED, reason=opted_out(reasons[w.host])),
            )
            for w in fresh
        )
        # Batches are locked last, as everywhere.
        number = len(fresh)
        Batch.objects.filter(pk=batch_id).update(total=F("total") + number, ended=F("ended") + number)


def _batch_id(one: _Turn) -> int:
    return one.batch.pk


def _digest(wanted: Wanted) -> uuid.UUID:
    """What a batch takes once."""
    return digest_of(f"{wanted.copy} {wanted.url}" if wanted.copy else wanted.url)


def digest_of(url: str) -> uuid.UUID:
    """128 bits of a hash: a billion URLs collide with a chance of one in 10^20."""
    return uuid.UUID(bytes=hashlib.blake2b(url.encode(), digest_size=16).digest())


def ask_others(*, request_ids: Sequence[int], not_owner: int) -> None:
    """This person could not get them: next time somebody else tries."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE frontier_request SET not_owners = array_append(not_owners, %s) WHERE id = ANY (%s)",
            [not_owner, list(request_ids)],
        )


def ask_uncapped(*, request_ids: Sequence[int]) -> None:
    """They were cut off: next time somebody tries who takes more of an answer."""
    Request.objects.filter(pk__in=request_ids).update(is_for_uncapped=True)


def let_anybody(*, waiting_since: datetime, but_not_for: str) -> int:
    """What was for others, who did not come for it: anybody may fetch it, except for this purpose."""
    late = Request.objects.filter(not_before__lt=waiting_since)
    late.filter(is_for_uncapped=True).update(is_for_uncapped=False)
    of_others = late.filter(not_owners__isnull=False).exclude(batch__purpose=but_not_for)
    return of_others.update(not_owners=None)


def forget_learned() -> None:
    """Shares of jobs that are done, and latencies too old to be asked for."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "forget_shares"))
        cursor.execute("DELETE FROM frontier_reach WHERE measured_at < now() - interval '1 day'")
