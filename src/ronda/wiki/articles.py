"""What extraction does to articles: they are noted, brought up to date, proved, and healed where they have gaps."""

from __future__ import annotations

import time
from typing import Any, Protocol

from django.utils import timezone

from ronda.wiki.addresses import key_of
from ronda.wiki.api_answers import PageFound
from ronda.wiki.conversation import Conversation, Pending
from ronda.wiki.extraction import Extraction
from ronda.wiki.healing import heal
from ronda.wiki.models import Article, Completeness, Wiki
from ronda.wiki.proving import count_of, counted, note_state
from ronda.wiki.storing import Page, read_beginning

# People look once a second; several writes for each page of a history would be the slowest part of it.
TOLD_SECONDS = 0.5


class Teller(Protocol):
    """Hears how far it is."""

    def expect(self, total: int | None) -> None: ...

    def __call__(self, done: int) -> None: ...


def note_article(api: str, found: PageFound, locale: str) -> Article:
    """The wiki and the article, as they are called now."""
    wiki, _ = Wiki.objects.update_or_create(
        api=api,
        defaults={
            "name": found.site_name[:200],
            "locale": found.site_language[:20],
            "generator": found.generator[:80],
        },
        create_defaults={
            "key": _free_key(api),
            "name": found.site_name[:200],
            "locale": found.site_language[:20],
            "generator": found.generator[:80],
        },
    )
    spoken = (locale or found.language or found.site_language)[:20]
    article, _ = Article.objects.update_or_create(
        wiki=wiki,
        pageid=found.pageid,
        defaults={"title": found.title[:300], "ns": found.ns},
        create_defaults={"title": found.title[:300], "ns": found.ns, "locale": spoken},
    )
    return article


def _free_key(api: str) -> str:
    """http and https of one host may be two wikis."""
    key = key_of(api)
    return f"{key} ({api.partition(':')[0]})" if Wiki.objects.filter(key=key).exists() else key


def known_as(api: str, title: str) -> list[Article]:
    return list(Article.objects.filter(wiki__api=api, title=title))


def note_missing(article: Article) -> None:
    """What is here stays: it may be the only copy by now."""
    article.completeness = Completeness.MISSING
    article.checked_at = timezone.now()
    article.save(update_fields=["completeness", "checked_at"])


def bring_up_to_date(
    conversation: Conversation, article: Article, teller: Teller, *, with_text: bool, counting: Pending
) -> dict[str, Any]:
    """The whole history the first time, what is new afterwards; then whether it is complete.

    `counting` is the question after the wiki's own count (`ask_count`), which is out already.
    """
    began_at = timezone.now()
    cursor, before = read_beginning(article.wiki.key, article.pageid)  # while the wiki counts
    count = counted(conversation, counting)
    teller.expect(count.revisions)
    article.counted_revisions = count.revisions
    if article.completeness in (Completeness.UNKNOWN, Completeness.MISSING):
        article.completeness = Completeness.PARTIAL
    article.save(update_fields=["completeness", "counted_revisions"])
    extraction = _extraction(conversation, article, teller, with_text=with_text, before=before)
    is_there = extraction.run(cursor)
    teller(before + extraction.read)
    article.title = extraction.page.title
    article.has_texts = article.has_texts and with_text if article.first_extraction_date else with_text
    article.first_extraction_date = article.first_extraction_date or began_at
    article.last_extraction_date = timezone.now()
    note_state(article, count)
    if is_there and article.completeness == Completeness.GAPS:
        # Something may have been edited since it was counted; if not, whatever is missing is fetched.
        note_state(article, count_of(conversation, article.title))
    if not is_there:
        note_missing(article)
    elif article.completeness == Completeness.GAPS:
        _heal(conversation, extraction, article)
    return _result(article, conversation, before)


def check_and_heal(conversation: Conversation, article: Article, teller: Teller) -> dict[str, Any]:
    """Against the wiki's whole list, whether or not anything seems to be missing."""
    _, before = read_beginning(article.wiki.key, article.pageid)
    teller.expect(count_of(conversation, article.title).revisions)
    extraction = _extraction(conversation, article, teller, with_text=article.has_texts, before=0)
    healed = _heal(conversation, extraction, article)
    return {**_result(article, conversation, before), **healed}


def _heal(conversation: Conversation, extraction: Extraction, article: Article) -> dict[str, int]:
    healed = heal(conversation, extraction, article)
    note_state(article, count_of(conversation, article.title), is_listed=True)
    return healed


def _extraction(
    conversation: Conversation, article: Article, teller: Teller, *, with_text: bool, before: int
) -> Extraction:
    page = Page(article.wiki.key, article.pageid, article.title)

    told_at = 0.0

    def told(read: int) -> None:
        nonlocal told_at
        if time.monotonic() - told_at < TOLD_SECONDS:
            return
        told_at = time.monotonic()
        teller(before + read)
        # For whoever looks meanwhile; in the end it is counted.
        Article.objects.filter(pk=article.pk, revisions__lt=before + read).update(revisions=before + read)

    return Extraction(conversation, page, with_text=with_text, told=told)


def _result(article: Article, conversation: Conversation, before: int) -> dict[str, Any]:
    return {
        "article": article.pk,
        "title": article.title,
        "pageid": article.pageid,
        "state": article.completeness,
        "revisions": article.revisions,
        "new": article.revisions - before,
        "gaps": len(article.gaps),
        "questions": conversation.questions,
        "rests": conversation.rests,
        "failures": conversation.failures,
    }
