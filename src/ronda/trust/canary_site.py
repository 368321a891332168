"""The canary site: answers under its own host names before Django sees the request, as its headers would tell."""

from __future__ import annotations

import gzip
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from ronda.trust import canary_pages
from ronda.trust.canary_pages import CanaryPage

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class CanarySite:
    """An ASGI application before another: what is addressed to a canary host ends here."""

    def __init__(self, application: Application, canary_urls: tuple[str, ...], key: bytes) -> None:
        self._application = application
        self._hosts = {urlsplit(url).netloc.lower().encode() for url in canary_urls}
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or dict(scope["headers"]).get(b"host", b"").lower() not in self._hosts:
            await self._application(scope, receive, send)
            return
        path = scope["path"]
        if canary_pages.is_probe_path(path):
            await sync_to_async(note_visit, thread_sensitive=False)(path, (scope.get("client") or ("",))[0])
        await _answer(scope, send, self._page(path))

    def _page(self, path: str) -> CanaryPage:
        if path == canary_pages.ROBOTS_PATH:
            return canary_pages.robots_in(self._key, hour_of(timezone.now()))
        return canary_pages.page_at(self._key, path)


async def _answer(scope: Scope, send: Send, page: CanaryPage) -> None:
    body = page.body
    headers = [(b"content-type", f"{page.mime}; charset=utf-8".encode())]
    if page.location:
        headers.append((b"location", page.location.encode()))
    if page.is_compressible and b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b""):
        body = gzip.compress(body, mtime=0)
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": page.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def hour_of(moment: datetime) -> int:
    return int(moment.timestamp() // 3600)


def canary_key() -> bytes:
    return hmac.new(settings.SECRET_KEY.encode(), b"canary pages", hashlib.sha256).digest()


def note_visit(path: str, address: str) -> None:
    """Somebody came for this probe, from there."""
    from ronda.trust.models import Probe

    try:
        with transaction.atomic():
            Probe.objects.filter(path=path, seen_at=None).update(
                seen_at=timezone.now(), seen_from=address[:45]
            )
    finally:
        connection.close()  # back to the pool: no request of Django's ends here that would do it
