"""What can be asked about articles."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.jobs.models import OPEN_STATES, Job
from ronda.wiki.errors import NoSuchArticle
from ronda.wiki.models import Article

EXTRACTING = ("extract_article", "extract_articles", "check_article", "import_dump")


def articles(*, actor: Person | None, search: str = "", completeness: str = "") -> QuerySet[Article]:
    """Whoever is logged in may see them: what wikis publish is no secret."""
    require(actor)
    found = Article.objects.select_related("wiki", "source")
    if search:
        found = found.filter(Q(title__icontains=search) | Q(wiki__key__icontains=search))
    if completeness:
        found = found.filter(completeness=completeness)
    return found


def article(*, actor: Person | None, article_id: int) -> Article:
    found = articles(actor=actor).filter(pk=article_id).first()
    if found is None:
        raise NoSuchArticle()
    return found


def work_on(article: Article) -> Job | None:
    """What is being done to it now."""
    by_title = Q(kind="extract_article", arguments__api=article.wiki.api, arguments__title=article.title)
    by_number = Q(kind__in=("check_article", "revisit_article"), arguments__article=article.pk)
    return Job.objects.filter(by_title | by_number, state__in=OPEN_STATES).order_by("created_at").first()


def page_url(article: Article) -> str:
    """Where the wiki shows it, wherever it is moved to."""
    return f"{article.wiki.api.rpartition('/')[0]}/index.php?curid={article.pageid}"


def work_under_way(*, actor: Person | None) -> QuerySet[Job]:
    """Extractions, checks and imports that run or wait; anybody's, as all look at the same articles."""
    require(actor)
    return Job.objects.filter(kind__in=EXTRACTING, state__in=OPEN_STATES).order_by("created_at")
