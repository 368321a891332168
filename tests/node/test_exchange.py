"""Exchanges with real servers, good and hostile: what comes of each, and what is kept of it."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import brotli
import pytest

from ronda_node.bandwidth import Bandwidth
from ronda_node.clock import steady_seconds
from ronda_node.content_decoding import zstd
from ronda_node.limits import Limits
from ronda_node.outcomes import Exchange, FetchRequest, Method, Outcome, Truncation
from ronda_node.pool import Pool
from ronda_node.reasons import Reason
from tests.node.origin import (
    Script,
    Visitor,
    answer_to,
    answering,
    ask,
    exchange_of,
    exchanging,
    failure_of,
    once,
    page,
    resolution,
    run,
    serve,
)

SMALL = Limits(
    header_bytes=4096, header_count=50, wire_bytes=100_000, decoded_bytes=1_000_000, memory_bytes=10_000
)
HASTY = replace(SMALL, first_byte_seconds=0.2, progress_seconds=0.1, progress_bytes=50, total_seconds=0.6)


def body_of(outcome: Outcome) -> bytes:
    exchange = exchange_of(outcome)
    try:
        return exchange.body.read()
    finally:
        exchange.body.close()


async def forever(visitor: Visitor, *parts: bytes, pause_seconds: float = 0.0) -> None:
    for part in itertools.cycle(parts):
        await visitor.send(part)
        await asyncio.sleep(pause_seconds)


def test_bytes_as_sent_and_received() -> None:
    answer = page(b"hello", b"Content-Type: text/plain", b"X-Odd:  two  spaces")
    before = datetime.now(UTC)

    async def scenario() -> tuple[Outcome, list[bytes], int]:
        async with serve(answering(answer)) as origin, exchanging() as exchanger:
            request = FetchRequest(
                "1", "", if_none_match='"tag"', if_modified_since="Mon, 01 Jan 2024 00:00:00 GMT"
            )
            outcome = await ask(exchanger, origin.url("/a b?c#d"), conditions=request)
            return outcome, origin.heads, origin.port

    outcome, heads, port = run(scenario())
    exchange = exchange_of(outcome)
    assert exchange.response_head + exchange.body.read() == answer
    assert exchange.status == 200
    assert exchange.header(b"x-odd") == b"two  spaces"
    assert exchange.peer_address == "127.0.0.1"
    assert exchange.truncated is None
    assert [exchange.request_head] == heads
    assert heads[0].decode().split("\r\n") == [
        "GET /a%20b?c HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "User-Agent: RondaBot/test (+https://ronda.example/bot)",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Connection: keep-alive",
        'If-None-Match: "tag"',
        "If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT",
        "",
        "",
    ]
    assert before <= exchange.started_at <= exchange.first_byte_at <= exchange.ended_at
    assert exchange.ended_at <= datetime.now(UTC) + timedelta(milliseconds=50)


def test_validators_cannot_smuggle_headers() -> None:
    async def scenario() -> list[bytes]:
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            request = FetchRequest("1", "", if_none_match='"a"\r\nEvil: 1', if_modified_since="\u2603")
            await ask(exchanger, origin.url(), conditions=request)
            return origin.heads

    (head,) = run(scenario())
    assert b"Evil" not in head
    assert b"If-" not in head


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_encoded_bodies_stay_encoded(encoding: str) -> None:
    encode = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstd.compress}[encoding]
    body = encode(b"hello " * 1000)
    outcome = answer_to(answering(page(body, b"Content-Encoding: " + encoding.encode())))
    assert body_of(outcome) == body
    assert exchange_of(outcome).truncated is None


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (
            CHUNKED + b"5;a=b\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n",
            b"5;a=b\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n",
        ),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: x\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n" + page(b"final"), b"final"),
        (b"HTTP/1.1 200 OK\r\nX-Latin: caf\xe9\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", b"ok"),
    ],
)
def test_kinds_of_answers(answer: bytes, body: bytes) -> None:
    outcome = answer_to(answering(answer))
    assert body_of(outcome) == body
    assert exchange_of(outcome).truncated is None


def test_head_has_no_body() -> None:
    outcome = answer_to(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"), method=Method.HEAD)
    assert body_of(outcome) == b""
    assert exchange_of(outcome).request_head.startswith(b"HEAD / ")


def test_body_until_close() -> None:
    outcome = answer_to(once(b"HTTP/1.0 200 OK\r\n\r\n", b"some ", b"text"))
    assert body_of(outcome) == b"some text"
    assert exchange_of(outcome).truncated is None


def test_body_cut_by_the_server() -> None:
    for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", CHUNKED + b"a\r\nhalf"):
        outcome = answer_to(once(answer))
        assert body_of(outcome).endswith(b"half")
        assert exchange_of(outcome).truncated is Truncation.DISCONNECT


def test_reset_is_no_clean_end() -> None:
    async def reset(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(b"HTTP/1.1 200 OK\r\n\r\nsome text")
        raw = visitor.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        visitor.writer.transport.abort()

    outcome = answer_to(reset)
    if isinstance(outcome, Exchange):
        assert outcome.truncated is Truncation.DISCONNECT
        outcome.body.close()
    else:
        # The reset may overtake the bytes.
        assert outcome.reason is Reason.DISCONNECTED


def test_broken_chunks_keep_what_came() -> None:
    outcome = answer_to(answering(CHUNKED + b"5\r\nhello\r\nnot a size\r\n"))
    assert body_of(outcome) == b"5\r\nhello\r\nnot a size\r\n"
    assert exchange_of(outcome).truncated is Truncation.UNSPECIFIED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", Reason.BAD_HTTP),
        (b"\x16\x03\x01\x02\x00", Reason.BAD_HTTP),
        (b"HTTP/1.1 twohundred OK\r\n\r\n", Reason.BAD_HTTP),
        (b"HTTP/2 200\r\n\r\n", Reason.BAD_HTTP),
        (b"RTSP/1.0 200 OK\r\n\r\n", Reason.BAD_HTTP),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", Reason.BAD_HTTP),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", Reason.BAD_HTTP),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Reason.BAD_HTTP),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", Reason.BAD_HTTP),
        (b"<html>HTTP/0.9</html>", Reason.BAD_HTTP),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 60 + b"\r\n", Reason.TOO_MANY_HEADERS),
        (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 5000 + b"\r\n\r\n", Reason.TOO_MANY_HEADERS),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 400, Reason.TOO_MANY_HEADERS),
        (b"\r\n" * 4000, Reason.TOO_MANY_HEADERS),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\n\r\n", Reason.NESTED_ENCODING),
    ],
)
def test_answers_of_no_use(answer: bytes, reason: Reason) -> None:
    failure = failure_of(answer_to(answering(answer), limits=SMALL))
    assert failure.reason is reason
    assert failure.peer_address == "127.0.0.1"
    assert failure.detail


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Le"])
def test_server_that_leaves_early(answer: bytes) -> None:
    assert failure_of(answer_to(once(answer))).reason is Reason.DISCONNECTED


async def silence(visitor: Visitor) -> None:
    await asyncio.Event().wait()


async def endless_headers(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n")
    await forever(visitor, b"X: y\r\n")


async def dripping_headers(visitor: Visitor) -> None:
    await visitor.request()
    await forever(
        visitor, *[bytes([byte]) for byte in b"HTTP/1.1 200 OK\r\nX-Drip: " + b"a" * 100], pause_seconds=0.01
    )


async def dripping_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"first part " * 10)
    await forever(visitor, b"x", pause_seconds=0.01)


async def steady_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n\r\n")
    await forever(visitor, b"x" * 100, pause_seconds=0.02)


async def endless_body(visitor: Visitor) -> None:
    await visitor.request()
    await visitor.send(b"HTTP/1.1 200 OK\r\n\r\n")
    await forever(visitor, b"0123456789" * 1000)


def endless_bomb(encoding: bytes, bomb: bytes) -> Script:
    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(CHUNKED[:-2] + b"Content-Encoding: " + encoding + b"\r\n\r\n")
        await forever(visitor, b"%x\r\n%s\r\n" % (len(bomb), bomb))

    return script


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (silence, Reason.TIMEOUT),
        (dripping_headers, Reason.TIMEOUT),
        (endless_headers, Reason.TOO_MANY_HEADERS),
    ],
)
def test_servers_that_never_get_to_the_point(script: Script, reason: Reason) -> None:
    failure = failure_of(answer_to(script, limits=HASTY))
    assert failure.reason is reason
    assert failure.total_seconds < 5


@pytest.mark.parametrize(
    ("script", "truncated"), [(dripping_body, Truncation.TIME), (steady_body, Truncation.TIME)]
)
def test_slow_bodies_are_cut(script: Script, truncated: Truncation) -> None:
    outcome = answer_to(script, limits=HASTY)
    assert len(body_of(outcome)) >= 100
    assert exchange_of(outcome).truncated is truncated
    # The drip is noticed at once, the steady one only when its time is over.
    assert (exchange_of(outcome).total_seconds < 0.5) is (script is dripping_body)


def test_long_bodies_are_cut_to_the_byte() -> None:
    outcome = answer_to(endless_body, limits=SMALL)
    assert body_of(outcome) == b"0123456789" * 10_000
    assert exchange_of(outcome).truncated is Truncation.LENGTH


@pytest.mark.parametrize(
    ("encoding", "bomb"),
    [
        (b"gzip", gzip.compress(b"\0" * 2_000_000)),
        (b"br", brotli.compress(b"\0" * 2_000_000)),
        (b"zstd", zstd.compress(b"\0" * 2_000_000)),
        (b"gzip, br", brotli.compress(gzip.compress(b"\0" * 20_000_000))),
    ],
)
def test_bombs_are_cut(encoding: bytes, bomb: bytes) -> None:
    outcome = answer_to(endless_bomb(encoding, bomb), limits=SMALL)
    assert len(body_of(outcome)) < SMALL.wire_bytes
    assert exchange_of(outcome).truncated is Truncation.LENGTH


def test_large_bodies_wait_in_a_file() -> None:
    body = bytes(range(256)) * 200
    exchange = exchange_of(answer_to(answering(page(body)), limits=SMALL))
    assert not exchange.body.is_in_memory
    assert exchange.body.read() == exchange.body.read() == body
    exchange.body.close()


def test_nobody_there() -> None:
    with socket.socket() as bound:
        # Bound, but not listening: nobody else takes this port meanwhile.
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]

        async def scenario() -> Outcome:
            async with exchanging() as exchanger:
                return await ask(exchanger, f"http://127.0.0.1:{port}/")

        failure = failure_of(run(scenario()))
    assert failure.reason is Reason.CONNECT
    assert "127.0.0.1" in failure.detail


def test_connections_are_kept() -> None:
    async def scenario() -> tuple[int, list[int]]:
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            for _ in range(5):
                exchange_of(await ask(exchanger, origin.url()))
            return len(origin.visitors), [len(visitor.heads) for visitor in origin.visitors]

    assert run(scenario()) == (1, [5])


def test_connection_closed_between_two_requests() -> None:
    """The server closed while we looked away: asked again, once, on a fresh connection."""

    async def two_each(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(page())
        # Closing on the second request is what a server does whose idle time ended that very moment.
        await visitor.request()

    async def scenario() -> tuple[list[int], int]:
        async with serve(two_each) as origin, exchanging() as exchanger:
            found = [exchange_of(await ask(exchanger, origin.url())).status for _ in range(3)]
            return found, len(origin.visitors)

    assert run(scenario()) == ([200, 200, 200], 3)


def test_fresh_connection_is_not_tried_again() -> None:
    async def scenario() -> tuple[Outcome, int]:
        async with serve(once()) as origin, exchanging() as exchanger:
            return await ask(exchanger, origin.url()), len(origin.visitors)

    outcome, visitors = run(scenario())
    assert failure_of(outcome).reason is Reason.DISCONNECTED
    assert visitors == 1


def test_garbage_after_an_answer_is_not_the_next_answer() -> None:
    evil = page(b"first") + page(b"evil", status=b"500 Evil")

    async def scenario() -> tuple[list[bytes], int]:
        async with serve(answering(evil, page(b"second"))) as origin, exchanging() as exchanger:
            bodies = [body_of(await ask(exchanger, origin.url())) for _ in range(2)]
            return bodies, len(origin.visitors)

    assert run(scenario()) == ([b"first", b"second"], 2)


def test_unasked_bytes_on_an_idle_connection() -> None:
    async def scenario() -> list[bytes]:
        sent = asyncio.Event()

        async def script(visitor: Visitor) -> None:
            await visitor.request()
            await visitor.send(page(b"first"))
            if not sent.is_set():
                await visitor.send(page(b"evil"))
                sent.set()
            await visitor.request()

        async with serve(script) as origin, exchanging() as exchanger:
            first = body_of(await ask(exchanger, origin.url()))
            await sent.wait()
            return [first, body_of(await ask(exchanger, origin.url()))]

    assert run(scenario()) == [b"first", b"first"]


def test_idle_connections_end() -> None:
    async def scenario() -> None:
        gone = asyncio.Event()

        async def script(visitor: Visitor) -> None:
            await visitor.request()
            await visitor.send(page())
            assert await visitor.request() == b""
            gone.set()

        async with serve(script) as origin, exchanging(pool=Pool(idle_seconds=0.02)) as exchanger:
            await ask(exchanger, origin.url())
            await gone.wait()

    run(scenario())


def test_pool_is_bounded() -> None:
    async def scenario() -> int:
        async with serve(answering(page())) as origin, exchanging(pool=Pool(most_idle=2)) as exchanger:
            for host in ("a.example", "b.example", "c.example", "a.example", "c.example"):
                await ask(exchanger, origin.url(host=host))
            return len(origin.visitors)

    assert run(scenario()) == 4


def test_bandwidth_is_capped() -> None:
    body = b"x" * 60_000

    async def scenario() -> tuple[float, int]:
        bandwidth = Bandwidth(200_000, burst_seconds=0.05)
        async with serve(answering(page(body))) as origin, exchanging(bandwidth=bandwidth) as exchanger:
            began = asyncio.get_running_loop().time()
            for _ in range(2):
                assert body_of(await ask(exchanger, origin.url())) == body
            return asyncio.get_running_loop().time() - began, bandwidth.total_bytes

    seconds, total_bytes = run(scenario())
    assert total_bytes > 120_000
    # 120,000 bytes less the burst of 10,000 and the debt of one read (64 KiB at most) take at least this long.
    assert seconds > 0.2


def test_less_time_when_told() -> None:
    async def scenario() -> Outcome:
        async with serve(silence) as origin, exchanging() as exchanger:
            return await ask(exchanger, origin.url(), within_seconds=0.05)

    assert failure_of(run(scenario())).reason is Reason.TIMEOUT


def test_closing_ends_what_runs() -> None:
    async def scenario() -> list[Outcome]:
        asked = asyncio.Event()

        async def half(visitor: Visitor) -> None:
            await visitor.request()
            await visitor.send(b"HTTP/1.1 200 OK\r\n\r\nhalf")
            asked.set()
            await asyncio.Event().wait()

        async with serve(half) as origin, exchanging() as exchanger:
            running = asyncio.create_task(ask(exchanger, origin.url()))
            await asked.wait()
            exchanger.close()
            return [await running, await ask(exchanger, origin.url())]

    assert [failure_of(outcome).reason for outcome in run(scenario())] == [Reason.STOPPED, Reason.STOPPED]


def test_cancelling_closes_the_connection() -> None:
    async def scenario() -> None:
        gone, asked = asyncio.Event(), asyncio.Event()

        async def script(visitor: Visitor) -> None:
            await visitor.request()
            asked.set()
            assert await visitor.request() == b""
            gone.set()

        async with serve(script) as origin, exchanging() as exchanger:
            running = asyncio.create_task(ask(exchanger, origin.url()))
            await asked.wait()
            running.cancel()
            await gone.wait()
            assert running.cancelled()

    run(scenario())


def test_nothing_is_asked_after_the_machine_slept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fell asleep while a name was looked up, and woke up after the time for the whole exchange."""
    slept_seconds = 0.0
    monkeypatch.setattr("ronda_node.exchange.steady_seconds", lambda: steady_seconds() + slept_seconds)

    async def asleep(name: str) -> list[str]:
        nonlocal slept_seconds
        slept_seconds = 3600.0
        return ["127.0.0.1"]

    async def scenario() -> tuple[Outcome, int]:
        async with (
            serve(answering(page())) as origin,
            exchanging(resolution=resolution(lookup=asleep)) as exchanger,
        ):
            return await ask(exchanger, origin.url("/", "a.example")), len(origin.heads)

    outcome, asked = run(scenario())
    assert failure_of(outcome).reason is Reason.TIMEOUT
    assert asked == 0
