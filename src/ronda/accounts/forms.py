"""Forms of people: log in, register, recover, account, tokens, and what administrators fill in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from ronda.accounts.errors import WrongPassword
from ronda.accounts.models import Person
from ronda.accounts.roles import MEANINGS, Role
from ronda.accounts.throttling import is_password_of
from ronda.http.wording import wording

ROLE_CHOICES = [(role.value, format_lazy("{}: {}", role.label, MEANINGS[role])) for role in Role]


def _email_field(**attributes: str | bool) -> forms.EmailField:
    return forms.EmailField(
        label=_("Mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", **attributes}),
    )


def _password_field(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, **options)


class LoginForm(AuthenticationForm):
    """Django's, asking for a mail address. The field keeps its name: login throttling looks for it."""

    username = _email_field(autocomplete="username", autofocus=True)

    error_messages = {  # noqa: RUF012  (Django's shape)
        "invalid_login": _(
            "This mail address and password do not belong together. Mind upper and lower case."
        ),
        "inactive": _("This account has been closed."),
    }


class RegisterForm(forms.Form):
    email = _email_field(autofocus=True)
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        help_text=_("How the console calls you. May stay empty."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class RecoverForm(forms.Form):
    email = _email_field(autofocus=True)


class NameForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class ChangePasswordForm(PasswordChangeForm):
    """Django's, with wrong old passwords counted."""

    def __init__(self, request: HttpRequest, person: Person, *arguments: Any) -> None:
        super().__init__(person, *arguments)
        self.request = request
        self.person = person

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        if not is_password_of(self.request, self.person, password):
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return password


class DeleteAccountForm(forms.Form):
    password = _password_field(_("Your password"), "current-password")

    def __init__(self, request: HttpRequest, person: Person, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.request = request
        self.person = person
        if not person.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not is_password_of(self.request, self.person, password):
            raise forms.ValidationError(wording(WrongPassword()))
        return password


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name of the token"),
        max_length=80,
        help_text=_("What will use it, for example “laptop” or “nightly report”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=ROLE_CHOICES, required=False, widget=forms.CheckboxSelectMultiple
    )

    def chosen(self) -> list[Role]:
        return [Role(word) for word in self.cleaned_data["roles"]]


class AddPersonForm(RolesForm):
    email = _email_field(autocomplete="off", autofocus=True)
    name = forms.CharField(
        label=_("Name"), max_length=120, required=False, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    field_order = ("email", "name", "roles")


class PeopleFilter(forms.Form):
    search = forms.CharField(
        label=_("Search"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("name or mail address")}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=[("", _("Any")), *Role.choices], required=False)
