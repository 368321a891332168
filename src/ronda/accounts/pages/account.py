"""One's own account: name, roles, password, leaving."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout as end_session
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ronda.accounts import services
from ronda.accounts.authentication import actor_of
from ronda.accounts.forms import ChangePasswordForm, DeleteAccountForm, NameForm
from ronda.accounts.roles import MEANINGS, Role
from ronda.errors import Conflict, InvalidInput
from ronda.http.wording import attach


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = actor_of(request)
    form = NameForm(request.POST if request.method == "POST" else None, initial={"name": person.name})
    if form.is_valid():
        try:
            services.rename(actor=person, name=form.cleaned_data["name"])
        except InvalidInput as error:
            attach(form, error)
        else:
            messages.success(request, _("Your name is saved."))
            return redirect("account")
    roles = [(role, MEANINGS[role]) for role in Role if role in person.roles]
    context = {"form": form, "person": person, "roles": roles, "has_password": person.has_usable_password()}
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Change the password, or set the first one."""
    person = actor_of(request)
    has_password = person.has_usable_password()
    posted = request.POST if request.method == "POST" else None
    form = ChangePasswordForm(request, person, posted) if has_password else SetPasswordForm(person, posted)
    if form.is_valid():
        form.save()
        # Other sessions of this person end; this one goes on.
        update_session_auth_hash(request, person)
        messages.success(request, _("Your password is set."))
        return redirect("account" if has_password else "overview")
    context = {"form": form, "person": person, "has_password": has_password}
    return render(request, "accounts/password.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    person = actor_of(request)
    form = DeleteAccountForm(request, person, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.delete_own_account(actor=person, password=form.cleaned_data.get("password"))
        except (InvalidInput, Conflict) as error:
            attach(form, error)
        else:
            end_session(request)
            messages.success(request, _("Your account is deleted. Farewell!"))
            return redirect("login")
    return render(request, "accounts/delete.html", {"form": form}, status=422 if form.errors else 200)
