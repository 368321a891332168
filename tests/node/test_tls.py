"""TLS: the certificate is checked for the name, while the connection goes to the vetted address."""

from __future__ import annotations

import ssl

import pytest
import trustme

from ronda_node.dialling import tls_context
from ronda_node.outcomes import Outcome
from ronda_node.reasons import Reason
from tests.node.origin import (
    Visitor,
    answering,
    ask,
    exchange_of,
    exchanging,
    failure_of,
    once,
    page,
    run,
    serve,
)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def server_context(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def client_context(authority: trustme.CA) -> ssl.SSLContext:
    context = tls_context()
    authority.configure_trust(context)
    return context


def test_name_is_sent_and_checked(authority: trustme.CA) -> None:
    names: list[str | None] = []
    context = server_context(authority, "site.example")
    context.sni_callback = lambda _, name, __: names.append(name)

    async def scenario() -> list[Outcome]:
        async with (
            serve(answering(page(b"secret")), context) as origin,
            exchanging(tls=client_context(authority)) as exchanger,
        ):
            url = origin.url(host="site.example", scheme="https")
            return [await ask(exchanger, url), await ask(exchanger, url)]

    for outcome in run(scenario()):
        exchange = exchange_of(outcome)
        assert exchange.body.read() == b"secret"
        assert exchange.peer_address == "127.0.0.1"
    assert names == ["site.example"]


def test_wrong_name_and_unknown_authority(authority: trustme.CA) -> None:
    async def scenario(host: str, trusted: trustme.CA) -> Outcome:
        async with (
            serve(answering(page()), server_context(authority, "site.example")) as origin,
            exchanging(tls=client_context(trusted)) as exchanger,
        ):
            return await ask(exchanger, origin.url(host=host, scheme="https"))

    for host, trusted in (("other.example", authority), ("site.example", trustme.CA())):
        failure = failure_of(run(scenario(host, trusted)))
        assert failure.reason is Reason.TLS
        assert "certificate" in failure.detail


def test_not_tls_at_all() -> None:
    async def garbage(visitor: Visitor) -> None:
        await visitor.reader.read(10)
        await visitor.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def scenario() -> Outcome:
        async with serve(garbage) as origin, exchanging() as exchanger:
            return await ask(exchanger, origin.url(scheme="https"))

    assert failure_of(run(scenario())).reason is Reason.TLS


def test_body_until_close(authority: trustme.CA) -> None:
    async def scenario() -> Outcome:
        async with (
            serve(
                once(b"HTTP/1.0 200 OK\r\n\r\nall of it"), server_context(authority, "site.example")
            ) as origin,
            exchanging(tls=client_context(authority)) as exchanger,
        ):
            return await ask(exchanger, origin.url(host="site.example", scheme="https"))

    exchange = exchange_of(run(scenario()))
    assert exchange.body.read() == b"all of it"
    assert exchange.truncated is None
