"""Coming in and out: log in, one-time links, registration, recovery."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login as begin_session
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    LoginView,
    LogoutView,
    PasswordResetConfirmView,
)
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts import queries, recovery, registration, services
from ronda.accounts.errors import RegistrationClosed
from ronda.accounts.forms import LoginForm, RecoverForm, RegisterForm
from ronda.accounts.models import Person
from ronda.accounts.throttling import client_address, forgive
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


class RecoverConfirm(PasswordResetConfirmView):
    """Django's, but a link sets one password, even when it is used several times at once."""

    template_name = "accounts/recover_confirm.html"
    success_url = reverse_lazy("recover-done")

    @transaction.atomic
    def form_valid(self, form: SetPasswordForm[Person]) -> HttpResponse:
        person = Person.objects.select_for_update().get(pk=form.user.pk)
        token = self.request.session.get(INTERNAL_RESET_SESSION_TOKEN)
        if not self.token_generator.check_token(person, token):
            self.validlink = False
            return self.render_to_response(self.get_context_data())
        forgive(person)
        return super().form_valid(form)


recover_confirm = RecoverConfirm.as_view()


@require_http_methods(["GET", "HEAD", "POST"])
def recover(request: HttpRequest) -> HttpResponse:
    form = RecoverForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        recovery.recover(form.cleaned_data["email"])
        return redirect("recover-sent")
    return render(request, "accounts/recover.html", {"form": form}, status=422 if form.errors else 200)


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
            registration.ask(email=values["email"], name=values["name"], asked_from=client_address(request))
        except InvalidInput as error:
            attach(form, error)
        else:
            return redirect("register-sent")
    return render(request, "accounts/register.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
def register_sent(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/register_sent.html")


@require_http_methods(["GET", "HEAD", "POST"])
def register_confirm(request: HttpRequest, secret: str) -> HttpResponse:
    """The link of the mail: set a password, and the account is there."""
    asked = registration.registration_of(secret)
    # Somebody who is not there yet, so that a password like their address is refused.
    newcomer = Person(email=asked.email, name=asked.name)
    form = SetPasswordForm(newcomer, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            person = registration.confirm(secret=secret, password=form.cleaned_data["new_password1"])
        except InvalidInput as error:
            attach(form, error)
        else:
            begin_session(request, person, backend=BACKEND)
            messages.success(request, _("Welcome! This is what you can do here."))
            return redirect("overview")
    context = {"form": form, "email": asked.email}
    return render(request, "accounts/register_confirm.html", context, status=422 if form.errors else 200)
