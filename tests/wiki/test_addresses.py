"""Which wiki and which page is meant."""

from __future__ import annotations

import pytest

from ronda.wiki.addresses import find, is_wikimedia, key_of, rest_of
from ronda.wiki.errors import NotAWiki
from ronda_node.policy import ANYWHERE, PUBLIC_WEB

WIKIPEDIA = "https://en.wikipedia.org/w/api.php"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"title": "RabbitMQ", "locale": "es"}, ("https://es.wikipedia.org/w/api.php", "RabbitMQ", "es")),
        ({"title": "Battle_of_the_Nile"}, (WIKIPEDIA, "Battle of the Nile", "en")),
        (
            {"url": "https://en.wikipedia.org/wiki/The_Lord_of_the_Rings"},
            (WIKIPEDIA, "The Lord of the Rings", "en"),
        ),
        (
            {"url": "https://es.m.wikipedia.org/wiki/Sim%C3%B3n_Bol%C3%ADvar"},
            ("https://es.wikipedia.org/w/api.php", "Simón Bolívar", "es"),
        ),
        (
            {"url": "https://en.wikipedia.org/w/index.php?title=RabbitMQ&action=history"},
            (WIKIPEDIA, "RabbitMQ", "en"),
        ),
        (
            {"url": "https://wiki.example.org/mw/index.php?title=Page"},
            ("https://wiki.example.org/mw/api.php", "Page", ""),
        ),
        (
            {"url": "https://wiki.example.org/index.php/Some_page"},
            ("https://wiki.example.org/api.php", "Some page", ""),
        ),
        (
            {"title": "Page", "api": "https://wiki.example.org/api.php", "locale": "fr"},
            ("https://wiki.example.org/api.php", "Page", "fr"),
        ),
    ],
)
def test_a_page_is_found_however_it_is_named(given: dict[str, str], expected: tuple[str, str, str]) -> None:
    found = find(**{"title": "", "locale": "", "url": "", "api": "", **given}, policy=PUBLIC_WEB)
    assert (found.api, found.title, found.locale) == expected


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "title"),
        ({"title": "a|b"}, "title"),
        ({"title": "x" * 300}, "title"),
        ({"title": "X", "locale": "e.evil"}, "locale"),
        ({"title": "X", "api": "https://wiki.example.org/index.php"}, "api"),
        ({"title": "X", "api": "http://127.0.0.1/api.php"}, "api"),
        ({"title": "X", "api": "http://localhost/api.php"}, "api"),
        ({"url": "https://wiki.example.org/"}, "url"),
    ],
)
def test_what_names_no_page_is_refused_with_its_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(NotAWiki) as refused:
        find(**{"title": "", "locale": "", "url": "", "api": "", **given}, policy=PUBLIC_WEB)
    assert refused.value.field == field


def test_names_of_wikis() -> None:
    assert key_of(WIKIPEDIA) == "en.wikipedia.org"
    assert key_of("http://127.0.0.1:8091/api.php") == "127.0.0.1:8091"
    assert key_of("https://example.org/first/api.php") == "example.org/first"
    assert rest_of(WIKIPEDIA) == "https://en.wikipedia.org/w/rest.php"
    assert is_wikimedia("commons.wikimedia.org")
    assert not is_wikimedia("wikipedia.org.example.net")
    assert find(title="X", locale="", url="", api="http://127.0.0.1:81/api.php", policy=ANYWHERE).api
