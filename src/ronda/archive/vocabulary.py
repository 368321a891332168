"""The collections and topics that exist from the start: those of the archive document. People add their own."""

from __future__ import annotations

from django.utils.translation import gettext_noop

COLLECTIONS = {
    "scientific": gettext_noop("Scientific"),
    "cultural": gettext_noop("Cultural"),
    "educational": gettext_noop("Educational"),
    "technological": gettext_noop("Technological"),
}

TOPICS = {
    300: gettext_noop("Art"),
    301: gettext_noop("Science"),
    302: gettext_noop("Architecture"),
    303: gettext_noop("Sports"),
    304: gettext_noop("Humour"),
    305: gettext_noop("Fashion"),
    306: gettext_noop("News"),
    307: gettext_noop("Politics"),
    308: gettext_noop("File sharing"),
    309: gettext_noop("Intelligence"),
    310: gettext_noop("Board games"),
    311: gettext_noop("Environment"),
    312: gettext_noop("Translation"),
    313: gettext_noop("Travel"),
    314: gettext_noop("Video games"),
}
