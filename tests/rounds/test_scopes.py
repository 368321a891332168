"""How far a source reaches."""

from __future__ import annotations

import pytest

from ronda.rounds.scopes import Reach, domain_of
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

ROOT = "https://www.example.co.uk/docs/guide.html"
EXPECTED = {
    "https://www.example.co.uk/docs/guide.html": "page prefix host domain",
    "https://www.example.co.uk/docs/deeper/x?y=1": "prefix host domain",
    "https://www.example.co.uk/docs": "host domain",
    "http://www.example.co.uk/": "host domain",
    "https://blog.example.co.uk/docs/": "domain",
    "https://example.co.uk/": "domain",
    "https://other.co.uk/docs/": "",
    "https://www.example.co.uk:8443/docs/": "domain",
    "https://www.example.co.uk.evil.example/docs/": "",
}


@pytest.mark.parametrize("scope", ["page", "prefix", "host", "domain"])
def test_reach(scope: str) -> None:
    reach = Reach(scope, [canonicalise(ROOT, ANYWHERE)])
    for url, within in EXPECTED.items():
        assert reach.includes(canonicalise(url, ANYWHERE)) == (scope in within.split()), (scope, url)


def test_where_the_source_moved_to_belongs_to_it() -> None:
    roots = [canonicalise(url, ANYWHERE) for url in ("http://old.example/", "https://www.new.example/home/")]
    reach = Reach("host", roots)
    assert reach.includes(canonicalise("https://www.new.example/x", ANYWHERE))
    assert reach.includes(canonicalise("http://old.example/x", ANYWHERE))
    assert not reach.includes(canonicalise("http://new.example/x", ANYWHERE))


def test_addresses_and_local_names_are_their_own_domain() -> None:
    assert domain_of("127.77.1.1") == "127.77.1.1"
    assert domain_of("localhost") == "localhost"
    assert domain_of("a.b.github.io") == domain_of("b.github.io") == "github.io"
