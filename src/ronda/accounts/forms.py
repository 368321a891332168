"""Forms of people: log in, register, recover, account, tokens, and what administrators fill in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.accounts.roles import MEANINGS, Role

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
    password = _password_field(
        _("Password"), "new-password", help_text=password_validation.password_validators_help_text_html()
    )
    password_again = _password_field(_("Password, once more"), "new-password")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("password") and values.get("password_again") not in (None, values["password"]):
            self.add_error("password_again", gettext("The two passwords differ."))
        return values


class RecoverForm(forms.Form):
    email = _email_field(autofocus=True)


class NameForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class DeleteAccountForm(forms.Form):
    password = _password_field(_("Your password"), "current-password")

    def __init__(self, person: Person, *arguments: Any) -> None:
        super().__init__(*arguments)
        if not person.has_usable_password():
            del self.fields["password"]


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
