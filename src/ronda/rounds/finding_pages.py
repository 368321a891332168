"""Pages for finding: the search, what one looked for, and favourites."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.archive.models import FavouriteKind, PastSearch
from ronda.archive.search import Found, FoundPage, SearchWanted
from ronda.errors import InvalidInput, NotFound
from ronda.http.paging import Page, page_wanted
from ronda.http.wording import attach
from ronda.rounds import favourites as stars
from ronda.rounds import finding
from ronda.rounds.finding_forms import SearchForm

PAGE_SIZE = 20
PAST_SHOWN = 10


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = SearchForm(actor, request.GET or None)
    context: dict[str, Any] = {
        "form": form,
        "past": [_past(one) for one in finding.past_searches(actor=actor)[:PAST_SHOWN]],
    }
    if form.is_valid() and form.as_given():
        try:
            context |= _results(request, actor, form)
        except InvalidInput as error:
            attach(form, error)
    return render(request, "rounds/search.html", context, status=422 if form.errors else 200)


def _results(request: HttpRequest, actor: Person, form: SearchForm) -> dict[str, Any]:
    given = form.cleaned_data
    wanted = SearchWanted(
        words=given["q"].strip(), url=given["url"].strip(), collection=given["collection"],
        since=str(given["from"] or ""), until=str(given["to"] or ""), status=given["status"], mime=given["mime"],
    )  # fmt: skip
    number = page_wanted(request, PAGE_SIZE).page
    found = finding.find(actor=actor, wanted=wanted, topic=given["topic"], page=number, page_size=PAGE_SIZE)
    if number == 1:
        finding.remember(actor=actor, given=form.as_given())
    return {"found": found, "page": _page(found, number)}


def _page(found: Found, number: int) -> Page[FoundPage]:
    return Page(found.pages, number, PAGE_SIZE, found.total, "")


def _past(one: PastSearch) -> dict[str, Any]:
    """In words: what was looked for, then the rest."""
    given = QueryDict(one.query)
    return {
        "query": one.query,
        "words": " · ".join(str(value) for value in given.values()),
        "searched_at": one.searched_at,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def past(request: HttpRequest) -> HttpResponse:
    """All one looked for; POST forgets it."""
    actor = actor_of(request)
    if request.method == "POST":
        finding.forget_searches(actor=actor)
        messages.success(request, _("Your past searches are forgotten."))
        return redirect("searches")
    context = {"past": [_past(one) for one in finding.past_searches(actor=actor)]}
    return render(request, "rounds/searches.html", context)


@require_safe
def favourites(request: HttpRequest) -> HttpResponse:
    return render(
        request, "rounds/favourites.html", {"favourites": stars.favourites(actor=actor_of(request))}
    )


@require_POST
def set_star(request: HttpRequest, kind: str, key: str, is_starred: bool) -> HttpResponse:
    """Back to where the button was."""
    if kind not in FavouriteKind.values:
        raise NotFound()
    change = stars.star if is_starred else stars.unstar
    change(actor=actor_of(request), kind=FavouriteKind(kind), key=key)
    back = request.POST.get("back", "")
    is_here = url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.startswith("/")
    return redirect(back if is_here else "favourites")
