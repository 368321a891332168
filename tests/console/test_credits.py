"""The page of credits: what one has, the statement as a file, and what directors book."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.roles import Role


def test_director_books_and_client_sees_it(
    browser_of: Callable[..., Client], make_person: Callable[..., Person]
) -> None:
    client = make_person("client@example.org", Role.CLIENT)
    director = browser_of(make_person("director@example.org", Role.DIRECTOR))
    booking = {"what": "top-up", "email": client.email, "amount": "12.5", "note": "invoice 7"}
    assert director.post("/credits", booking).status_code == 302
    page = browser_of(client, "es").get("/credits").text
    assert "12,50" in page
    assert "invoice 7" in page
    assert "Anotar" not in page, "booking is for directors"
    refused = director.post("/credits", {**booking, "what": "pay-out"})
    assert refused.status_code == 422
    assert "Only 0.00 credits are settled" in refused.text
    assert director.post("/credits", {**booking, "email": "nobody@example.org"}).status_code == 422
    assert director.post("/credits", {**booking, "amount": "-1"}).status_code == 422


def test_only_directors_book(browser_of: Callable[..., Client], make_person: Callable[..., Person]) -> None:
    client = make_person("client@example.org", Role.CLIENT)
    booking = {"what": "top-up", "email": client.email, "amount": "12.5"}
    assert browser_of(client).post("/credits", booking).status_code == 422
    assert "0.00" in browser_of(client).get("/credits").text
