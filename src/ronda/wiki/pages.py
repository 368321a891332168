"""Pages of articles: the list with what is being extracted, one article, adding one or many, checking."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Conflict, InvalidInput
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording
from ronda.wiki import queries, services
from ronda.wiki.forms import ArticleFilter, ArticleForm, ArticlesForm

SORTABLE = {
    "title": "title",
    "wiki": "wiki__key",
    "revisions": "revisions",
    "completeness": "completeness",
    "last_revision_at": "last_revision_at",
    "last_extraction_date": "last_extraction_date",
}
SHOWN_JOBS = 10


@require_safe
def articles(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    wanted = ArticleFilter(request.GET)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    found = queries.articles(actor=actor, **chosen)
    under_way = queries.work_under_way(actor=actor)
    context = {
        "filter": wanted,
        "is_filtered": any(chosen.values()),
        "page": paginate(found, page_wanted(request), sortable=SORTABLE, default="title"),
        "jobs": under_way[:SHOWN_JOBS],
        "more_jobs": max(0, under_way.count() - SHOWN_JOBS),
        **_may(actor),
    }
    return render_live(request, page="wiki/articles.html", part="wiki/articles_part.html", context=context)


def _may(actor: Person) -> dict[str, bool]:
    return {
        "extracts": actor.has_role(Role.SUBSCRIBER, Role.DIRECTOR),
        "has_contact": bool(settings.RONDA.contact),
    }


@require_safe
def article(request: HttpRequest, article_id: int) -> HttpResponse:
    actor = actor_of(request)
    found = queries.article(actor=actor, article_id=article_id)
    context: dict[str, Any] = {
        "article": found,
        "job": queries.work_on(found),
        "page_url": queries.page_url(found),
        **_may(actor),
    }
    return render_live(request, page="wiki/article.html", part="wiki/article_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = ArticleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        named = form.cleaned_data["title"].strip()
        is_url = named.startswith(("https://", "http://"))
        try:
            services.extract(
                actor=actor, title="" if is_url else named, wanted=form.wanted(named if is_url else "")
            )
        except (InvalidInput, Conflict) as error:
            attach(form, error)
        else:
            messages.success(request, _("Its history is being extracted."))
            return redirect("articles")
    return render(request, "wiki/add.html", {"form": form, **_may(actor)})


@require_http_methods(["GET", "HEAD", "POST"])
def add_many(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = ArticlesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            services.extract_many(
                actor=actor,
                category=given["category"],
                titles=given["titles"].splitlines(),
                wanted=form.wanted(),
            )
        except (InvalidInput, Conflict) as error:
            attach(form, error)
        else:
            messages.success(request, _("Their histories are being extracted, one after the other."))
            return redirect("articles")
    return render(request, "wiki/add_many.html", {"form": form, **_may(actor)})


@require_POST
def check(request: HttpRequest, article_id: int) -> HttpResponse:
    """Again what is new, or all of it against the wiki's list."""
    try:
        services.check(actor=actor_of(request), article_id=article_id)
    except InvalidInput as error:
        messages.error(request, wording(error))
    return redirect("article", article_id=article_id)


@require_POST
def refresh(request: HttpRequest, article_id: int) -> HttpResponse:
    try:
        services.refresh(actor=actor_of(request), article_id=article_id)
    except InvalidInput as error:
        messages.error(request, wording(error))
    return redirect("article", article_id=article_id)
