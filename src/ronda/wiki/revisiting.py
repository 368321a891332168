"""An article is a source of the rounds: visited when the document's rule says so, or when its wiki names it.

The rule: of the newest 20 revisions, or the newest tenth if that is more, comes the expected wait E = (t1 - t0) / n;
whoever has been silent for longer than E since the last revision is visited. Unlike other sources, an article tells of
every change it ever had, so the rule goes by its revisions and not by its visits.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.database.named_sql import named_sql
from ronda.errors import RondaError
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.lake.reading import looking_up
from ronda.policies.queries import value_of
from ronda.prediction.predictors.exponential import EXPECTED, SAMPLE_SHARE, SMALLEST_SAMPLE
from ronda.rounds import closing, planning
from ronda.rounds.models import Scope, Source, SourceState, Visit, VisitOutcome, VisitState
from ronda.rounds.policies import DEFAULT_COLLECTION
from ronda.rounds.schedule import Forecast
from ronda.rounds.visitors import Visitor, register_visitor
from ronda.wiki.addresses import key_of, title_of
from ronda.wiki.articles import bring_up_to_date
from ronda.wiki.errors import NotAWiki
from ronda.wiki.models import Article, Completeness
from ronda.wiki.proving import ask_count
from ronda.wiki.queries import page_url
from ronda.wiki.telling import Teller, talking
from ronda_node.urls import CanonicalUrl

VISITOR = "wiki"
PREDICTOR = "exponential"
JOB_ENDED = gettext_noop("Its extraction ended without a result.")


class RevisitArguments(Arguments):
    article: Annotated[int, Field(ge=1, title=gettext_noop("Article"))]
    visit: Annotated[int, Field(ge=1, title=gettext_noop("Visit"))]


def sample_size(revisions: int) -> int:
    return min(revisions, max(SMALLEST_SAMPLE, int(revisions * SAMPLE_SHARE)))


def expected_seconds(revisions: int, span_seconds: float) -> float:
    """1/λ, with λ = n / (t1 - t0) of the sample."""
    return span_seconds / max(1, sample_size(revisions))


def forecast(source: Source, predictor: str, now: datetime) -> Forecast | None:
    """By the document's rule; other predictors go by the visits, as of any source."""
    article = Article.objects.select_related("wiki").filter(source=source).first()
    if predictor != PREDICTOR or article is None or article.revisions < 2:
        return None
    newest, oldest = _sample(article)
    wait = timedelta(seconds=expected_seconds(article.revisions, (newest - oldest).total_seconds()))
    if not wait:
        return None
    # One that has been silent for longer already is looked at again after another E.
    at = newest + wait if newest + wait > now else now + wait
    return Forecast(at, EXPECTED, {"hours": wait.total_seconds() / 3600})


def _sample(article: Article) -> tuple[datetime, datetime]:
    with looking_up() as lake:
        row = lake.execute(
            named_sql("ronda.wiki", "newest_sample"),
            {
                "wiki": article.wiki.key,
                "pageid": article.pageid,
                "size": sample_size(article.revisions),
            },
        ).fetchone()
    assert row  # noqa: S101  (an aggregate has a row)
    newest, oldest = row
    return newest.replace(tzinfo=UTC), oldest.replace(tzinfo=UTC)


def follow_article(article: Article, owner: Person | None) -> Source:
    """From now on the rounds visit it. What is followed already stays as it is, and is planned anew."""
    now = timezone.now()
    with transaction.atomic():
        held = (
            Article.objects.select_for_update(of=("self",))
            .select_related("source", "wiki")
            .get(pk=article.pk)
        )
        source = held.source or _new_source(held, owner)
        source.visited_at = now
        if source.state == SourceState.ACTIVE:
            planning.plan_anew(source, "")
        source.save()
        if held.source is None:
            Article.objects.filter(pk=held.pk).update(source=source)
    article.source = source
    return source


def _new_source(article: Article, owner: Person | None) -> Source:
    collection = Collection.objects.get(slug=str(value_of(DEFAULT_COLLECTION)))
    url = page_url(article)
    # Somebody may follow the very page, by fetching it, too.
    source, _made = Source.objects.get_or_create(
        collection=collection,
        url=url,
        scope=Scope.PAGE,
        defaults={"title": article.title, "owner": owner, "visitor": VISITOR, "predictor": PREDICTOR},
    )
    Article.objects.filter(pk=article.pk).update(source=source)
    return source


def _begin(visit: Visit) -> None:
    article = Article.objects.filter(source_id=visit.source_id).first()
    if article is None:
        closing.end(visit, VisitOutcome.CANCELLED, "There is no such article any more.")
        return
    if not _jobs_of(visit).filter(state__in=OPEN_STATES).exists():
        arguments = {"article": article.pk, "visit": visit.pk}
        enqueue(kind=REVISIT, owner=visit.source.owner, arguments=arguments)


def _cancel(visit: Visit) -> None:
    _jobs_of(visit).filter(state__in=OPEN_STATES).update(cancel_requested_at=timezone.now())


def _jobs_of(visit: Visit) -> Any:
    return Job.objects.filter(kind=REVISIT.name, arguments__visit=visit.pk)


def _revisit(run: JobRun, arguments: RevisitArguments) -> dict[str, Any]:
    article = Article.objects.select_related("wiki").get(pk=arguments.article)
    teller = Teller(run)
    try:
        with talking(run, article.wiki.api, teller.pulse) as conversation:
            counting = ask_count(conversation, article.title)
            result = bring_up_to_date(
                conversation, article, teller, with_text=article.has_texts, counting=counting
            )
    except RondaError as error:
        _end(arguments.visit, VisitOutcome.DOWN, str(error))
        raise
    if article.completeness == Completeness.MISSING:
        _end(arguments.visit, VisitOutcome.DOWN, str(Completeness.MISSING.label))
    else:
        Visit.objects.filter(pk=arguments.visit).update(
            modified_at=article.last_revision_at, requests=result["questions"]
        )
        _end(arguments.visit, VisitOutcome.CAPTURED if result["new"] else VisitOutcome.UNCHANGED)
    return result


def _end(visit_id: int, outcome: VisitOutcome, reason: str = "") -> None:
    with transaction.atomic():
        visit = Visit.objects.select_for_update().filter(pk=visit_id).exclude(state=VisitState.ENDED).first()
        if visit is not None:
            closing.end(visit, outcome, reason)


def end_forsaken_visits() -> None:
    """Visits whose job was cancelled, given up or pruned."""
    under_way = Visit.objects.filter(source__visitor=VISITOR).exclude(state=VisitState.ENDED)
    for visit in under_way:
        if not _jobs_of(visit).filter(state__in=OPEN_STATES).exists():
            is_cancelled = visit.is_to_be_cancelled
            outcome = VisitOutcome.CANCELLED if is_cancelled else VisitOutcome.DOWN
            _end(visit.pk, outcome, "" if is_cancelled else JOB_ENDED)


def _sources_at(url: CanonicalUrl) -> Iterable[Source]:
    """Those of the article a URL shows."""
    try:
        title = title_of(url.text).replace("_", " ")
    except NotAWiki:
        return []
    key = key_of(f"{url.scheme}://{url.authority}/api.php")
    is_its_wiki = Q(article__wiki__key=key) | Q(article__wiki__key__startswith=f"{key}/")
    return Source.objects.filter(is_its_wiki, article__title=title, state=SourceState.ACTIVE)


REVISIT = register(
    JobKind(
        name="revisit_article",
        title=_("Visit an article: fetch what is new"),
        arguments=RevisitArguments,
        role=Role.ADMINISTRATOR,
        work=_revisit,
    )
)
register_visitor(
    Visitor(name=VISITOR, begin=_begin, cancel=_cancel, forecast=forecast, sources_at=_sources_at)
)
