"""One's tokens: list, create, revoke."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ronda.accounts import queries, services
from ronda.accounts.authentication import actor_of
from ronda.accounts.forms import TokenForm
from ronda.accounts.models import ApiToken, Person
from ronda.accounts.roles import Role
from ronda.errors import InvalidInput
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach

SORTABLE = {"name": "name", "created_at": "created_at", "last_used_at": "last_used_at"}


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            token, secret = services.create_token(actor=actor, name=form.cleaned_data["name"])
        except InvalidInput as error:
            attach(form, error)
        else:
            return _shown_once(request, actor, token, secret)
    page = paginate(
        queries.tokens(actor=actor), page_wanted(request), sortable=SORTABLE, default="-created_at"
    )
    context = {"form": form, "page": page}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


def _shown_once(request: HttpRequest, actor: Person, token: ApiToken, secret: str) -> HttpResponse:
    """In this answer only: no session, message or cache ever holds the secret."""
    context = {
        "token": token,
        "secret": secret,
        "server": request.build_absolute_uri("/").rstrip("/"),
        "lends_machines": actor.has_role(Role.CONTRIBUTOR),
    }
    response = render(request, "accounts/token_created.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(queries.tokens(actor=actor_of(request)), pk=token_id)
    if request.method == "POST":
        services.revoke_token(actor=actor_of(request), token_id=token_id)
        messages.success(request, _("The token “%(name)s” is revoked.") % {"name": token.name})
        return redirect("tokens")
    return confirm_revoking(request, token, back=reverse("tokens"))


def confirm_revoking(request: HttpRequest, token: ApiToken, *, back: str) -> HttpResponse:
    context = {
        "title": _("Revoke “%(name)s”?") % {"name": token.name},
        "explanation": _("Programs that use this token are refused from now on. This cannot be undone."),
        "action": _("Revoke the token"),
        "back": back,
    }
    return render(request, "console/confirm.html", context)
