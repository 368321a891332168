"""Scores in words: what drove a change, whether it matters, whether it was there before or is the template's."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ronda.change.scoring import Component
from ronda.rounds.score_models import VersionScore

COMPONENTS = {
    Component.SHEETS: gettext_lazy("style sheets"),
    Component.LOOKS: gettext_lazy("classes, styles and pictures"),
    Component.ARRANGEMENT: gettext_lazy("paragraphs that stand elsewhere"),
    Component.PARAGRAPHS: gettext_lazy("number of paragraphs"),
    Component.ELEMENTS: gettext_lazy("structure"),
    Component.TEXT: gettext_lazy("text"),
    Component.TITLE: gettext_lazy("title"),
    Component.LINKS: gettext_lazy("links"),
    Component.BYTES: gettext_lazy("content that cannot be read"),
}


def component_words(name: str) -> str:
    return next((str(words) for component, words in COMPONENTS.items() if component.value == name), "")


def score_sentences(weight: VersionScore) -> list[str]:
    """What is to be said of a version beside its numbers, the most telling first."""
    found = []
    if weight.returns_to:
        found.append(_("It is again as it was in version %(number)d.") % {"number": weight.returns_to.number})
    if weight.is_mass:
        found.append(mass_sentence(weight))
    if not weight.pages_meaning and not weight.drivers:
        found.append(_("Nothing a reader could tell: only noise changed."))
    elif not weight.is_important and not weight.returns_to:
        found.append(_("It is below the threshold: nobody was told."))
    return found


def mass_sentence(weight: VersionScore) -> str:
    number = weight.mass_pages
    if weight.mass_part:
        return ngettext(
            "The same part changed on %(n)d page, a change of the template: %(part)s",
            "The same part changed on %(n)d pages, a change of the template: %(part)s",
            number,
        ) % {"n": number, "part": weight.mass_part}
    return ngettext(
        "%(n)d page changed in the same way and kept its text: a change of the template.",
        "%(n)d pages changed in the same way and kept their texts: a change of the template.",
        number,
    ) % {"n": number}


def score_line(weight: VersionScore) -> str:
    """One line for a message."""
    driver = component_words(weight.drivers[0]["component"]) if weight.drivers else ""
    values = {"score": f"{weight.score:.2f}", "threshold": f"{weight.threshold:.2f}", "what": driver}
    if driver:
        return _("Score %(score)s (important from %(threshold)s), mostly its %(what)s.") % values
    return _("Score %(score)s (important from %(threshold)s).") % values
