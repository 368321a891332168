"""What nodes say of themselves, in the reader's language. What is no word of ours stays as it is."""

from __future__ import annotations

import re

from django.utils.translation import gettext, gettext_lazy

from ronda.grid.leasing import FULL, PAUSED

SAID = {
    "starting": gettext_lazy("starting"),
    "leaving": gettext_lazy("leaving"),
    "the server does not answer": gettext_lazy("the server does not answer"),
    "the server asked to wait": gettext_lazy("the server asked to wait"),
    "idle: nothing to do": gettext_lazy("idle: nothing to do"),
    "it was stopped by its owner": gettext_lazy("it was stopped by its owner"),
    "the bytes of this month are used up": gettext_lazy("the bytes of this month are used up"),
    "outside of the hours allowed": gettext_lazy("outside of the hours allowed"),
    PAUSED: gettext_lazy("it is paused on the server"),
    FULL: gettext_lazy("it has enough in hand, or what it brought is still to be compared"),
}
_FETCHING = re.compile(r"fetching: \d+ URLs so far, \d+ in hand")
# In brackets stands a file of that machine, which is nobody's business here.
_BRACKETS = re.compile(r" \(.*\)$")
_UNTIL = re.compile(r"(?P<what>.*), until (?P<when>[\d :-]+)")


def said_in_words(text: str) -> str:
    if text.startswith("resting: "):
        return gettext("resting: %(reason)s") % {"reason": said_in_words(text.removeprefix("resting: "))}
    if _FETCHING.fullmatch(text):
        return gettext("fetching")
    if until := _UNTIL.fullmatch(text):
        named = {"what": said_in_words(until["what"]), "when": until["when"]}
        return gettext("%(what)s, until %(when)s (its clock)") % named
    plain = _BRACKETS.sub("", text)
    return str(SAID[plain]) if plain in SAID else text
