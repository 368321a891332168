"""The guard before pywb: only who holds a pass sees anything, and of one collection, at an origin of its own.

What it keeps apart: no cookie of ours reaches pywb, no cookie of an archived page reaches the browser, no archived
script becomes a service worker, no other site may frame what is shown, nothing archived is ever a tab by itself, which
could lead itself elsewhere with what it read, and nothing pywb says of itself reaches anybody. What is shown is limited
further by `replay_policy`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from http import HTTPStatus
from urllib.parse import quote, urlencode, urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from ronda.archive.replay_addresses import ASK_PATH, ENTER_PATH, PASS_SECONDS
from ronda.archive.replay_origins import ReplayOrigins
from ronda.archive.replay_policy import NOT_TOLD, answer_headers, is_page
from ronda.archive.replay_server import ReplayServer
from ronda.archive.replay_settings import ASKER_HEADER
from ronda.archive.replay_words import UNREPLAYABLE, closed_page, failed_page
from ronda.archive.web_api import WebApi
from ronda.configuration import Configuration
from ronda.errors import Unavailable

logger = logging.getLogger(__name__)

# How long a right that was taken away may still be used.
REMEMBERED_SECONDS = 5
MOST_REMEMBERED = 10_000
MOST_BODY_BYTES = 1024**2
ANSWER_SECONDS = 120
PIECE_BYTES = 64 * 1024
LOCATION_SAFE = "/:?&=#%*@!$'()+,;[]~"
# Of one connection, or about who asks: never passed on.
NOT_ASKED = {
    "host",
    "connection",
    "cookie",
    "authorization",
    "transfer-encoding",
    "content-length",
    "upgrade",
    ASKER_HEADER.lower(),
}
# Of a header field, as long as pywb itself can read one. Some sites redirect to addresses of many kilobytes.
MOST_FIELD_BYTES = 64 * 1024


class Guard:
    def __init__(
        self, api: WebApi, server: ReplayServer, origins: ReplayOrigins, configuration: Configuration
    ) -> None:
        self._api = api
        self._server = server
        self._origins = origins
        self._console = configuration.console_url
        self._is_secure = configuration.replay_origin.startswith("https:")
        self._cookie = f"ronda_replay_{configuration.port}"
        self._remembered: dict[str, tuple[float, str]] = {}

    def application(self) -> web.Application:
        application = web.Application(client_max_size=MOST_BODY_BYTES)
        application.router.add_get(ENTER_PATH, self._enter)
        application.router.add_route("*", "/{path:.*}", self._show)
        application.cleanup_ctx.append(self._with_session)
        return application

    async def _with_session(self, application: web.Application):  # type: ignore[no-untyped-def]
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        async with aiohttp.ClientSession(
            timeout=timeout,
            auto_decompress=False,
            max_line_size=MOST_FIELD_BYTES,
            max_field_size=MOST_FIELD_BYTES,
        ) as self._session:
            yield

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """A ticket becomes a pass, kept in a cookie no script can read."""
        path = request.query.get("to", "")
        collection = path.partition("/")[2].partition("/")[0]
        given = await self._api.ask("/replay/passes", {"ticket": request.query.get("ticket", "")[:1000]})
        # A ticket is good once; browsers ask again when somebody goes back, and then have the pass.
        if given is None and not await self._is_open(request, collection):
            return self._closed(path)
        if given and (given["collection"] != collection or not path.startswith(f"/{collection}/")):
            return web.Response(status=400, text="The ticket is for another collection.\n")
        origin = await self._origins.elsewhere(request, collection)
        location = origin + quote(path, safe=LOCATION_SAFE)
        response = web.Response(status=302, headers={"Location": location, "Cache-Control": "no-store"})
        if given:
            response.set_cookie(
                self._cookie_of(collection), given["kept"],
                max_age=PASS_SECONDS, httponly=True, samesite="Lax", secure=self._is_secure, path="/",
            )  # fmt: skip
        return response

    async def _show(self, request: web.Request) -> web.StreamResponse:
        collection = request.path.split("/")[1]
        if request.method not in ("GET", "HEAD", "POST") or "Service-Worker" in request.headers:
            return web.Response(status=403, text="Archived pages may not do this here.\n")
        try:
            if collection == "static":  # pywb's own scripts
                return await self._passed_on(request, await self._server.any_base())
            if request.headers.get("Sec-Fetch-Dest") == "document":
                return self._to_the_console(request.raw_path)
            if not collection or not await self._is_open(request, collection):
                return self._closed(request.raw_path)
            if not is_page(request.path):
                return web.Response(status=404, text="Only archived pages are shown here.\n")
            if origin := await self._origins.elsewhere(request, collection):
                return web.Response(status=307, headers={"Location": origin + request.raw_path})
            return await self._replayed(request, await self._server.base_for(collection))
        except Unavailable as error:
            return web.Response(status=503, text=f"replay is not installed: {error}\n")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            logger.warning("no answer for %s: %s", request.path, error)
            return web.Response(status=502, text="The replay is starting again. Try once more.\n")

    def _cookie_of(self, collection: str) -> str:
        """Where collections share an origin, one is open at a time: the last one."""
        return f"{self._cookie}_{collection}" if self._origins.are_apart else self._cookie

    async def _is_open(self, request: web.Request, wanted: str) -> bool:
        kept = request.cookies.get(self._cookie_of(wanted), "")
        if not kept:
            return False
        known_at, collection = self._remembered.get(kept, (0.0, ""))
        if time.monotonic() - known_at > REMEMBERED_SECONDS or not known_at:
            answer = await self._api.ask("/replay/passes/check", {"kept": kept[:1000]})
            collection = str(answer["collection"]) if answer else ""
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[kept] = (time.monotonic(), collection)
        return collection == wanted

    def _to_the_console(self, path: str) -> web.Response:
        """Which shows it in a frame, once a person has pressed the button there."""
        return web.Response(
            status=302, headers={"Location": self._ask_address(path), "Vary": "Sec-Fetch-Dest"}
        )

    def _ask_address(self, path: str) -> str:
        return f"{self._console}{ASK_PATH}?{urlencode({'to': path})}"

    def _closed(self, path: str) -> web.Response:
        """A person finds the way by hand: a page that could lead itself there could be led by an archived one."""
        headers = {"Content-Security-Policy": "default-src 'none'", "Cache-Control": "no-store"}
        text = closed_page(self._ask_address(path))
        return web.Response(status=403, text=text, content_type="text/html", headers=headers)

    def _failed(self, request: web.Request, status: int) -> web.Response:
        """What pywb could not show; why, it may have told the log."""
        headers = answer_headers(request.path, _origin(self._console))
        return web.Response(
            status=status, text=failed_page(status), content_type="text/html", headers=CIMultiDict(headers)
        )

    async def _replayed(self, request: web.Request, base: str) -> web.StreamResponse:
        try:
            return await self._passed_on(request, base)
        except aiohttp.ClientResponseError as error:  # with a header longer than anybody takes: always so
            logger.warning("%s cannot be replayed: %s", request.path, error.message)
            return self._failed(request, UNREPLAYABLE)

    async def _passed_on(self, request: web.Request, base: str) -> web.StreamResponse:
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in NOT_ASKED]
        headers += [
            ("Host", request.host),
            (ASKER_HEADER, self._server.settings.asker),
            ("X-Forwarded-Proto", "https" if self._is_secure else request.scheme),
        ]
        async with self._session.request(
            request.method,
            URL(base + request.raw_path, encoded=True),
            headers=headers,
            data=await request.read() or None,
            allow_redirects=False,
        ) as answer:
            beginning = await self._beginning(answer)
            if beginning == self._server.settings.error_mark:
                return self._failed(request, answer.status)
            response = web.StreamResponse(status=answer.status, reason=answer.reason)
            for name, value in answer.headers.items():
                if name.lower() not in NOT_TOLD:
                    response.headers.add(name, value)
            for name, value in answer_headers(request.path, _origin(self._console)):
                response.headers.add(name, value)
            await response.prepare(request)
            if request.method != "HEAD":
                if beginning:
                    await response.write(beginning)
                async for piece in answer.content.iter_chunked(PIECE_BYTES):
                    await response.write(piece)
            await response.write_eof()
            return response

    async def _beginning(self, answer: aiohttp.ClientResponse) -> bytes:
        """Of what may be an error of pywb's own: as much as its mark is long."""
        if answer.status < HTTPStatus.BAD_REQUEST:
            return b""
        try:
            return await answer.content.readexactly(len(self._server.settings.error_mark))
        except asyncio.IncompleteReadError as error:
            return error.partial


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
