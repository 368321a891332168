"""Coming in and out: log in, one-time links, registration, recovery."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login as begin_session
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts import queries, services
from ronda.accounts.errors import RegistrationClosed
from ronda.accounts.forms import LoginForm, RecoverForm, RegisterForm
from ronda.errors import InvalidInput
from ronda.http.wording import attach

# Sessions that begin without a password name the backend that will look the person up again.
BACKEND = "django.contrib.auth.backends.ModelBackend"

login = LoginView.as_view(
    template_name="accounts/login.html",
    authentication_form=LoginForm,
    redirect_authenticated_user=True,
    extra_context={"is_registration_open": queries.is_registration_open},
)

logout = LogoutView.as_view()

recover = PasswordResetView.as_view(
    template_name="accounts/recover.html",
    form_class=RecoverForm,
    success_url=reverse_lazy("recover-sent"),
)

recover_confirm = PasswordResetConfirmView.as_view(
    template_name="accounts/recover_confirm.html",
    success_url=reverse_lazy("recover-done"),
)


@require_safe
def recover_sent(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/recover_sent.html")


@require_safe
def recover_done(request: HttpRequest) -> HttpResponse:
    messages.success(request, _("Your password is set. Log in with it."))
    return redirect("login")


@require_http_methods(["GET", "HEAD", "POST"])
def login_once(request: HttpRequest, secret: str) -> HttpResponse:
    """The link is spent by the button, not by opening it: mail scanners and previews open links too."""
    if request.method != "POST":
        return render(request, "accounts/login_once.html")
    person = services.spend_login_link(secret=secret)
    begin_session(request, person, backend=BACKEND)
    if person.has_usable_password():
        return redirect("overview")
    messages.info(request, _("You are in. Set a password now: the link will not work again."))
    return redirect("password")


@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    if not queries.is_registration_open():
        raise RegistrationClosed()
    form = RegisterForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        values = form.cleaned_data
        try:
            person = services.register(
                email=values["email"], password=values["password"], name=values["name"]
            )
        except InvalidInput as error:
            attach(form, error)
        else:
            begin_session(request, person, backend=BACKEND)
            messages.success(request, _("Welcome! This is what you can do here."))
            return redirect("overview")
    return render(request, "accounts/register.html", {"form": form}, status=200 if not form.errors else 422)
