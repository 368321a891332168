"""What the server serves changes exactly when the schedule says, and only then."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from ronda.demo import ChangeKind, DemoClock, DemoServer, DemoWorld, serve_in_thread
from tests.demo.conftest import fetch

TAGS = re.compile(r"<[^>]+>")
QUIET = [site.name for site in DemoWorld().sites if not site.noise and not site.quirks]


def words_of(html: bytes, charset: str) -> list[str]:
    main = html.decode(charset).split("<main>")[1].split("</main>")[0]
    return TAGS.sub(" ", main).split()


def tree_of(html: bytes, charset: str) -> list[str]:
    return re.findall(r"</?([a-z0-9]+)", html.decode(charset).split("<main>")[1].split("</main>")[0])


@pytest.mark.parametrize("name", [*QUIET[::3], "quay-courier"])
def test_pages_change_at_the_scheduled_second_and_not_before(
    name: str, world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    site = world.site(name)
    base, since = server.base_url(site).rstrip("/"), world.epoch + timedelta(days=100)
    changes = [c for c in world.changes(site, since, since + timedelta(days=40)) if not c.is_mass][:12]
    for change in changes:
        clock.set(change.at - timedelta(seconds=1))
        before = fetch(base + change.path).body
        clock.set(change.at)
        after = fetch(base + change.path).body
        assert before != after
        is_same_text = words_of(before, site.charset) == words_of(after, site.charset)
        is_same_tree = tree_of(before, site.charset) == tree_of(after, site.charset)
        if change.kind is ChangeKind.CONTENT:
            assert not is_same_text
        elif change.kind is ChangeKind.VIEW:
            assert is_same_text
            assert is_same_tree
        else:
            assert not is_same_tree
            assert sorted(words_of(before, site.charset)) == sorted(words_of(after, site.charset))


def test_a_walk_through_time_meets_every_change_once(
    world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    """Visit every page of a site every six hours for two weeks: what differs is what the schedule lists."""
    site, start, step = world.site("boreal"), world.epoch + timedelta(days=300), timedelta(hours=6)
    base, paths = server.base_url(site).rstrip("/"), [page.path for page in world.pages(site)]
    clock.set(start)
    seen = {path: fetch(base + path).body for path in paths}
    for number in range(1, 56):
        now = start + number * step
        clock.set(now)
        changes = world.changes(site, now - step, now)
        for path in paths:
            body = fetch(base + path).body
            own = [change for change in changes if change.path == path]
            has_changed = body != seen[path]
            assert has_changed == bool(own) or any(change.is_return for change in own)
            seen[path] = body


def test_returns_bring_the_same_bytes_back(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    site = world.site("water-board")
    changes = world.changes(site, world.epoch, world.epoch + timedelta(days=700))
    change = next(change for change in changes if change.is_return)
    earlier = [other for other in changes if other.path == change.path and other.at < change.at][-1]
    url = server.base_url(site).rstrip("/") + change.path
    clock.set(earlier.at - timedelta(seconds=1))
    before = fetch(url)
    clock.set(change.at)
    after = fetch(url)
    assert after.body == before.body
    assert after.headers["ETag"] == before.headers["ETag"]
    assert after.headers["Last-Modified"] != before.headers["Last-Modified"]


def test_stories_appear_with_the_change_that_publishes_them(
    world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    site, since = world.site("regatta"), world.epoch + timedelta(days=50)
    change = next(c for c in world.changes(site, since, since + timedelta(days=30)) if c.story)
    base, path = server.base_url(site).rstrip("/"), change.published_path
    assert path is not None
    clock.set(change.at - timedelta(seconds=1))
    assert fetch(base + path).status == 404
    assert f'href="{path}"' not in fetch(base + "/").text
    clock.set(change.at)
    story = fetch(base + path)
    assert story.status == 200
    assert f'href="{path}"' in fetch(base + "/").text
    clock.advance(timedelta(days=900))
    assert fetch(base + path).body == story.body


def test_two_servers_of_one_seed_serve_equal_pages(server: DemoServer, clock: DemoClock) -> None:
    """Only the port in links to other sites may differ, and the tag does not follow it."""
    with serve_in_thread(DemoWorld(7), DemoClock(clock.now(), speed=0)) as other:
        for name in QUIET:
            one, two = fetch(server.base_url(name)), fetch(other.base_url(name))
            port = f":{server.port}/".encode()
            assert one.body.replace(port, f":{other.port}/".encode()) == two.body
            assert one.headers.get("ETag") == two.headers.get("ETag")


def test_time_goes_by_on_the_sockets_too(world: DemoWorld) -> None:
    """At a day a second a page of news changes while we look."""
    clock = DemoClock(world.epoch + timedelta(days=30), speed=86_400)
    with serve_in_thread(world, clock) as server:
        url = server.base_url("regatta")
        first, started_at = fetch(url).body, clock.now()
        while fetch(url).body == first:
            assert clock.now() - started_at < timedelta(days=10)
        assert world.changes("regatta", started_at, clock.now())
