"""What questions say of themselves, in the reader's language; what people wrote stays as they wrote it."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from ronda.accounts.models import Person
from ronda.analysis.models import AnswerRow, Batch
from ronda.analysis.sessions import Wanted, open_session


def test_questions_are_read_in_ones_own_language(
    browser_of: Callable[..., Client], administrator: Person
) -> None:
    english, spanish = browser_of(administrator), browser_of(administrator, "es")
    for address in (reverse("ask"), reverse("questions"), reverse("question-set", args=["movies"])):
        assert "Best and worst rated movie of a country" in english.get(address).text
        text = spanish.get(address).text
        assert "La película mejor y la peor calificada de un país" in text
        assert "Best and worst rated" not in text
    form = spanish.get(reverse("ask-set", args=["movies"])).text
    assert "Mínimo de calificaciones de una película" in form


def test_reasons_and_warnings_too(browser_of: Callable[..., Client], administrator: Person) -> None:
    sql = {"mine.sql": "/*\ntitle = 'Just mine'\n*/\nSELECT count(*) AS n FROM things"}
    session, _is_new = open_session(actor=administrator, wanted=Wanted(sql=sql))
    Batch.objects.create(
        session=session, table="things", number=1, checksum="0" * 64, rows=3, dropped=2,
        reasons={"not a number": 1, "as I say": 1}, body_bytes=5000, segment_bytes=900,
    )  # fmt: skip
    AnswerRow.objects.filter(session=session).update(state="done", dropped={"things": {"no title": 7}})
    page = browser_of(administrator, "es").get(reverse("session", args=[session.pk])).text
    assert "Just mine" in page
    assert "no es un número" in page
    assert "sin título" in page
    assert "as I say" in page
