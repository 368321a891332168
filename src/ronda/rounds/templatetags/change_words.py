"""Changes in templates."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

from ronda.rounds.change_wording import differing_sentence
from ronda.rounds.diff_models import PageDiff

register = template.Library()


@register.filter
def page_words(page: PageDiff) -> str:
    if page.score == 0:
        return gettext("nothing but noise")
    said = differing_sentence(page)
    return gettext(said) if said else ""
