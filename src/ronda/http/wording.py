"""What an error says to somebody who reads pages: in their language, and beside the field it is about.

Services speak English; their messages stand in the catalogue (see tools/messages.py) and are looked up here.
"""

from __future__ import annotations

from django.forms import BaseForm
from django.utils.formats import localize
from django.utils.translation import gettext

from ronda.errors import InvalidInput, RondaError


def wording(error: RondaError) -> str:
    said = gettext(error.template)
    if error.values:
        said = said.format(**{name: localize(value) for name, value in error.values.items()})
    return f"{said} {gettext(error.hint)}" if error.hint else said


def attach(form: BaseForm, error: RondaError) -> None:
    """Show `error` in the form: at its field if the form has it, else above all fields."""
    field = error.field if isinstance(error, InvalidInput) else None
    name = (field or "").removeprefix("arguments.")
    form.add_error(name if name in form.fields else None, wording(error))
