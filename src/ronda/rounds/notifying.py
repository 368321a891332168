"""Notifications in: somebody says that a URL has changed, and the sources that hold it are visited soon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive.models import AUTHORITY
from ronda.archive.queries import READERS
from ronda.errors import InvalidInput
from ronda.policies.queries import value_of
from ronda.rounds import planning, signals
from ronda.rounds.errors import NobodyFollowsIt, ToldTooOften
from ronda.rounds.models import Scope, Source, SourceState
from ronda.rounds.policies import MOST_NOTIFICATIONS
from ronda.rounds.prediction_models import SignalKind
from ronda.rounds.queries import visible_sources
from ronda.rounds.queueing import url_policy
from ronda.rounds.scopes import Reach, domain_of
from ronda.rounds.visitors import sources_at
from ronda_node.errors import UrlRefused
from ronda_node.urls import CanonicalUrl, canonicalise

WINDOW = timedelta(hours=1)
RETRY_SECONDS = 300
# A URL may lie in many sources (the page, its host, its domain, in several collections), but not in any number.
MOST_SOURCES = 50

BECAUSE = {
    SignalKind.TOLD: gettext_noop("Somebody said that it changed."),
    SignalKind.FEED: gettext_noop("Its feed has news."),
    SignalKind.SITEMAP: gettext_noop("Its sitemap has news."),
    SignalKind.WIKI: gettext_noop("Its recent changes name it."),
}


@dataclass(frozen=True)
class Heard:
    """What a notification did: when the source is visited. Not news: it was told a moment ago."""

    source: Source
    visit_at: datetime | None
    is_news: bool


def notify(*, actor: Person | None, url: str) -> list[Heard]:
    """Whoever may read a source may say that it changed."""
    person = require(actor, *READERS)
    now = timezone.now()
    if signals.told_by(person, now - WINDOW) >= int(value_of(MOST_NOTIFICATIONS)):
        raise ToldTooOften(retry_after_seconds=RETRY_SECONDS)
    try:
        given = canonicalise(url, url_policy())
    except UrlRefused as refusal:
        raise InvalidInput(str(refusal)[:300], field="url") from None
    others = visible_sources(person).filter(pk__in=[source.pk for source in sources_at(given)])
    found = list({source.pk: source for source in (*_holding(person, given), *others)}.values())
    if not found:
        raise NobodyFollowsIt()
    return [hear(source, SignalKind.TOLD, at=now, url=given.text, person=person) for source in found]


def hear(
    source: Source, kind: SignalKind, *, at: datetime, url: str = "", person: Person | None = None
) -> Heard:
    """Whatever tells of changes comes here: people, feeds, sitemaps, wikis."""
    with transaction.atomic():
        held = Source.objects.select_for_update().get(pk=source.pk)
        is_news = signals.note(held, kind, at=at, url=url, person=person)
        if is_news and held.state == SourceState.ACTIVE:
            planning.come_soon(held, at, BECAUSE[kind])
    return Heard(held, held.next_visit_at, is_news)


def _holding(person: Person, url: CanonicalUrl) -> Iterable[Source]:
    """Sources whose scope holds the URL: those of its host by an index, those of its domain among all such."""
    near = Q(authority=url.authority) | Q(scope=Scope.DOMAIN, url__contains=domain_of(url.host))
    candidates = visible_sources(person).annotate(authority=AUTHORITY).filter(near, state=SourceState.ACTIVE)
    count = 0
    for source in candidates.order_by("pk").iterator():
        if Reach(source.scope, [canonicalise(source.url, url_policy())]).includes(url):
            count += 1
            yield source
        if count == MOST_SOURCES:
            return
