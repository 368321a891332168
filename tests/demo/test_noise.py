from __future__ import annotations

import re
from datetime import timedelta

from ronda.demo import DemoClock, DemoServer, DemoWorld, Noise, Quirk
from tests.demo.conftest import fetch

NOISE = {
    Noise.CLOCK: re.compile(r'<p class="clock">.*?</p>'),
    Noise.VISITOR_COUNTER: re.compile(r'<p class="counter">.*?</p>'),
    Noise.ROTATING_BANNER: re.compile(r'<p class="banner">.*?</p>'),
    Noise.SESSION_LINKS: re.compile(r"\?sid=[0-9a-f]{16}"),
}


def test_noisy_sites_differ_between_fetches_by_their_noise_alone(
    world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    for site in world.sites:
        if not site.noise:
            continue
        first = fetch(server.base_url(site)).body.decode(site.charset)
        moment = clock.now() + timedelta(seconds=1)
        assert not world.changes(site, clock.now(), moment)
        clock.set(moment)
        second = fetch(server.base_url(site)).body.decode(site.charset)
        assert first != second
        for noise in site.noise:
            assert NOISE[noise].search(first)
            first, second = NOISE[noise].sub("", first), NOISE[noise].sub("", second)
        assert first == second


def test_quiet_sites_repeat_themselves(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    for site in world.sites:
        if site.noise or {Quirk.RATE_LIMITED, Quirk.OVERLOADED} & site.quirks:
            continue
        assert fetch(server.base_url(site)).body == fetch(server.base_url(site)).body


def test_session_ids_lead_to_the_same_page(server: DemoServer) -> None:
    home = fetch(server.base_url("lamps")).text
    link = re.search(r'href="(/catalogue/\?sid=\w+)"', home)
    assert link
    base = server.base_url("lamps").rstrip("/")
    with_session, without = fetch(base + link[1]).text, fetch(base + "/catalogue/").text
    mask = NOISE[Noise.SESSION_LINKS]
    assert mask.sub("", with_session) == mask.sub("", without)


def test_no_mark_is_left_behind(server: DemoServer) -> None:
    for path in ("", "nothing-here", "catalogue/"):
        text = fetch(server.base_url("velo") + path).text
        assert "<!--noise-->" not in text
        assert "0session0" not in text
