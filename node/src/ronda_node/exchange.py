"""One request, one answer: resolve and vet, connect to that very address, exchange, and keep the bytes."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, replace

from ronda_node.bandwidth import Bandwidth
from ronda_node.clock import steady_seconds, utc_now
from ronda_node.connection import Connection, Ending
from ronda_node.dialling import Dial, Dialler, ExchangeFailed, dial, tls_context
from ronda_node.limits import Limits
from ronda_node.outcomes import Exchange, Failure, FetchRequest, Method, Outcome
from ronda_node.pool import Door, Pool
from ronda_node.reasons import Reason
from ronda_node.request_head import RequestHead
from ronda_node.resolution import Resolution
from ronda_node.response_reader import ResponseReader, ResponseRefused
from ronda_node.urls import CanonicalUrl


@dataclass(frozen=True, slots=True)
class _Order:
    """`ends` is by `steady_seconds`: what was planned before the machine slept is not done after it."""

    method: Method
    url: CanonicalUrl
    head: bytes
    ends: float


class Exchanger:
    """Safe for any number of exchanges at once. It knows no cookies, no proxies and no environment."""

    def __init__(
        self,
        *,
        user_agent: str,
        resolution: Resolution,
        limits: Limits | None = None,
        pool: Pool | None = None,
        bandwidth: Bandwidth | None = None,
        tls: ssl.SSLContext | None = None,
        dial: Dial = dial,
    ) -> None:
        self.limits = limits or Limits()
        self.bandwidth = bandwidth or Bandwidth()
        self.is_closed = False
        self._head = RequestHead(user_agent)
        self._resolution = resolution
        self._pool = pool or Pool()
        self._dialler = Dialler(bandwidth=self.bandwidth, tls=tls or tls_context(), dial=dial)
        self._busy: set[Connection] = set()

    async def exchange(
        self,
        method: Method,
        url: CanonicalUrl,
        *,
        conditions: FetchRequest | None = None,
        within_seconds: float | None = None,
    ) -> Outcome:
        """Never raises for what a name, a network or a server does. `within_seconds` only shortens limits."""
        clock = asyncio.get_running_loop().time
        started_at, started = utc_now(), clock()
        seconds = self.limits.total_seconds
        if within_seconds is not None:
            seconds = min(seconds, within_seconds)
        order = _Order(method, url, self._head.of(method, url, conditions), steady_seconds() + seconds)
        try:
            return await self._attempt(order)
        except ExchangeFailed as failed:
            return Failure(
                url=url.text,
                reason=Reason.STOPPED if self.is_closed else failed.reason,
                detail=failed.detail,
                started_at=started_at,
                total_seconds=clock() - started,
                peer_address=failed.peer_address,
            )

    async def address_of(self, url: CanonicalUrl) -> str | None:
        """Which address its host has; of several always the same one, in whatever order they come."""
        resolved = await self._resolution.resolve(url.host, within_seconds=self.limits.dns_seconds)
        return min(resolved.addresses, default=None)

    def close(self) -> None:
        """End the exchanges that run, as `stopped`, and begin no more."""
        self.is_closed = True
        self._pool.close()
        for connection in list(self._busy):
            connection.abort()

    def open(self) -> None:
        """After `close`, once all that ran has ended."""
        self.is_closed = False

    async def _attempt(self, order: _Order) -> Exchange:
        if self.is_closed:
            raise ExchangeFailed(Reason.STOPPED, "This node is stopping.")
        url, limits = order.url, self.limits
        resolved = await self._resolution.resolve(
            url.host, within_seconds=min(limits.dns_seconds, _left(order))
        )
        if resolved.reason:
            raise ExchangeFailed(resolved.reason, resolved.detail)
        doors = [Door(url.scheme, url.host, url.port, address) for address in resolved.addresses]
        for door in doors:
            connection = self._pool.take(door)
            if connection and (exchange := await self._run(order, connection, door, is_kept=True)):
                return exchange
        connection, door = await self._dialler.open(doors, min(limits.connect_seconds, _left(order)))
        if exchange := await self._run(order, connection, door, is_kept=False):
            return exchange
        raise ExchangeFailed(Reason.DISCONNECTED, "The server closed without an answer.", door.address)

    async def _run(
        self, order: _Order, connection: Connection, door: Door, *, is_kept: bool
    ) -> Exchange | None:
        """None if a kept connection was dead before it answered anything: worth one fresh try."""
        limits = self.limits
        if self.is_closed or not (left := _left(order)):
            connection.abort()
            reason = Reason.STOPPED if self.is_closed else Reason.TIMEOUT
            raise ExchangeFailed(reason, "There was no time left to ask.", door.address)
        if left < limits.total_seconds:
            limits = replace(limits, total_seconds=left)
        reader = ResponseReader(is_head_request=order.method is Method.HEAD, limits=limits)
        self._busy.add(connection)
        started_at, started = utc_now(), asyncio.get_running_loop().time()
        try:
            ending = await connection.exchange(order.head, reader, limits)
            total_seconds = asyncio.get_running_loop().time() - started
            self._check(reader, ending, total_seconds, door)
        except (ResponseRefused, ExchangeFailed) as refused:
            reader.body.close()
            if is_kept and not reader.has_bytes and refused.reason is Reason.DISCONNECTED:
                return None
            raise ExchangeFailed(refused.reason, refused.detail, door.address) from None
        except asyncio.CancelledError:
            reader.body.close()
            raise
        finally:
            self._busy.discard(connection)
        if reader.may_be_reused and not reader.has_leftover:
            self._pool.keep(door, connection)
        else:
            connection.abort()
        return Exchange(
            url=order.url,
            method=order.method,
            request_head=order.head,
            response_head=reader.head,
            body=reader.body,
            status=reader.status,
            headers=reader.headers,
            peer_address=door.address,
            started_at=started_at,
            first_byte_seconds=connection.first_byte_at - started,
            total_seconds=total_seconds,
            truncated=reader.truncated,
            entity_digest=reader.entity_digest,
        )

    def _check(self, reader: ResponseReader, ending: Ending, seconds: float, door: Door) -> None:
        if ending is Ending.LATE and not reader.has_head:
            what = "The headers did not end" if reader.has_bytes else "No answer came"
            raise ExchangeFailed(Reason.TIMEOUT, f"{what} within {seconds:.3g} s.")
        if self.is_closed and ending is Ending.CLOSED:
            raise ExchangeFailed(Reason.STOPPED, "This node is stopping.")


def _left(order: _Order) -> float:
    return max(0.0, order.ends - steady_seconds())
