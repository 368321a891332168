"""People, for administrators."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts import queries, recovery, services
from ronda.accounts.authentication import actor_of
from ronda.accounts.forms import AddPersonForm, PeopleFilter, RolesForm
from ronda.accounts.models import Person
from ronda.accounts.pages.tokens import confirm_revoking
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, InvalidInput
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording

SORTABLE = {"email": "email", "name": "name", "created_at": "created_at", "last_login": "last_login"}


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    wanted = PeopleFilter(request.GET)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    role = Role(chosen["role"]) if chosen.get("role") else None
    found = queries.people(actor=actor_of(request), search=chosen.get("search", ""), role=role)
    context = {
        "filter": wanted,
        "is_filtered": any(chosen.values()),
        "page": paginate(found, page_wanted(request), sortable=SORTABLE, default="email"),
    }
    return render_live(
        request, page="accounts/people.html", part="accounts/people_part.html", context=context
    )


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.ADMINISTRATOR)
    form = AddPersonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        values = form.cleaned_data
        try:
            person = services.add_person(
                actor=actor, email=values["email"], name=values["name"], roles=form.chosen()
            )
        except InvalidInput as error:
            attach(form, error)
        else:
            _invite(request, person, actor)
            return redirect("person", person_id=person.pk)
    return render(request, "accounts/person_add.html", {"form": form}, status=422 if form.errors else 200)


def _invite(request: HttpRequest, person: Person, actor: Person) -> None:
    values = {"email": person.email}
    if recovery.invite(person, invited_by=actor):
        messages.success(
            request, _("Added. A mail with a link to set a password went to %(email)s.") % values
        )
    else:
        messages.warning(
            request,
            _("Added, but the mail to %(email)s could not be sent: see the log. Send it again below.")
            % values,
        )


@require_http_methods(["POST"])
def invite(request: HttpRequest, person_id: int) -> HttpResponse:
    actor = actor_of(request)
    person = queries.person(actor=actor, person_id=person_id)
    if recovery.invite(person, invited_by=actor):
        messages.success(request, _("The mail went to %(email)s.") % {"email": person.email})
    else:
        messages.error(
            request, _("The mail to %(email)s could not be sent: see the log.") % {"email": person.email}
        )
    return redirect("person", person_id=person_id)


@require_http_methods(["GET", "HEAD", "POST"])
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    actor = actor_of(request)
    found = queries.person(actor=actor, person_id=person_id)
    initial = {"roles": [role.value for role in found.roles]}
    form = RolesForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            services.set_roles(actor=actor, person_id=person_id, roles=form.chosen())
        except Conflict as error:
            attach(form, error)
        else:
            messages.success(request, _("The roles are saved."))
            return redirect("person", person_id=person_id)
    context = {
        "form": form,
        "person": found,
        "grants": found.grants.select_related("granted_by").order_by("granted_at"),
        "tokens": queries.tokens_of(actor=actor, person_id=person_id),
        "is_self": found == actor,
        "has_password": found.has_usable_password(),
    }
    return render(request, "accounts/person.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def set_active(request: HttpRequest, person_id: int, *, is_active: bool) -> HttpResponse:
    """Close or reopen an account, after a question."""
    actor = actor_of(request)
    found = queries.person(actor=actor, person_id=person_id)
    if request.method == "POST":
        try:
            services.set_active(actor=actor, person_id=person_id, is_active=is_active)
        except Conflict as error:
            messages.error(request, wording(error))
        else:
            messages.success(
                request, _("The account is open again.") if is_active else _("The account is closed.")
            )
        return redirect("person", person_id=person_id)
    if is_active:
        title, action = _("Reopen the account of %(person)s?"), _("Reopen the account")
        explanation = _("They can log in again, and their tokens work again.")
    else:
        title, action = _("Close the account of %(person)s?"), _("Close the account")
        explanation = _(
            "They can no longer log in, nor can their tokens. What they made stays. You can reopen it."
        )
    context = {
        "title": title % {"person": found},
        "explanation": explanation,
        "action": action,
        "is_harmless": is_active,
        "back": reverse("person", args=[person_id]),
    }
    return render(request, "console/confirm.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_token(request: HttpRequest, person_id: int, token_id: int) -> HttpResponse:
    actor = actor_of(request)
    token = get_object_or_404(queries.tokens_of(actor=actor, person_id=person_id), pk=token_id)
    if request.method == "POST":
        services.revoke_token(actor=actor, token_id=token_id)
        messages.success(request, _("The token “%(name)s” is revoked.") % {"name": token.name})
        return redirect("person", person_id=person_id)
    return confirm_revoking(request, token, back=reverse("person", args=[person_id]))
