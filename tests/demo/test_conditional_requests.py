from __future__ import annotations

from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld, Validators
from tests.demo.conftest import fetch

BY_VALIDATORS = {
    Validators.ETAG: "vidrio",
    Validators.LAST_MODIFIED: "mareas",
    Validators.BOTH: "boreal",
}


def move_to_next_change(world: DemoWorld, clock: DemoClock, name: str) -> None:
    home = [c for c in world.changes(name, clock.now(), clock.now() + timedelta(days=200)) if c.path == "/"]
    clock.set(home[0].at)


@pytest.mark.parametrize(("validators", "name"), BY_VALIDATORS.items())
def test_an_unchanged_page_is_304_and_a_changed_one_is_not(
    validators: Validators, name: str, world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    assert world.site(name).validators is validators
    url = server.base_url(name)
    first = fetch(url)
    conditions = {}
    if "ETag" in first.headers:
        conditions["If-None-Match"] = first.headers["ETag"]
    if "Last-Modified" in first.headers:
        conditions["If-Modified-Since"] = first.headers["Last-Modified"]
    assert conditions
    for field, value in conditions.items():
        again = fetch(url, headers={field: value})
        assert (again.status, again.body) == (304, b"")
        assert again.headers.get("ETag") == first.headers.get("ETag")
    move_to_next_change(world, clock, name)
    for field, value in conditions.items():
        changed = fetch(url, headers={field: value})
        assert changed.status == 200
        assert changed.body != first.body


def test_the_tag_decides_when_both_conditions_are_there(server: DemoServer) -> None:
    """RFC 9110, 13.2.2."""
    url = server.base_url("boreal")
    fresh = fetch(url).headers["Last-Modified"]
    assert fetch(url, headers={"If-None-Match": '"other"', "If-Modified-Since": fresh}).status == 200
    tags = f'"other", W/{fetch(url).headers["ETag"]}'
    assert fetch(url, headers={"If-None-Match": tags}).status == 304
    assert fetch(url, headers={"If-None-Match": "*"}).status == 304


def test_last_modified_is_the_moment_of_the_last_change(
    world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    for name in ("mareas", "boreal", "imprenta"):
        given = parsedate_to_datetime(fetch(server.base_url(name)).headers["Last-Modified"])
        assert given == world.snapshot(name, "/", clock.now()).changed_at


def test_some_sites_lie_or_say_nothing(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    liar = server.base_url("pollen")
    first = fetch(liar)
    assert parsedate_to_datetime(first.headers["Last-Modified"]) == clock.now()
    clock.advance(timedelta(seconds=1))
    assert fetch(liar, headers={"If-Modified-Since": first.headers["Last-Modified"]}).status == 200
    silent = fetch(server.base_url("semillas"))
    assert not {"ETag", "Last-Modified"} & set(silent.headers)


def test_dates_are_of_the_demo_clock(clock: DemoClock, server: DemoServer) -> None:
    """Else Last-Modified would lie in the future of Date."""
    given = parsedate_to_datetime(fetch(server.base_url("boreal")).headers["Date"])
    assert given.astimezone(UTC) == clock.now().replace(microsecond=0)


@pytest.mark.parametrize("nonsense", ["yesterday", "", "Mon, 99 Foo 2025 00:00:00 GMT"])
def test_an_unreadable_date_is_ignored(nonsense: str, server: DemoServer) -> None:
    assert fetch(server.base_url("mareas"), headers={"If-Modified-Since": nonsense}).status == 200


def test_noise_does_not_spoil_a_weak_tag(server: DemoServer) -> None:
    url = server.base_url("diario-cobre")
    first = fetch(url)
    assert first.headers["ETag"].startswith('W/"')
    assert fetch(url).body != first.body
    assert fetch(url, headers={"If-None-Match": first.headers["ETag"]}).status == 304
