"""Stored reasons in the reader's language: all that visits are ended and pages left out for."""

from __future__ import annotations

import pytest
from django.utils import translation

from ronda.rounds import selecting, traps
from ronda.rounds.reason_words import FIXED, reason_said
from ronda_node.reasons import Reason


@pytest.mark.parametrize(
    ("reason", "english", "spanish"),
    [
        ("answered with status 503", "answered with status 503", "respondió con el estado 503"),
        ("ended at 1,000 pages", "ended at 1,000 pages", "terminó a las 1\u00a0000 páginas"),
        ("ended after 21,600 seconds", "ended after 21,600 seconds", "terminó a los 21\u00a0600 segundos"),
        (
            "ended at 1,073,741,824 bytes",
            "ended at 1,073,741,824 bytes",
            "terminó a los 1\u00a0073\u00a0741\u00a0824 bytes",
        ),
        (selecting.NO_MORE_BUDGET, "the budget was used up", "se agotó el presupuesto"),
        ("nothing but redirects", "nothing but redirects", "nada más que redirecciones"),
        (Reason.DNS, "the name was not found", "no se encontró el nombre"),
        ("whatever it said", "whatever it said", "whatever it said"),
        ("", "", ""),
    ],
)
def test_reasons_are_said_in_both_languages(reason: str, english: str, spanish: str) -> None:
    with translation.override("en"):
        assert reason_said(reason) == english
    with translation.override("es"):
        assert reason_said(reason) == spanish


def test_every_reason_to_leave_a_page_out_is_known() -> None:
    names = [value for room in (selecting, traps) for value in vars(room).values() if isinstance(value, str)]
    reasons = {value for value in names if " " in value and value == value.strip() and "\n" not in value}
    reasons -= {selecting.__doc__, traps.__doc__}
    assert reasons <= FIXED.keys()
    with translation.override("es"):
        assert all(reason_said(reason) != reason for reason in FIXED)
