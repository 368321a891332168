"""A wiki's own list of recent changes wakes the articles it names, one question for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.policies.queries import value_of
from ronda.rounds.models import SourceState
from ronda.rounds.notifying import hear
from ronda.rounds.prediction_models import SignalKind
from ronda.wiki import questions
from ronda.wiki.api_answers import Json, members
from ronda.wiki.models import Article, Wiki
from ronda.wiki.policies import CHANGES_EVERY
from ronda.wiki.telling import talking

PROGRESS = gettext_noop("{done:,} recent changes")
# Of a wiki that was not read for long, what the rounds visit anyway is not looked for one by one.
LONGEST_BACK = timedelta(hours=6)
MOST_CHANGES = 20_000
# Two lists may overlap: what is told twice is one signal.
OVERLAP = timedelta(seconds=5)


@dataclass(frozen=True)
class Change:
    revid: int
    at: datetime


class ChangesArguments(Arguments):
    wiki: Annotated[int, Field(ge=1, title=gettext_noop("Wiki"))]


def start_reading() -> None:
    """Of wikis whose turn it is, and that have articles to wake."""
    every = int(value_of(CHANGES_EVERY))
    if not every:
        return
    is_due = Q(changes_read_at=None) | Q(changes_read_at__lt=timezone.now() - timedelta(seconds=every))
    followed = Q(articles__source__state=SourceState.ACTIVE)
    under_way = Job.objects.filter(kind=CHANGES.name, state__in=OPEN_STATES)
    busy = set(under_way.values_list("arguments__wiki", flat=True))
    for wiki in Wiki.objects.filter(is_due, followed).distinct():
        if wiki.pk not in busy:
            enqueue(kind=CHANGES, owner=None, arguments={"wiki": wiki.pk})


def _read(run: JobRun, arguments: ChangesArguments) -> dict[str, Any]:
    wiki = Wiki.objects.get(pk=arguments.wiki)
    began_at = timezone.now()
    # Before it tries: a wiki without such a list is not asked again at once.
    Wiki.objects.filter(pk=wiki.pk).update(changes_read_at=began_at)
    since = max(wiki.changes_read_at or began_at - OVERLAP, began_at - LONGEST_BACK) - OVERLAP
    changed: dict[int, Change] = {}
    number = 0
    with talking(run, wiki.api, lambda: run.progress(number, None, PROGRESS)) as conversation:
        onward: dict[str, str] = {}
        while True:
            answer = conversation.ask(questions.recent_changes(f"{since:%Y-%m-%dT%H:%M:%SZ}", onward))
            found, onward = members(answer, "recentchanges")
            number += len(found)
            changed |= _newest(found)
            if not onward or number >= MOST_CHANGES:
                break
    return {"changes": number, "woken": _wake(wiki, changed)}


def _newest(found: Iterable[Json]) -> dict[int, Change]:
    """Of each page, as they come oldest first. What is no edit (a log entry) may have no revision."""
    return {
        int(one["pageid"]): Change(int(one.get("revid") or 0), datetime.fromisoformat(one["timestamp"]))
        for one in found
        if one.get("pageid")
    }


def _wake(wiki: Wiki, changed: dict[int, Change]) -> int:
    """Those that have not been extracted since."""
    woken = 0
    named = Article.objects.filter(wiki=wiki, pageid__in=list(changed), source__state=SourceState.ACTIVE)
    for article in named.select_related("source"):
        if article.source and not _is_known(article, changed[article.pageid]):
            woken += hear(article.source, SignalKind.WIKI, at=timezone.now(), url=article.source.url).is_news
    return woken


def _is_known(article: Article, change: Change) -> bool:
    """By time and number: edits of one second are told apart by their numbers only."""
    if article.last_revision is None or article.last_revision_at is None:
        return False
    return change.revid <= article.last_revision and change.at <= article.last_revision_at


CHANGES = register(
    JobKind(
        name="read_recent_changes",
        title=_("Read a wiki's recent changes"),
        arguments=ChangesArguments,
        role=Role.ADMINISTRATOR,
        work=_read,
    )
)
