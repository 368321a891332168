"""One request through redirects: followed on its host, reported elsewhere, never endless."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ronda_node.fetcher import Fetched, Fetcher, NotFollowed
from ronda_node.outcomes import Exchange, Failure, FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.reasons import Reason
from ronda_node.urls import CanonicalUrl
from tests.node.origin import Origin, Script, Visitor, exchanging, page, run, serve


def redirecting(where: Callable[[str], str | bytes | None]) -> Script:
    """302 to what `where` says of a path, a page where it says nothing."""

    async def script(visitor: Visitor) -> None:
        while head := await visitor.request():
            target = where(head.split(b" ")[1].decode())
            if target is None:
                await visitor.send(page(b"arrived"))
            else:
                location = target if isinstance(target, bytes) else target.encode()
                await visitor.send(page(b"gone", b"Location: " + location, status=b"302 Found"))

    return script


async def always(seconds: float) -> bool:
    return True


def fetch(
    where: Callable[[str], str | bytes | None],
    path: str = "/0",
    may_fetch: Callable[[CanonicalUrl], bool] = lambda url: True,
    pause: Callable[[float], object] = always,
) -> tuple[Fetched, Origin]:
    async def scenario() -> tuple[Fetched, Origin]:
        async with serve(redirecting(where)) as origin, exchanging() as exchanger:
            request = FetchRequest("r1", origin.url(path), if_none_match='"x"')
            fetcher = Fetcher(exchanger, ANYWHERE)
            return await fetcher.fetch(request, may_fetch=may_fetch, pause=pause), origin  # type: ignore[arg-type]

    return run(scenario())


def test_followed_on_the_same_host() -> None:
    pauses = []

    async def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return True

    fetched, origin = fetch({"/0": "1", "/1": "/2?x=y", "/2?x=y": None}.get, pause=pause)
    assert origin.paths == ["/0", "/1", "/2?x=y"]
    assert [exchange.status for exchange in fetched.exchanges] == [302, 302, 200]
    assert fetched.redirect is None
    assert len(pauses) == 2
    # Validators belong to the URL they were given for.
    assert [b"If-None-Match" in head for head in origin.heads] == [True, False, False]


def test_at_most_five() -> None:
    fetched, origin = fetch(lambda path: str(int(path[1:]) + 1))
    assert origin.paths == ["/0", "/1", "/2", "/3", "/4", "/5"]
    assert fetched.redirect
    assert fetched.redirect.reason is NotFollowed.TOO_MANY
    assert len(fetched.exchanges) == 6


def test_loops_end() -> None:
    for where in ({"/0": "/0"}, {"/0": "/1", "/1": "/0#again"}):
        fetched, origin = fetch(where.get)
        assert len(origin.paths) == len(where)
        assert fetched.redirect
        assert fetched.redirect.reason is NotFollowed.LOOP


@pytest.mark.parametrize(
    ("location", "reported", "reason"),
    [
        ("http://elsewhere.example/x#y", "http://elsewhere.example/x", NotFollowed.OTHER_HOST),
        ("//elsewhere.example", "http://elsewhere.example/", NotFollowed.OTHER_HOST),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1/", NotFollowed.OTHER_HOST),
        ("http://localhost/", "http://localhost/", NotFollowed.OTHER_HOST),
        ("ftp://elsewhere.example/", "ftp://elsewhere.example/", NotFollowed.REFUSED),
        ("http://user@127.0.0.1/", "http://user@127.0.0.1/", NotFollowed.REFUSED),
    ],
)
def test_other_hosts_are_only_reported(location: str, reported: str, reason: NotFollowed) -> None:
    fetched, origin = fetch({"/0": location}.get)
    assert origin.paths == ["/0"]
    assert fetched.redirect
    assert (fetched.redirect.location, fetched.redirect.reason) == (reported, reason)
    assert [exchange.status for exchange in fetched.exchanges] == [302]


def test_rules_hold_for_redirects() -> None:
    fetched, origin = fetch({"/0": "/private"}.get, may_fetch=lambda url: url.target != "/private")
    assert origin.paths == ["/0"]
    assert fetched.redirect
    assert fetched.redirect.reason is NotFollowed.NOT_ALLOWED


def test_rules_hold_for_the_first_url() -> None:
    fetched, origin = fetch({}.get, may_fetch=lambda url: False)
    assert origin.paths == []
    assert isinstance(fetched.last, Failure)
    assert fetched.last.reason is Reason.NOT_ALLOWED


def test_no_time_for_another_step() -> None:
    async def pause(seconds: float) -> bool:
        return False

    fetched, origin = fetch({"/0": "/1"}.get, pause=pause)
    assert origin.paths == ["/0"]
    assert fetched.redirect
    assert fetched.redirect.reason is NotFollowed.NO_TIME


def test_locations_beyond_ascii() -> None:
    for location, path in (("/ñ".encode(), "/%C3%B1"), (b"/\xf1", "/%F1")):
        _, origin = fetch(lambda asked, location=location: location if asked == "/0" else None)
        assert origin.paths == ["/0", path]


def test_redirect_without_location() -> None:
    async def script(visitor: Visitor) -> None:
        while await visitor.request():
            await visitor.send(page(status=b"301 Moved"))

    async def scenario() -> Fetched:
        async with serve(script) as origin, exchanging() as exchanger:
            return await Fetcher(exchanger, ANYWHERE).fetch(FetchRequest("r", origin.url()))

    fetched = run(scenario())
    assert fetched.redirect is None
    assert isinstance(fetched.last, Exchange)


def test_refused_url_is_a_failure() -> None:
    async def scenario() -> Fetched:
        async with exchanging() as exchanger:
            return await Fetcher(exchanger).fetch(FetchRequest("r", "gopher://x"))

    fetched = run(scenario())
    assert isinstance(fetched.last, Failure)
    assert (fetched.last.reason, fetched.last.url) == (Reason.SCHEME, "gopher://x")
