"""One leased request: followed on its own host for a few steps, and only reported where it leads elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from ronda_node.clock import utc_now
from ronda_node.errors import UrlRefused
from ronda_node.exchange import Exchanger
from ronda_node.outcomes import Exchange, Failure, FetchRequest, Outcome
from ronda_node.policy import PUBLIC_WEB, Policy
from ronda_node.reasons import Reason
from ronda_node.redirects import MOST_REDIRECTS, target_of, text_of
from ronda_node.urls import CanonicalUrl, canonicalise

MayFetch = Callable[[CanonicalUrl], bool]
# Waits, politely, after a step that took so many seconds; false when there is no time for another.
Pause = Callable[[float], Awaitable[bool]]


class NotFollowed(StrEnum):
    """Why a redirect was only reported."""

    OTHER_HOST = "other-host"
    REFUSED = "refused"
    NOT_ALLOWED = "not-allowed"
    TOO_MANY = "too-many"
    LOOP = "loop"
    NO_TIME = "no-time"


@dataclass(frozen=True, slots=True)
class Redirect:
    """`location` is canonical unless it was refused."""

    location: str
    reason: NotFollowed
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The steps in order, each an exchange but perhaps the last; and the redirect that ended them, if one did."""

    request: FetchRequest
    steps: tuple[Outcome, ...]
    redirect: Redirect | None = None

    @property
    def last(self) -> Outcome:
        return self.steps[-1]

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(step for step in self.steps if isinstance(step, Exchange))

    def close(self) -> None:
        """Free the bodies."""
        for exchange in self.exchanges:
            exchange.body.close()


def _always(url: CanonicalUrl) -> bool:
    return True


async def _at_once(seconds: float) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Terms:
    may_fetch: MayFetch
    pause: Pause
    within_seconds: float | None


class Fetcher:
    def __init__(self, exchanger: Exchanger, policy: Policy = PUBLIC_WEB) -> None:
        self.exchanger = exchanger
        self.policy = policy

    async def fetch(
        self,
        request: FetchRequest,
        *,
        may_fetch: MayFetch = _always,
        pause: Pause = _at_once,
        within_seconds: float | None = None,
    ) -> Fetched:
        """`within_seconds` is for each step; `pause` is called between two of them."""
        try:
            url = canonicalise(request.url, self.policy)
        except UrlRefused as refused:
            return Fetched(request, (_failure(request.url, refused.reason, str(refused)),))
        if not may_fetch(url):
            return Fetched(
                request, (_failure(url.text, Reason.NOT_ALLOWED, "The rules of the host say no."),)
            )
        steps: list[Outcome] = []
        try:
            redirect = await self._follow(request, url, steps, _Terms(may_fetch, pause, within_seconds))
        except BaseException:
            Fetched(request, tuple(steps)).close()
            raise
        return Fetched(request, tuple(steps), redirect)

    async def address_of(self, request: FetchRequest) -> str | None:
        """Where it would be asked for; none if it would not be."""
        try:
            return await self.exchanger.address_of(canonicalise(request.url, self.policy))
        except UrlRefused:
            return None

    async def _follow(
        self, request: FetchRequest, url: CanonicalUrl, steps: list[Outcome], terms: _Terms
    ) -> Redirect | None:
        seen = {url.text}
        while True:
            step = await self.exchanger.exchange(
                request.method,
                url,
                conditions=request if not steps else None,
                within_seconds=terms.within_seconds,
            )
            steps.append(step)
            target = self._target(step, url)
            if isinstance(target, CanonicalUrl):
                target = _reason_to_stay(url, target, seen, terms.may_fetch) or target
            if not isinstance(target, CanonicalUrl):
                return target
            if not await terms.pause(step.total_seconds):
                return Redirect(target.text, NotFollowed.NO_TIME)
            url = target
            seen.add(url.text)

    def _target(self, step: Outcome, url: CanonicalUrl) -> CanonicalUrl | Redirect | None:
        if isinstance(step, Failure):
            return None
        location = step.header(b"location")
        try:
            return target_of(url, step.status, location, self.policy)
        except UrlRefused as refused:
            return Redirect(text_of(location or b""), NotFollowed.REFUSED, str(refused))


def _reason_to_stay(
    url: CanonicalUrl, target: CanonicalUrl, seen: set[str], may_fetch: MayFetch
) -> Redirect | None:
    if not url.is_same_host(target):
        return Redirect(target.text, NotFollowed.OTHER_HOST)
    if target.text in seen:
        return Redirect(target.text, NotFollowed.LOOP)
    if len(seen) > MOST_REDIRECTS:
        return Redirect(target.text, NotFollowed.TOO_MANY)
    if not may_fetch(target):
        return Redirect(target.text, NotFollowed.NOT_ALLOWED)
    return None


def _failure(url: str, reason: Reason, detail: str) -> Failure:
    return Failure(url=url, reason=reason, detail=detail, started_at=utc_now())
