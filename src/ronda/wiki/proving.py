"""Whether a history is complete: as many revisions as the wiki counts, and every parent that is named."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from django.utils import timezone

from ronda.wiki.addresses import rest_of
from ronda.wiki.conversation import Conversation, Pending
from ronda.wiki.errors import WikiRefuses
from ronda.wiki.holdings import Holdings, holdings
from ronda.wiki.models import Article, Completeness

SHOWN_GAPS = 1000


@dataclass(frozen=True)
class Count:
    """As MediaWiki counts: without those whose text is hidden. None: it does not say, or stopped at 30,000."""

    revisions: int | None


def ask_count(conversation: Conversation, title: str) -> Pending:
    """The question after the wiki's own count of a page's revisions: something else may be done meanwhile."""
    page = quote(title.replace(" ", "_"), safe="")
    return conversation.begin_beside(f"{rest_of(conversation.api)}/v1/page/{page}/history/counts/edits")


def counted(conversation: Conversation, pending: Pending) -> Count:
    """Older wikis have no REST API, some close it."""
    try:
        answer = conversation.answer(pending)
    except WikiRefuses:
        return Count(None)
    number = answer.get("count")
    if answer.get("limit") or not isinstance(number, int):
        return Count(None)
    return Count(number)


def count_of(conversation: Conversation, title: str) -> Count:
    return counted(conversation, ask_count(conversation, title))


def judge(article: Article, held: Holdings, count: Count) -> Completeness:
    if set(held.gaps) - set(article.absent_parents):
        return Completeness.GAPS
    if count.revisions is None:
        return Completeness.LINKED
    is_equal = _expected(article, held) == count.revisions
    return Completeness.PROVED if is_equal else Completeness.GAPS


def _expected(article: Article, held: Holdings) -> int:
    return held.readable - article.gone_revisions + article.count_error


def note_state(article: Article, count: Count, *, is_listed: bool = False) -> Article:
    """What is here, against what the wiki says. `is_listed`: all that it lists is here, whatever it counts."""
    held = holdings(article.wiki.key, article.pageid)
    absent = set(article.absent_parents)
    article.revisions = held.revisions
    article.hidden_revisions = held.hidden
    article.last_revision = held.last_revision
    article.last_revision_at = held.last_revision_at
    article.counted_revisions = count.revisions
    article.gaps = [number for number in held.gaps if number not in absent][:SHOWN_GAPS]
    if is_listed and count.revisions is not None:
        article.count_error += count.revisions - _expected(article, held)
    article.completeness = judge(article, held, count)
    article.checked_at = timezone.now()
    article.save()
    return article
