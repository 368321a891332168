"""The grid in words, for people: what limits it, and what became of URLs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ronda.frontier.purposes import CUT_OFF
from ronda.frontier.robots_keeping import UNCONFIRMED
from ronda.frontier.strategies import Strategy
from ronda.frontier.waiting import WaitsFor
from ronda.grid.comparing import Rung
from ronda.grid.minutes import CLASSES, REFUSED
from ronda.grid.overview import GridNow, Limit
from ronda.grid.robots_refusals import ROBOTS_UNREACHABLE
from ronda.grid.vantage import NO_NODE_IN
from ronda.http.numbers import rate, whole
from ronda_node.reasons import Reason

REASONS = {
    Reason.TOO_LONG: gettext_lazy("the URL is too long"),
    Reason.CONTROL_CHARACTER: gettext_lazy("a control character in the URL"),
    Reason.SCHEME: gettext_lazy("neither http nor https"),
    Reason.USERINFO: gettext_lazy("a user name or password in the URL"),
    Reason.BAD_HOST: gettext_lazy("no valid host name"),
    Reason.IP_LITERAL: gettext_lazy("an address instead of a name"),
    Reason.LOCAL_NAME: gettext_lazy("a name of a local network"),
    Reason.PORT: gettext_lazy("a port we do not fetch from"),
    Reason.DNS: gettext_lazy("the name was not found"),
    Reason.REFUSED_ADDRESS: gettext_lazy("the address is not public"),
    Reason.CONNECT: gettext_lazy("no connection"),
    Reason.TLS: gettext_lazy("no secure connection"),
    Reason.TIMEOUT: gettext_lazy("too slow"),
    Reason.DISCONNECTED: gettext_lazy("the connection broke off"),
    Reason.BAD_HTTP: gettext_lazy("the answer is no HTTP"),
    Reason.TOO_MANY_HEADERS: gettext_lazy("too many header fields"),
    Reason.NESTED_ENCODING: gettext_lazy("compressed too many times over"),
    Reason.NOT_ALLOWED: gettext_lazy("the node's owner does not allow it"),
    Reason.STOPPED: gettext_lazy("the node was stopped"),
}
WAITS = {
    WaitsFor.OPTED_OUT: gettext_lazy("opted out"),
    WaitsFor.BACKOFF: gettext_lazy("back-off: it asked for rest"),
    WaitsFor.HELD: gettext_lazy("held by a node"),
    WaitsFor.LOST: gettext_lazy("its node fell silent and may still be fetching"),
    WaitsFor.ADDRESS: gettext_lazy("its address is busy with another host"),
    WaitsFor.RETRY: gettext_lazy("its URLs are tried again later"),
    WaitsFor.DELAY: gettext_lazy("delay"),
    WaitsFor.ROBOTS: gettext_lazy("robots.txt cannot be had"),
    WaitsFor.NODE: gettext_lazy("free: waits for a node"),
}
STRATEGIES = {
    Strategy.EQUAL: gettext_lazy("equal: all nodes get the same number of URLs"),
    Strategy.LEAST_BUSY: gettext_lazy("least busy: whoever asks first"),
    Strategy.NEAREST: gettext_lazy("nearest: nodes of the host's country first, then of its continent"),
    Strategy.FASTEST: gettext_lazy("fastest: nodes of the countries it answers quickest first"),
}
# What told two answers apart.
RUNGS = {
    Rung.ANSWER: gettext_lazy("one had no answer"),
    Rung.STATUS: gettext_lazy("the status"),
    Rung.LOCATION: gettext_lazy("where it leads"),
    Rung.TYPE: gettext_lazy("the type"),
    Rung.DIGEST: gettext_lazy("the bytes"),
    Rung.TEXT: gettext_lazy("the text"),
}
# How stored reasons begin that carry something after it.
PREFIXES = {
    CUT_OFF: gettext_lazy("cut off by the node's own cap"),
    "refused by robots.txt": gettext_lazy("refused by robots.txt"),
    "opted out": gettext_lazy("opted out"),
    "from the archive": gettext_lazy("from the archive"),
    "cancelled": gettext_lazy("cancelled"),
}


@dataclass(frozen=True)
class Verdict:
    title: str
    sentence: str


@dataclass(frozen=True)
class OutcomeRow:
    """URLs of one outcome, and their share of all."""

    name: str
    urls: int
    percent: float
    kind: str


def verdict(now: GridNow) -> Verdict:
    """What limits us now, in one sentence with the numbers."""
    numbers = {
        "due": whole(now.waiting.due),
        "hosts": whole(now.waiting.hosts),
        "queued": whole(now.waiting.queued),
        "idle": whole(now.nodes_idle),
        "present": whole(now.nodes_present),
        "rate": rate(now.urls_per_second),
        "ceiling": rate(now.waiting.ceiling),
    }
    lately = (
        _("Lately %(rate)s URLs/s; politeness allows at most %(ceiling)s now.")
        if now.has_ceiling
        else _("Lately %(rate)s URLs/s; the hosts that still have work allow less than that.")
    )
    free = _("Hosts free to be asked: %(due)s of %(hosts)s; nodes idle: %(idle)s of %(present)s.")
    match now.limit:
        case Limit.NOTHING:
            return Verdict(
                _("Nothing is queued"),
                _("No host has work; nodes idle: %(idle)s of %(present)s.") % numbers,
            )
        case Limit.NO_NODES:
            return Verdict(
                _("Nodes limit us: none is present"),
                _("URLs queued: %(queued)s, hosts free to be asked: %(due)s. Lend a machine and they move.")
                % numbers,
            )
        case Limit.NODES:
            return Verdict(_("Nodes limit us"), f"{free} {lately}" % numbers)
        case Limit.OTHER_NODES:
            return Verdict(
                _("Certain nodes are missing"),
                _(
                    "Hosts free to be asked: %(due)s of %(hosts)s, but what is queued for them waits for nodes of a "
                    "country or a person that is not here; nodes idle: %(idle)s of %(present)s."
                )
                % numbers,
            )
        case Limit.HOSTS:
            sentence = _(
                "Hosts free to be asked: %(due)s of %(hosts)s, the others keep their delay or rest; nodes idle: "
                "%(idle)s of %(present)s."
            )
            if now.waiting.due == now.waiting.hosts:
                # There are no others; who is idle takes these when it asks next.
                sentence = free
            beside = _(
                "What is queued for the free ones waits for nodes of a country or a person that is not here."
            )
            said = f"{sentence} {lately} {beside}" if now.is_for_others else f"{sentence} {lately}"
            return Verdict(_("Hosts limit us"), said % numbers)


def outcome_rows(counted: Counter[str]) -> list[OutcomeRow]:
    """Classes of status first, then refusals, then failures by how often they came."""
    total = counted.total() or 1
    failures = [name for name, _urls in counted.most_common() if name not in (*CLASSES, REFUSED)]
    return [
        OutcomeRow(reason_in_words(name), counted[name], 100 * counted[name] / total, _kind(name))
        for name in (*CLASSES, REFUSED, *failures)
        if name in CLASSES or counted[name]
    ]


def _kind(outcome: str) -> str:
    return outcome if outcome in (*CLASSES, REFUSED) else "failed"


def reason_in_words(reason: str) -> str:
    """A stored reason for people; what is no word of ours stays as it is."""
    if reason == REFUSED:
        return _("refused")
    if reason in REASONS:
        return str(REASONS[Reason(reason)])
    if reason == ROBOTS_UNREACHABLE:
        return _("refused: its robots.txt answers with an error, so nothing is allowed")
    if reason.startswith(UNCONFIRMED):
        return _("a new node says what is allowed, and another is asked")
    if reason.startswith(NO_NODE_IN):
        return _("no node in %(country)s") % {"country": reason.removeprefix(NO_NODE_IN)}
    prefix, colon, rest = reason.partition(": ")
    return f"{PREFIXES[prefix]}{colon}{rest}" if prefix in PREFIXES else reason
