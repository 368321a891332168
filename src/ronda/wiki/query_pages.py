"""Pages that ask histories: questions of one's own, revisions, what an article's history tells, differences."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import require
from ronda.change.texts import Kind, Row
from ronda.errors import Conflict, InvalidInput, NotFound, RondaError, TooMany
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted
from ronda.http.wording import attach, wording
from ronda.rounds.shown_rows import without_the_same
from ronda.wiki import consulting, telling_histories
from ronda.wiki.downloads import download
from ronda.wiki.pipeline.translation import DEFAULT_DATE_FORMAT
from ronda.wiki.queries import article as article_seen
from ronda.wiki.queries import articles as articles_seen
from ronda.wiki.query_examples import EXAMPLES
from ronda.wiki.query_forms import CompareForm, QueryForm, RevisionsForm
from ronda.wiki.statistics.summary import Summary

ROWS_SHOWN = 500
BARS_SHOWN = 100
CONTEXT_LINES = 3
DIFF_ROWS_SHOWN = 1_500
MOST_CHOICES = 500


@require_http_methods(["GET", "HEAD", "POST"])
def query(request: HttpRequest) -> HttpResponse:
    """A question in the address is only shown; it runs when the form is sent."""
    actor = require(actor_of(request))
    is_sent = request.method == "POST"
    asked = request.GET.dict() if "question" in request.GET else {}
    initial = {"date_format": DEFAULT_DATE_FORMAT, "question": EXAMPLES[0].question, **asked}
    form = QueryForm(request.POST if is_sent else None, initial=initial)
    context: dict[str, Any] = {"form": form, "examples": EXAMPLES}
    if is_sent and form.is_valid():
        try:
            answer = _asked(actor, form.cleaned_data)
        except (InvalidInput, Conflict, TooMany) as error:
            attach(form, error)
        else:
            kind = request.POST.get("format")
            if kind in ("csv", "parquet"):
                return download(answer.documents, "csv" if kind == "csv" else "parquet", name="answer")
            context |= _shown_answer(answer)
    return render(request, "wiki/query.html", context, status=422 if form.errors else 200)


def _asked(actor: Any, asked: dict[str, str]) -> consulting.Answer:
    if asked["language"] == "sql":
        return consulting.query_sql(actor=actor, sql=asked["question"])
    return consulting.query_pipeline(
        actor=actor,
        body=asked["question"],
        collection=asked["collection"] or "revisions",
        date_format=asked["date_format"] or DEFAULT_DATE_FORMAT,
    )


def _shown_answer(answer: consulting.Answer) -> dict[str, Any]:
    documents = answer.documents[:ROWS_SHOWN]
    return {
        "answer": answer,
        "rows": [[document.get(name) for name in answer.columns] for document in documents],
        "rows_left_out": len(answer.documents) - len(documents),
        "bars": _bars(answer),
    }


def _bars(answer: consulting.Answer) -> list[tuple[str, float]]:
    """An answer of names and a number can be drawn: the first column against the first that is a number."""
    if len(answer.columns) < 2 or not 2 <= len(answer.documents) <= BARS_SHOWN:
        return []
    name, *others = answer.columns
    for other in others:
        values = [document.get(other) for document in answer.documents]
        if all(
            isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 for value in values
        ):
            names = [_bar_name(document.get(name)) for document in answer.documents]
            return [
                (label, float(value)) for label, value in zip(names, values, strict=True) if value is not None
            ]
    return []


def _bar_name(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values())
    return "–" if value is None else str(value)


@require_safe
def revisions(request: HttpRequest) -> HttpResponse:
    form = RevisionsForm(request.GET)
    context: dict[str, Any] = {"form": form}
    form.is_valid()
    wanted = page_wanted(request, 50)
    if not wanted.sort:
        wanted = wanted.model_copy(update={"sort": "-timestamp"})
    try:
        context["page"] = consulting.revisions(
            actor=actor_of(request), given=request.GET.dict(), wanted=wanted
        )
    except InvalidInput as error:
        attach(form, error)
    return render(request, "wiki/revisions.html", context, status=422 if form.errors else 200)


@require_safe
def article_revisions(request: HttpRequest, article_id: int) -> HttpResponse:
    article = article_seen(actor=actor_of(request), article_id=article_id)
    query = urlencode({"title": article.title, "wiki": article.wiki.key})
    return redirect(f"{reverse('wiki-revisions')}?{query}")


@require_safe
def article_statistics(request: HttpRequest, article_id: int) -> HttpResponse:
    """A page of its own, and a part for the article's page."""
    article, summary = telling_histories.statistics_of(actor=actor_of(request), article_id=article_id)
    context = {"article": article, **told(summary)}
    return render_live(
        request, page="wiki/statistics.html", part="wiki/statistics_part.html", context=context
    )


@require_safe
def comparison(request: HttpRequest) -> HttpResponse:
    """Several articles: two beside each other, more summed up."""
    actor = require(actor_of(request))
    ids = [int(part) for part in request.GET.getlist("article")[:500] if part.isascii() and part.isdigit()]
    ids = list(dict.fromkeys(one for one in ids if one < 2**31))
    choices = articles_seen(actor=actor).order_by("title", "pk")[:MOST_CHOICES]
    context: dict[str, Any] = {"ids": ids, "choices": choices}
    if len(ids) == 2:
        one, other, shared = telling_histories.compared(actor=actor, a=ids[0], b=ids[1])
        context |= {"sides": [(one[0], told(one[1])), (other[0], told(other[1]))], "shared": shared}
    elif ids:
        found, summary = telling_histories.summed_up(actor=actor, article_ids=ids)
        context |= {"articles": found, **told(summary)}
    return render(request, "wiki/comparison.html", context)


def told(summary: Summary) -> dict[str, Any]:
    """The numbers as the templates `wiki/statistics_*.html` draw them."""
    # 1 January 2024 was a Monday.
    weekdays = [_weekday(number) for number in range(7)]
    return {
        "summary": summary,
        "years": list(summary.by_year.items()),
        "months": list(summary.by_month.items())[-240:],
        "weekdays": list(zip(weekdays, summary.by_weekday, strict=True)),
        "hours": [(f"{hour}:00", number) for hour, number in enumerate(summary.by_hour)],
        "sizes": [(f"{at:%Y-%m-%d}", size) for at, size in summary.sizes],
        "kinds": [
            (
                label,
                summary.by_kind[kind],
                summary.editors_by_kind[kind],
                _share(summary.by_kind[kind], summary),
            )
            for kind, label in (
                ("registered", _("Registered")),
                ("anonymous", _("Anonymous")),
                ("bot", _("Bots")),
                ("hidden", _("Hidden")),
            )
        ],
        "minor_share": _share(summary.minor, summary),
        "reverted_share": _share(summary.reverted, summary),
        "tenth_share": round(100 * summary.share_of_top_tenth),
    }


def _weekday(number: int) -> str:
    return date_format(date(2024, 1, 1 + number), "D")


def _share(number: int, summary: Summary) -> float:
    return round(100 * number / summary.edits, 1) if summary.edits else 0.0


@require_safe
def revision_diff(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request))
    form = CompareForm(request.GET if "a" in request.GET else None)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        asked = form.cleaned_data
        try:
            found = telling_histories.diff(actor=actor, a=asked["a"], b=asked["b"] or 0, wiki=asked["wiki"])
        except (NotFound, InvalidInput) as error:
            return _not_compared(request, context, error)
        rows = without_the_same(found.rows, CONTEXT_LINES)
        context |= {
            "found": found,
            "is_side_by_side": request.GET.get("view") == "side",
            "rows": [_shown_row(row) for row in rows[:DIFF_ROWS_SHOWN]],
            "rows_left_out": max(0, len(rows) - DIFF_ROWS_SHOWN),
        }
    return render(request, "wiki/diff.html", context, status=422 if form.errors else 200)


def _not_compared(request: HttpRequest, context: dict[str, Any], error: RondaError) -> HttpResponse:
    status = 404 if isinstance(error, NotFound) else 422
    return render(request, "wiki/diff.html", {**context, "problem": wording(error)}, status=status)


def _shown_row(row: Any) -> dict[str, Any]:
    """As `rounds/diff_text.html` wants it."""
    if not isinstance(row, Row):
        return {"gap": row.lines}
    return {
        "kind": row.kind.value,
        "row": row,
        "left": [piece for piece in row.pieces if piece.kind != Kind.ADDED],
        "right": [piece for piece in row.pieces if piece.kind != Kind.REMOVED],
    }
