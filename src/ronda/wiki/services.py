"""What people do with articles: extract, check, import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.jobs.models import Job
from ronda.jobs.services import enqueue
from ronda.wiki.addresses import checked_api, find
from ronda.wiki.conversation import network_policy, user_agent
from ronda.wiki.errors import NoSuchArticle
from ronda.wiki.jobs import CHECK, EXTRACT_MANY, MOST_TITLES, ExtractArguments, queue_extraction
from ronda.wiki.models import Article

SOME_TITLE = "Main Page"


@dataclass(frozen=True)
class Wanted:
    """Which wiki, and how: by the address of its API, a page's URL, or a language of Wikipedia."""

    locale: str = ""
    url: str = ""
    api: str = ""
    with_text: bool = True
    is_followed: bool = True


def extract(*, actor: Person | None, title: str, wanted: Wanted) -> Job:
    """Read the history of an article by a job; the one that is under way if there is one."""
    person = _may_extract(actor)
    place = find(title=title, locale=wanted.locale, url=wanted.url, api=wanted.api, policy=network_policy())
    _may_be_asked(place.api)
    arguments = ExtractArguments(
        api=place.api,
        title=place.title,
        locale=place.locale,
        with_text=wanted.with_text,
        is_followed=wanted.is_followed,
    )
    return queue_extraction(owner=person, wanted=arguments)


def extract_many(
    *, actor: Person | None, category: str = "", titles: Sequence[str] = (), wanted: Wanted
) -> Job:
    """A category's pages, or a list of titles, of one wiki."""
    person = _may_extract(actor)
    kept = list(dict.fromkeys(title.strip() for title in titles if title.strip()))
    if bool(category.strip()) == bool(kept):
        raise InvalidInput("Give a category or a list of titles.", field="category")
    if len(kept) > MOST_TITLES:
        raise InvalidInput(f"At most {MOST_TITLES:,} titles at a time.", field="titles")
    place = None
    for title in kept or [SOME_TITLE]:
        place = find(
            title=title, locale=wanted.locale, url=wanted.url, api=wanted.api, policy=network_policy()
        )
    assert place  # noqa: S101  (there is one title at least)
    _may_be_asked(place.api)
    arguments = {
        "api": place.api,
        "category": category.strip(),
        "titles": kept,
        "locale": place.locale,
        "with_text": wanted.with_text,
        "is_followed": wanted.is_followed,
    }
    return enqueue(kind=EXTRACT_MANY, owner=person, arguments=arguments)


def check(*, actor: Person | None, article_id: int) -> Job:
    """Compare an article with the wiki's whole list, and fetch what is missing."""
    person = _may_extract(actor)
    _may_be_asked(_known(article_id).wiki.api)
    return enqueue(kind=CHECK, owner=person, arguments={"article": article_id})


def refresh(*, actor: Person | None, article_id: int) -> Job:
    """Fetch what is new of an article that is known."""
    person = _may_extract(actor)
    article = _known(article_id)
    _may_be_asked(article.wiki.api)
    arguments = ExtractArguments(
        api=article.wiki.api,
        title=article.title,
        locale=article.locale,
        with_text=article.has_texts,
        is_followed=article.source_id is not None,
    )
    return queue_extraction(owner=person, wanted=arguments)


def _known(article_id: int) -> Article:
    article = Article.objects.select_related("wiki").filter(pk=article_id).first()
    if article is None:
        raise NoSuchArticle()
    return article


def _may_extract(actor: Person | None) -> Person:
    return require(actor, Role.SUBSCRIBER, Role.DIRECTOR)


def _may_be_asked(api: str) -> None:
    """Without a contact nothing is asked; better said now than by a job later."""
    user_agent(checked_api(api, network_policy()).host)
