"""Long work on wikis: extracting an article, many of them, checking what is here."""

from __future__ import annotations

from typing import Annotated, Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.wiki import questions
from ronda.wiki.api_answers import members, page_found
from ronda.wiki.articles import bring_up_to_date, check_and_heal, known_as, note_article, note_missing
from ronda.wiki.conversation import Conversation
from ronda.wiki.errors import NoSuchArticle
from ronda.wiki.models import Article, Completeness
from ronda.wiki.proving import ask_count
from ronda.wiki.revisiting import follow_article
from ronda.wiki.telling import Teller, talking

ARTICLES = gettext_noop("{done:,} of {total:,} articles")
MOST_TITLES = 10_000


class ExtractArguments(Arguments):
    api: Annotated[str, Field(max_length=2048, title=gettext_noop("Address of the API"))]
    title: Annotated[str, Field(max_length=300, title=gettext_noop("Title"))]
    locale: Annotated[str, Field(max_length=20, title=gettext_noop("Language"))] = ""
    with_text: Annotated[bool, Field(title=gettext_noop("With texts"))] = True
    is_followed: Annotated[bool, Field(title=gettext_noop("Keep it fresh"))] = True


class ManyArguments(Arguments):
    api: Annotated[str, Field(max_length=2048, title=gettext_noop("Address of the API"))]
    category: Annotated[str, Field(max_length=300, title=gettext_noop("Category"))] = ""
    titles: Annotated[
        list[Annotated[str, Field(max_length=300)]],
        Field(max_length=MOST_TITLES, title=gettext_noop("Titles")),
    ] = Field(default_factory=list)
    locale: Annotated[str, Field(max_length=20, title=gettext_noop("Language"))] = ""
    with_text: Annotated[bool, Field(title=gettext_noop("With texts"))] = True
    is_followed: Annotated[bool, Field(title=gettext_noop("Keep it fresh"))] = True


class CheckArguments(Arguments):
    article: Annotated[int, Field(ge=1, title=gettext_noop("Article"))]


def _extract(run: JobRun, arguments: ExtractArguments) -> dict[str, Any]:
    teller = Teller(run)
    with talking(run, arguments.api, teller.pulse) as conversation:
        found = page_found(conversation.ask(questions.which_page(arguments.title)), arguments.title)
        if not found.is_there:
            known = known_as(conversation.api, arguments.title)
            for article in known:
                note_missing(article)
            return {"title": found.title, "state": Completeness.MISSING, "was_known": bool(known)}
        counting = ask_count(conversation, found.title)
        article = note_article(conversation.api, found, arguments.locale)
        result = bring_up_to_date(
            conversation, article, teller, with_text=arguments.with_text, counting=counting
        )
        if arguments.is_followed or article.source_id:
            follow_article(article, _owner(run))
        return {"redirected_from": found.redirected_from, **result}


def _check(run: JobRun, arguments: CheckArguments) -> dict[str, Any]:
    article = Article.objects.select_related("wiki").filter(pk=arguments.article).first()
    if article is None:
        raise NoSuchArticle()
    teller = Teller(run)
    with talking(run, article.wiki.api, teller.pulse) as conversation:
        return check_and_heal(conversation, article, teller)


def _extract_many(run: JobRun, arguments: ManyArguments) -> dict[str, Any]:
    """A job an article: each is resumed, cancelled and shown for itself."""
    titles = list(arguments.titles)
    if arguments.category:
        with talking(run, arguments.api, lambda: None) as conversation:
            titles += _members(conversation, arguments.category)
    begun = int((run.last_checkpoint or {}).get("begun", 0))
    for number, title in enumerate(titles[:MOST_TITLES], start=1):
        if number > begun:
            with transaction.atomic():
                queue_extraction(owner=_owner(run), wanted=_one_of(arguments, title))
                run.checkpoint({"begun": number})
        run.progress(number, len(titles), ARTICLES)
    return {"articles": min(len(titles), MOST_TITLES), "left_out": max(0, len(titles) - MOST_TITLES)}


def _one_of(arguments: ManyArguments, title: str) -> ExtractArguments:
    return ExtractArguments(
        api=arguments.api,
        title=title,
        locale=arguments.locale,
        with_text=arguments.with_text,
        is_followed=arguments.is_followed,
    )


def _owner(run: JobRun) -> Person | None:
    return Person.objects.filter(pk=run.owner_id or 0).first()


def _members(conversation: Conversation, category: str) -> list[str]:
    titles: list[str] = []
    onward: dict[str, str] = {}
    while True:
        answer = conversation.ask(questions.category_members(category, onward))
        found, onward = members(answer, "categorymembers")
        titles += [str(one["title"]) for one in found]
        if not onward or len(titles) > MOST_TITLES:
            return titles


EXTRACT = register(
    JobKind(
        name="extract_article",
        title=_("Extract the history of a wiki's article"),
        arguments=ExtractArguments,
        role=Role.SUBSCRIBER,
        work=_extract,
    )
)
EXTRACT_MANY = register(
    JobKind(
        name="extract_articles",
        title=_("Extract the histories of many articles"),
        arguments=ManyArguments,
        role=Role.SUBSCRIBER,
        work=_extract_many,
    )
)
CHECK = register(
    JobKind(
        name="check_article",
        title=_("Check the history of an article and fill its gaps"),
        arguments=CheckArguments,
        role=Role.SUBSCRIBER,
        work=_check,
    )
)


def queue_extraction(*, owner: Person | None, wanted: ExtractArguments) -> Job:
    """The job; the one that is under way already if there is one."""
    arguments = wanted.model_dump(mode="json")
    under_way = Job.objects.filter(kind=EXTRACT.name, state__in=OPEN_STATES, owner=owner, arguments=arguments)
    return under_way.first() or enqueue(kind=EXTRACT, owner=owner, arguments=arguments)
