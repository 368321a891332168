"""The web role: serves the console and the API on the socket its supervisor listens on."""

from __future__ import annotations

import asyncio
import gc
import http.client
import logging
import socket
import threading
from contextlib import suppress
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from ronda.configuration import Configuration
from ronda.supervision.child import BEAT_SECONDS, Child

logger = logging.getLogger(__name__)

GRACE_SECONDS = 5


def run(child: Child, configuration: Configuration) -> None:
    import django

    django.setup()
    from ronda.frontier import arrivals
    from ronda.http.heads import CappedHeads
    from ronda.rounds import steps, steps_here
    from ronda.site.asgi import application

    arrivals.listen()
    steps_here.start(steps.go_on_here)
    # What was loaded by now stays: the collector need not look through all of it again and again.
    gc.freeze()
    listener = socket.socket(fileno=child.listen_fd)
    server = _Server(
        uvicorn.Config(
            application,
            http=CappedHeads,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            proxy_headers=bool(configuration.proxies),
            forwarded_allow_ips=configuration.proxies,
        )
    )
    canaries = [found for url in configuration.canaries if (found := _loopback_listener(url))]
    # A daemon: it is only worth something while the server runs.
    threading.Thread(target=_beat_while_answering, args=(child, listener), daemon=True).start()
    asyncio.run(server.serve(sockets=[listener, *canaries]))


class _Server(uvicorn.Server):
    """Nodes that are kept waiting are let go when it is told to end; they come back to whoever is next."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        from ronda.frontier import arrivals

        arrivals.send_away()
        super().handle_exit(sig, frame)


def _loopback_listener(url: str) -> socket.socket | None:
    """The demo's canary stands on an address of this machine that nobody else serves; others lead to our own port."""
    parts = urlsplit(url)
    if not (parts.hostname or "").startswith("127."):
        return None
    try:
        return socket.create_server((parts.hostname or "", parts.port or 80), backlog=128)
    except OSError as error:
        logger.warning("no canary at %s: %s", url, error)
        return None


def _beat_while_answering(child: Child, listener: socket.socket) -> None:
    """A heartbeat per answered request of our own: a web process that cannot answer is as good as dead."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    while True:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(host, port, timeout=10)
            # By a name that is always answered, whatever address this is.
            connection.request("GET", "/livez", headers={"Host": "localhost"})
            if connection.getresponse().status == 200:
                child.beat()
            connection.close()
        threading.Event().wait(BEAT_SECONDS)
