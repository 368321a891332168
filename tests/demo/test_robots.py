from __future__ import annotations

from urllib.robotparser import RobotFileParser

import pytest

from ronda.demo import DemoServer, DemoWorld, RobotsKind
from tests.demo.conftest import fetch


def rules_of(server: DemoServer, name: str) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(fetch(server.base_url(name) + "robots.txt").text.splitlines())
    return parser


@pytest.mark.parametrize("kind", RobotsKind)
def test_every_kind_answers_in_its_way(kind: RobotsKind, world: DemoWorld, server: DemoServer) -> None:
    expected = {
        RobotsKind.MISSING: (404, "text/plain"),
        RobotsKind.ERRORING: (503, "text/plain"),
        RobotsKind.GARBLED: (200, "text/html"),
    }
    for site in world.sites:
        if site.robots is kind:
            answer = fetch(server.base_url(site) + "robots.txt")
            content_type = answer.headers["Content-Type"].split(";")[0]
            assert (answer.status, content_type) == expected.get(kind, (200, "text/plain"))


def test_rules_are_read_as_meant_by_another_parser(world: DemoWorld, server: DemoServer) -> None:
    assert rules_of(server, "boreal").can_fetch("ronda", "/private/2")
    assert not rules_of(server, "imprenta").can_fetch("ronda", "/private/2")
    assert rules_of(server, "imprenta").can_fetch("ronda", "/grabados")
    assert not rules_of(server, "imprenta").can_fetch("greedy", "/")
    assert not rules_of(server, "outlet").can_fetch("ronda", "/")
    for site in world.sites:
        delay = site.crawl_delay_seconds if site.robots is RobotsKind.CRAWL_DELAY else None
        rules = rules_of(server, site.name)
        assert str(rules.crawl_delay("ronda")) == str(delay)


def test_forbidden_pages_exist_and_are_linked(world: DemoWorld, server: DemoServer) -> None:
    """So that a test can see a crawler stay away from them."""
    for site in world.sites:
        if site.robots is RobotsKind.DISALLOW:
            assert 'href="/private/2"' in fetch(server.base_url(site)).body.decode(site.charset)
            assert fetch(server.base_url(site) + "private/2").status == 200


def test_robots_name_the_sitemap_where_there_is_one(world: DemoWorld, server: DemoServer) -> None:
    for site in world.sites:
        answer = fetch(server.base_url(site) + "robots.txt")
        if answer.status == 200 and site.robots is not RobotsKind.GARBLED:
            line = f"Sitemap: {server.base_url(site)}sitemap.xml"
            assert (line in answer.text) == site.has_sitemap
