"""Questions to one wiki, in its host's turn and with patience: what is no answer is asked again, and never believed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillOut
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address

from django.conf import settings
from django.db import connection
from django.utils import timezone

from ronda import __version__
from ronda.database.named_sql import named_sql
from ronda.frontier.models import Host
from ronda.frontier.policies import pace_now
from ronda.frontier.turns import (
    Busy,
    Turn,
    end_turn,
    end_turn_with_refusal,
    extend_turn,
    know_host,
    take_turn,
)
from ronda.policies.queries import value_of
from ronda.wiki.addresses import checked_api, is_wikimedia
from ronda.wiki.api_answers import Json
from ronda.wiki.errors import ContactMissing, WikiRefuses, WikiSilent
from ronda.wiki.line import Line, Reply
from ronda.wiki.policies import DELAY, MAXLAG, WIKIMEDIA_PER_MINUTE
from ronda.wiki.verdicts import Verdict, judge
from ronda_node.policy import ANYWHERE, PUBLIC_WEB, Policy

logger = logging.getLogger(__name__)

# A host is held while its answer is on the way, again and again; whoever dies meanwhile blocks it no longer than this.
HOLD_SECONDS = 15.0
EXTEND_SECONDS = 5.0
# In a row, without one good answer between them.
MOST_FAILURES = 12
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 60.0
# A wiki that keeps asking for rest gets it; after this long the work ends, and goes on another day.
PATIENCE_SECONDS = 6 * 3600.0
PULSE_SECONDS = 0.5
# Where no pause is to be kept, one turn serves the questions of so long: taking it anew costs as much as reading one.
TURN_SECONDS = 1.0
TERMS_SECONDS = 3.0


@dataclass
class Pending:
    """A question that is out."""

    url: str
    parameters: Mapping[str, str]
    turn: Turn
    reply: Future[Reply]


@dataclass(frozen=True)
class _Terms:
    delay_seconds: float
    maxlag_seconds: int
    until_seconds: float


def network_policy() -> Policy:
    return ANYWHERE if settings.RONDA.allow_private_networks else PUBLIC_WEB


def user_agent(host: str) -> str:
    """As Wikimedia asks for: the program, whom to turn to, the library. A wiki of this very machine needs none."""
    contact = settings.RONDA.contact
    if not contact and not _is_here(host):
        raise ContactMissing()
    return f"Ronda/{__version__} ({contact or settings.RONDA.console_url}) aiohttp"


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Conversation:
    """With one wiki. `pulse` is called often while waiting: it raises when the work has to end."""

    def __init__(self, api: str, *, pulse: Callable[[], None], wait: Callable[[float], None]) -> None:
        self._place = checked_api(api, network_policy())
        self.api = self._place.text
        self._pulse = pulse
        self._wait = wait
        self._line = Line(
            policy=network_policy(),
            user_agent=user_agent(self._place.host),
            is_here=_is_here(self._place.host),
        )
        self.questions = 0
        self.rests = 0
        self.failures = 0
        self._terms: _Terms | None = None
        self._kept: Turn | None = None
        know_host(name=self._place.authority, scheme=self._place.scheme)

    def close(self) -> None:
        self._line.close()
        if self._kept is not None:
            end_turn(self._kept, delay_seconds=0)

    def ask(self, parameters: Mapping[str, str]) -> Json:
        """action=query of the API."""
        return self.answer(self.begin(parameters))

    def begin(self, parameters: Mapping[str, str]) -> Pending:
        common = {"action": "query", "format": "json", "formatversion": "2"}
        lag = {"maxlag": str(self._terms_now().maxlag_seconds)}
        return self._send(self.api, {**common, **lag, **parameters})

    def begin_beside(self, url: str) -> Pending:
        """Another address of the same wiki (its REST API)."""
        return self._send(url, {})

    def again(self, pending: Pending) -> Pending:
        """The same question once more."""
        self.failures += 1
        return self._send(pending.url, pending.parameters)

    def answer(self, pending: Pending) -> Json:
        """The answer, however often it has to be asked for."""
        last_good_at, failures = time.monotonic(), 0
        while True:
            verdict = self._judged(pending)
            if verdict.data is not None:
                return verdict.data
            if verdict.refusal:
                raise WikiRefuses(f"{self._place.authority}: {verdict.refusal}")
            failures = failures if verdict.asks_for_rest else failures + 1
            if failures >= MOST_FAILURES or time.monotonic() - last_good_at > PATIENCE_SECONDS:
                raise WikiSilent(
                    f"{self._place.authority} did not answer sensibly {failures} times in a row: {verdict.problem}.",
                    hint="What was read is kept: extract it again later, and it goes on from there.",
                )
            logger.info("%s is asked again: %s", self._place.authority, verdict.problem)
            if not verdict.asks_for_rest:
                self._rest(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (failures - 1)))
            pending = self._send(pending.url, pending.parameters)

    def _judged(self, pending: Pending) -> Verdict:
        reply = self._reply(pending)
        verdict = judge(reply)
        # Counted from the answer: it may have come while something was stored.
        delay = max(0.0, self._terms_now().delay_seconds - (time.monotonic() - reply.at_seconds))
        if verdict.is_overload:
            self.rests += 1
            end_turn_with_refusal(
                pending.turn, delay_seconds=delay, retry_after_seconds=verdict.rest_seconds or None
            )
        elif verdict.asks_for_rest:
            self.rests += 1
            end_turn(pending.turn, delay_seconds=delay, rest_seconds=verdict.rest_seconds)
        else:
            self.failures += verdict.data is None
            self._give_back(pending.turn, delay)
        return verdict

    def _give_back(self, turn: Turn, delay_seconds: float) -> None:
        """Without a pause to keep, the next question may go in the same turn; for others it ends soon anyway."""
        if delay_seconds or timezone.now() - turn.taken_at > timedelta(seconds=TURN_SECONDS):
            end_turn(turn, delay_seconds=delay_seconds)
        else:
            self._kept = turn

    def _reply(self, pending: Pending) -> Reply:
        while True:
            try:
                return pending.reply.result(PULSE_SECONDS)
            except StillOut:
                left_seconds = (pending.turn.held_until - timezone.now()).total_seconds()
                if left_seconds < HOLD_SECONDS - EXTEND_SECONDS:
                    pending.turn = extend_turn(pending.turn, hold_seconds=HOLD_SECONDS)
                self._pulse()

    def _send(self, url: str, parameters: Mapping[str, str]) -> Pending:
        if is_wikimedia(self._place.host):
            self._rest(_slot_in_seconds(int(value_of(WIKIMEDIA_PER_MINUTE))))
        turn = self._turn()
        self.questions += 1
        return Pending(url, parameters, turn, self._line.ask(url, parameters))

    def _turn(self) -> Turn:
        kept, self._kept = self._kept, None
        if kept is not None and timezone.now() - kept.taken_at <= timedelta(seconds=TURN_SECONDS):
            return kept
        if kept is not None:
            end_turn(kept, delay_seconds=0)
        while True:
            taken = take_turn(name=self._place.authority, hold_seconds=HOLD_SECONDS)
            if not isinstance(taken, Busy):
                return taken
            self._rest(taken.seconds)

    def _rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._wait(min(left, PULSE_SECONDS))
            self._pulse()

    def _terms_now(self) -> _Terms:
        """What directors chose, looked up every few seconds: between two answers every millisecond counts."""
        if self._terms is None or time.monotonic() > self._terms.until_seconds:
            self._terms = _look_up(self._place.authority)
        return self._terms


def _look_up(name: str) -> _Terms:
    """A director's choice for the host; else the pause of wikis, and what its 429s taught."""
    chosen, learned = Host.objects.values_list("delay_seconds", "learned_delay_seconds").get(name=name)
    usual = min(pace_now().cap_seconds, max(float(value_of(DELAY)), learned or 0.0))
    return _Terms(
        delay_seconds=usual if chosen is None else float(chosen),
        maxlag_seconds=int(value_of(MAXLAG)),
        until_seconds=time.monotonic() + TERMS_SECONDS,
    )


def _slot_in_seconds(per_minute: int) -> float:
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.wiki", "reserve_slot"), {"name": "wikimedia", "gap_seconds": 60 / per_minute}
        )
        row = cursor.fetchone()
    return max(0.0, float(row[0])) if row else 0.0
