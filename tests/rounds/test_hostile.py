"""Sites that mean harm, or are just broken: the capture ends with an honest outcome, and memory stays bounded."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.rounds import schedule, steps, traps, visiting
from ronda.rounds.models import PageState, Visit, VisitOutcome
from ronda.rounds.selecting import LED_ON_TOO_OFTEN, MOST_MOVES, NO_MORE_PAGES, NO_MORE_PARTS
from ronda_node.limits import Limits
from tests.node.origin import Visitor
from tests.rounds.at_hand import Rounds
from tests.rounds.scripted_sites import HTML, send_page, site

MEGABYTE = 1024**2
# As a node has them, smaller, so that tests are quick.
LIMITS = Limits(
    first_byte_seconds=2,
    progress_seconds=1,
    total_seconds=4,
    wire_bytes=4 * MEGABYTE,
    decoded_bytes=8 * MEGABYTE,
)


@pytest.fixture
def careful(rounds: Rounds) -> Rounds:
    rounds.limits = LIMITS
    return rounds


def page_at(visit: Visit, path: str) -> tuple[str, int, str]:
    page = visit.pages.get(url__endswith=path)
    return page.state, page.status, page.capture.truncated if page.capture else page.reason


def test_endless_links(careful: Rounds) -> None:
    """Each page leads to new ones: deeper, with other numbers, other words, other fields, and one into itself."""

    async def answer(path: str, visitor: Visitor) -> None:
        base = path.partition("?")[0].rstrip("/")
        number = sum(path.encode())
        links = [
            f"{base}/deeper",
            f"/n/{number}",
            f"/w/{'abcdefghij'[number % 10]}{base[-5:]}x",
            f"?f{number}=1",
            "again/",
        ]
        await send_page(visitor, "".join(f'<a href="{link}">x</a>' for link in links).encode())

    with site(answer) as url:
        source = careful.follow(url, depth=10_000, max_pages=120)
        visit = careful.visit(source)
    assert (visit.outcome, visit.reason) == ("captured", "ended at 120 pages")
    assert visit.requests <= 121 + 1
    assert {traps.REPEATING, NO_MORE_PAGES} <= set(visit.left_out)


def test_page_of_ten_thousand_links_and_parts(careful: Rounds) -> None:
    async def answer(path: str, visitor: Visitor) -> None:
        links = "".join(f'<a href="/page-{n}">x</a><img src="/part-{n}.png">' for n in range(10_000))
        await send_page(visitor, (links if path == "/" else "leaf").encode())

    with site(answer) as url:
        source = careful.follow(url, max_pages=8)
        visit = careful.visit(source)
    assert (visit.outcome, visit.reason) == ("captured", "ended at 8 pages")
    assert visit.left_out[NO_MORE_PAGES] == 10_000 - 7
    assert visit.left_out[NO_MORE_PARTS] == 10_000 - 200
    assert visit.pages.filter(state=PageState.LEFT).count() == 1000, "the rest is only counted"


def test_odd_answers(careful: Rounds) -> None:
    """Large, slow, packed, cut off, mislabelled, unreadable: each an outcome of its own, and none of the capture."""
    endless = b"x" * 65536
    bomb = gzip.compress(b'<a href="/from-the-bomb">x</a>' + b" " * 100 * MEGABYTE, 9)

    async def answer(path: str, visitor: Visitor) -> None:
        match path:
            case "/":
                names = "huge slow bomb short long broken headers schemes loop nowhere"
                await send_page(
                    visitor, "".join(f'<a href="/{name}">x</a>' for name in names.split()).encode()
                )
            case "/huge":
                await visitor.send(HTML + b"Content-Length: 1073741824\r\n\r\n", *[endless] * 16384)
            case "/slow":
                await visitor.send(HTML + b"Content-Length: 100\r\n\r\n")
                for _ in range(100):
                    await visitor.send(b"x")
                    await asyncio.sleep(0.2)
            case "/bomb":
                await send_page(visitor, bomb, b"Content-Encoding: gzip")
            case "/short":
                await visitor.send(HTML + b"Content-Length: 5000\r\n\r\nshort")
                visitor.writer.close()
            case "/long":
                await visitor.send(HTML + b"Content-Length: 5\r\n\r\nlonger than it says")
                visitor.writer.close()
            case "/broken":
                await send_page(
                    visitor, b'<html><<a href="/found"><p <a href=/also>\xff\xfe</b></html' + b"<div>" * 9000
                )
            case "/headers":
                odd = (
                    b"X-Odd: \xfc\xfe",
                    b"Content-Language: \xe4\xff",
                    b"Last-Modified: \xfe",
                    b"ETag: \xff\xfe",
                    b"Set-Cookie: \x80",
                )
                await send_page(visitor, b"<p>odd", *odd)
            case "/schemes":
                links = "javascript:x() data:text/html,x mailto:a@b ftp://f/ http:// http://[ ws://w/ //  http://a:99999/"
                await send_page(
                    visitor, "".join(f'<a href="{link}">x</a>' for link in links.split(" ")).encode()
                )
            case "/loop":
                await visitor.send(b"HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n")
            case "/nowhere":
                await visitor.send(
                    b"HTTP/1.1 302 \xff\r\nLocation: http://\xff\xfe/\r\nContent-Length: 0\r\n\r\n"
                )
            case _:
                await send_page(visitor, b"leaf")

    tracemalloc.start()
    with site(answer) as url:
        source = careful.follow(url, max_pages=50)
        visit = careful.visit(source)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert visit.outcome == VisitOutcome.CAPTURED
    assert page_at(visit, "/huge") == ("done", 200, "length")
    assert page_at(visit, "/slow") == ("done", 200, "time")
    assert page_at(visit, "/bomb")[2] == "length"
    assert page_at(visit, "/short") == ("done", 200, "disconnect")
    assert page_at(visit, "/long") == ("done", 200, "")
    assert page_at(visit, "/headers")[1] == 200
    assert page_at(visit, "/loop") == ("done", 302, "")
    assert page_at(visit, "/nowhere") == ("done", 302, "")
    assert page_at(visit, "/found")[0] == page_at(visit, "/also")[0] == "done"
    asked = visit.pages.exclude(state=PageState.LEFT).values_list("url", flat=True)
    assert {one.split("/")[2] for one in asked} == {url.split("/")[2]}
    assert source.versions.get().documents == Capture.objects.filter(visit=visit.pk, status__lt=400).count()
    assert peak < 120 * MEGABYTE


def test_entry_that_never_answers(careful: Rounds) -> None:
    async def answer(path: str, visitor: Visitor) -> None:
        await asyncio.sleep(20)

    with site(answer) as url:
        source = careful.follow(url)
        visit = careful.visit(source)
    assert (visit.outcome, visit.reason) == ("down", "timeout")


def test_redirects_between_hosts_that_never_end(careful: Rounds) -> None:
    async def answer(path: str, visitor: Visitor) -> None:
        number = int(path.rpartition("/")[2] or 0) + 1
        host = b"127.0.0.%d" % (1 + number % 2)
        port = visitor.writer.get_extra_info("sockname")[1]
        location = b"http://%s:%d/%d" % (host, port, number)
        await visitor.send(b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n")

    with site(answer) as url:
        source = careful.follow(url)
        visit = careful.visit(source)
    assert visit.outcome == VisitOutcome.DOWN
    assert visit.requests < 12


def test_redirects_and_refreshes_that_never_end_cost_only_themselves(careful: Rounds) -> None:
    async def answer(path: str, visitor: Visitor) -> None:
        name, number = path[1:6], int(path[6:] or 0) if path[1:6] in ("chain", "fresh") else 0
        if path == "/":
            links = ["chain0", "fresh0", *(f"a{letter}" for letter in "bcdefghijk")]
            await send_page(visitor, "".join(f'<a href="/{link}">x</a>' for link in links).encode())
        elif name == "chain":
            location = b"Location: /chain%d\r\n" % (number + 1)
            await visitor.send(b"HTTP/1.1 302 Found\r\n" + location + b"Content-Length: 0\r\n\r\n")
        elif name == "fresh":
            await send_page(visitor, b'<meta http-equiv="refresh" content="0; url=/fresh%d">' % (number + 1))
        else:
            await send_page(visitor, b'<a href="/behind%s">x</a>' % path[1:].encode())

    with site(answer) as url:
        source = careful.follow(url, max_pages=60, depth=2)
        visit = careful.visit(source)
    assert (visit.outcome, visit.reason) == ("captured", "")
    assert visit.left_out[LED_ON_TOO_OFTEN] == 2
    done = visit.pages.filter(state=PageState.DONE)
    assert done.filter(url__contains="/behind").count() == 10
    assert done.filter(url__contains="/fresh").count() == MOST_MOVES + 1
    assert done.filter(url__contains="/chain").count() <= 2 * (MOST_MOVES + 1)


def test_time_that_ends_before_an_answer_is_no_fault_of_the_source(rounds: Rounds) -> None:
    source = rounds.follow("http://127.0.0.1:9/", max_seconds=10)
    visiting.open_due_visits()
    visit = source.visits.get()
    steps.go_on(visit.pk)
    # Whoever asks is still waiting when the time is over.
    Visit.objects.filter(pk=visit.pk).update(capture_began_at=timezone.now() - timedelta(seconds=11))
    steps.go_on(visit.pk)
    visit.refresh_from_db()
    source.refresh_from_db()
    assert (visit.outcome, visit.reason) == ("exhausted", "ended after 10 seconds")
    assert (source.failed_visits, source.next_visit_because) == (0, schedule.EXHAUSTED)
