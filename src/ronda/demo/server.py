"""The demo web on real sockets: one application, many addresses, one port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from aiohttp import web

from ronda.demo.access_log import AccessLog
from ronda.demo.catalogue import CONTROL_ADDRESS, WIKI_ADDRESS
from ronda.demo.clock import DemoClock
from ronda.demo.control import ControlDesk
from ronda.demo.errors import DemoError
from ronda.demo.origins import Origins, host_of
from ronda.demo.reply import (
    GZIP_FROM_BYTES,
    Reply,
    accepts_gzip,
    gzipped,
    http_date,
    is_not_modified,
    text_reply,
)
from ronda.demo.responder import SiteResponder
from ronda.demo.sites import Site
from ronda.demo.sockets import listen_everywhere
from ronda.demo.wiki.site import WikiSite
from ronda.demo.world import DemoWorld

WIKI_NAME = "wiki"
READING = ("GET", "HEAD")
SHUTDOWN_SECONDS = 1.0
MAX_FORM_BYTES = 1024**2


class DemoServer:
    """Serves a world at the moment its clock shows. Start and stop it in one event loop."""

    def __init__(
        self,
        world: DemoWorld,
        clock: DemoClock,
        *,
        port: int = 0,
        access_log_path: Path | None = None,
        wiki_requests_per_minute: int | None = None,
    ) -> None:
        self.world = world
        self.clock = clock
        self.access_log = AccessLog(access_log_path)
        self._wanted_port = port
        self._wiki_requests_per_minute = wiki_requests_per_minute
        self._sites = {site.address: site for site in world.sites}
        self._origins: Origins | None = None
        self._runner: web.AppRunner | None = None

    @property
    def addresses(self) -> list[str]:
        return [CONTROL_ADDRESS, WIKI_ADDRESS, *self._sites]

    @property
    def port(self) -> int:
        return self._listening.port

    @property
    def index_url(self) -> str:
        return self._listening.url(CONTROL_ADDRESS)

    @property
    def wiki_api_url(self) -> str:
        return f"{self._listening.url(WIKI_ADDRESS)}w/api.php"

    def base_url(self, site: Site | str) -> str:
        """The URL of a site's home page."""
        return self._listening.url(self.world.site(site) if isinstance(site, str) else site)

    async def start(self) -> None:
        """Listen on every address, or raise AddressError or PortError and listen on none."""
        sockets = listen_everywhere(self.addresses, self._wanted_port)
        self._origins = Origins(int(sockets[0].getsockname()[1]))
        self._responder = SiteResponder(self.world, self._origins)
        self._control = ControlDesk(self.world, self.clock, self.access_log, self._origins)
        wiki_url = self._origins.url(WIKI_ADDRESS)
        self._wiki = WikiSite(self.world.wiki, wiki_url, self._wiki_requests_per_minute)
        application = web.Application(client_max_size=MAX_FORM_BYTES)
        application.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
        await self._runner.setup()
        for listener in sockets:
            await web.SockSite(self._runner, listener).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self.access_log.close()

    @property
    def _listening(self) -> Origins:
        if self._origins is None:
            raise DemoError("The demo server has no address yet: await start() first.")
        return self._origins

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        address = self._address(request)
        if address == CONTROL_ADDRESS:
            body = await request.read()
            reply = self._control.reply(request.method, request.path, request.query, body)
            return _response(reply, request, self.clock.now(), may_gzip=True)
        moment = self.clock.now()
        site = self._sites.get(address)
        entry = self.access_log.begin(
            site=site.name if site else WIKI_NAME,
            method=request.method,
            path=request.path_qs,
            user_agent=request.headers.get("User-Agent", ""),
            client=request.remote or "",
            demo_at=moment,
        )
        status = size_bytes = 0
        try:
            reply = (
                self._site_reply(site, request, moment) if site else await self._wiki_reply(request, moment)
            )
            may_gzip = site.has_gzip if site else True
            response = _response(reply, request, moment, may_gzip=may_gzip)
            status = response.status
            # Sent here and not by aiohttp after we return: the log must know when the last bytes leave.
            size_bytes = await _send(response, reply, request, lambda: self.access_log.end(entry))
            return response
        finally:
            self.access_log.finish(entry, status=status, size_bytes=size_bytes)

    def _address(self, request: web.Request) -> str:
        """Whom a request is for: what Host names if it is one of ours, else the address it came in at."""
        host = host_of(request.headers.get("Host", ""))
        if host in self._sites or host in (CONTROL_ADDRESS, WIKI_ADDRESS):
            return host
        sockname = request.transport.get_extra_info("sockname") if request.transport else None
        return str(sockname[0]) if sockname else CONTROL_ADDRESS

    def _site_reply(self, site: Site, request: web.Request, moment: datetime) -> Reply:
        if request.method not in READING:
            return text_reply("Only GET and HEAD.\n", status=405, headers={"Allow": ", ".join(READING)})
        return self._responder.reply(site, request.path, request.query, moment)

    async def _wiki_reply(self, request: web.Request, moment: datetime) -> Reply:
        values: Mapping[str, str] = request.query
        if request.method == "POST":
            form = await request.post()
            values = {
                **request.query,
                **{name: value for name, value in form.items() if isinstance(value, str)},
            }
        return self._wiki.reply(request.rel_url.raw_path, values, moment)


def _response(reply: Reply, request: web.Request, moment: datetime, *, may_gzip: bool) -> web.Response:
    """The HTTP form of a reply. Date is of the demo clock, or Last-Modified would lie in its future."""
    headers = {**reply.header_fields(), "Date": http_date(moment)}
    if may_gzip:
        headers["Vary"] = "Accept-Encoding"
    if is_not_modified(reply, request.headers):
        del headers["Content-Type"]
        return web.Response(status=304, headers=headers)
    body = reply.body
    if may_gzip and len(body) >= GZIP_FROM_BYTES and accepts_gzip(request.headers.get("Accept-Encoding", "")):
        body = gzipped(body)
        headers["Content-Encoding"] = "gzip"
    return web.Response(status=reply.status, headers=headers, body=body)


async def _send(
    response: web.Response, reply: Reply, request: web.Request, on_end: Callable[[], None]
) -> int:
    """Send a response to its end, or to where it is to break; the number of body bytes that left."""
    if reply.cut_at is not None and request.method == "GET" and request.transport:
        broken = web.StreamResponse(status=response.status, headers=reply.header_fields())
        broken.content_length = len(reply.body)
        await broken.prepare(request)
        on_end()
        await broken.write(reply.body[: reply.cut_at])
        request.transport.close()
        return reply.cut_at
    await response.prepare(request)
    on_end()
    await response.write_eof()
    return len(response.body) if isinstance(response.body, bytes) and request.method == "GET" else 0
