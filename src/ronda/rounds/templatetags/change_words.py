"""Changes in templates."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

from ronda.rounds.change_wording import counts_sentence
from ronda.rounds.diff_models import PageDiff

register = template.Library()


@register.filter
def page_words(page: PageDiff) -> str:
    if page.share is not None:
        return counts_sentence(page.counts)
    return gettext(page.reason) if page.reason else ""
